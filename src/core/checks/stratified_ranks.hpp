/// \file
/// Rank correlation within strata: values are compared only with those of similar iterations.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <optional>
#include <vector>

namespace seqpoint::checks {

/// Values that are compared with each other: both centred and, if there is a confounder, minus their parts along it.
struct Stratum {
  Eigen::VectorXd x, y;
  Eigen::VectorXd confounder;  ///< of unit length; empty: none
};

/// Fewer values cannot show a correlation at a level of one in a thousand.
inline constexpr std::size_t kMinRanked = 10;

/// The stratum of these values; nothing if x correlates so much with the confounder that the two cannot be separated.
/// `confounder`: not constant; empty: none.
std::optional<Stratum> stratum_of(const Eigen::VectorXd& x, const Eigen::VectorXd& y,
                                  const Eigen::VectorXd& confounder);

/// The ranks of y among all strata's, correlated with x within the strata (Spearman 1904; within strata van Elteren
/// 1960), in standard deviations: over all orders within the strata this is nearly normal. Above 0 if y grows with x; 0
/// if there are fewer than kMinRanked values.
double rank_score(const std::vector<Stratum>&);

/// The slope of y over x within the strata, by least squares; 0 if x does not vary.
double slope_within(const std::vector<Stratum>&);

}  // namespace seqpoint::checks
