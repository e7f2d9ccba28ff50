/// \file
/// How far measured points lie from a low-order fit through them.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace seqpoint {

/// How far a measurement usually lies from what it stands for, as a share: its own disturbance, and one that comes back with
/// its iteration however often that is repeated. Iterations of equal signature differ by 2 to 7 % in the epochs of
/// examples/data; the figures, and how many degrees of freedom they are worth, were chosen on those.
constexpr double kOwn = 0.025, kShared = 0.033, kUsualFreedom = 12;

/// Variances of points that were measured so often (>= 1), over their mean: of equally often measured points 1.
Eigen::ArrayXd relative_variances(const std::vector<std::uint64_t>& repeats);

/// What a least-squares fit leaves at each point, over the root of the point's variance.
struct Residuals {
  Eigen::VectorXd plain;
  Eigen::VectorXd corrected;  ///< each over sqrt(1 - leverage): of the variance that its point has (HC2, MacKinnon and White 1985)
};

/// How far points lie from a low-order fit, relative to their values.
struct ResidualSpread {
  double variance = 0;               ///< of one point; infinite where the fit leaves no degree of freedom
  double freedom = 0;                ///< 0: not known
  Residuals left{};
  Eigen::ArrayXd unsure{};           ///< variance of a point, in units of `variance`
  double repeat_variance = 0;        ///< of one repeat
  double repeat_freedom = 0;         ///< 0: no repeats
  std::vector<std::size_t> point{};  ///< where it was measured
  int measurements = 1;              ///< that a residual comes from: a ratio has two

  double variance_of(std::size_t p) const { return unsure[static_cast<Eigen::Index>(p)]; }
  double squared_residual(std::size_t p) const;
};

/// Of `values` (points) from the fit by `columns` (points x functions). A point of repeats r weighs 1 / relative_variances.
/// With `last_is_a_curve` the last column counts only where it lowers the residual variance to a third: two columns always leave
/// more than three do. `levels`: what else was estimated from these points.
ResidualSpread spread_about_fit(Eigen::MatrixXd columns, Eigen::VectorXd values, const std::vector<std::uint64_t>& repeats,
                                bool last_is_a_curve, std::ptrdiff_t levels = 0);

/// Fills in what repeats say: the mean of the points' variances between them, and their degrees of freedom.
void add_repeats(ResidualSpread& spread, const std::vector<double>& variance, const std::vector<std::uint64_t>& repeats);

}  // namespace seqpoint
