/// \file
/// What the processes that measured tell of each other, and what is left once their levels are taken out.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/project/run_estimator.hpp"

namespace seqpoint::project {

/// For the iterations of a point, by number: the mean of its measurements over the mean of all, minus 1.
using Deviations = std::vector<std::pair<std::uint64_t, double>>;

/// The levels of the processes of one configuration's metric, in a projection.
struct ProcessLevels {
  std::map<std::size_t, double> deviations{};  ///< of each process that shares points with others: its own projection
                                               ///< from the mean of all, relative
  double shares = 1;                           ///< sum of the squares of the processes' parts in the projection
  select::LevelEvidence evidence{};
};

/// How many processes measured; 1 where that is not known.
std::uint64_t processes_of(const MeasuredPoints&);

/// `weights`: v, by measured point. `relative_sizes`: z of these. Without readings: one process.
ProcessLevels process_levels(const MeasuredPoints&, const Eigen::VectorXd& weights,
                             const Eigen::VectorXd& relative_sizes, const select::ModelConstants&);

/// By measured point, where it was measured at several known iterations, each process divided by its level; else empty.
std::vector<Deviations> deviations_of(const MeasuredPoints&, const ProcessLevels&);

}  // namespace seqpoint::project
