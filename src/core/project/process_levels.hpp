/// \file
/// Between-process variation of the measuring processes, and measurements with the levels divided out.
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
                                               ///< relative to the mean of all
  double shares = 1;                           ///< sum of the squared contributions of the processes to the projection
  select::LevelEvidence evidence{};

  /// A reading divided by 1 + the deviation of its process, if that is above 0.
  double levelled(const profile::Reading&) const;
};

/// The number of different processes among the readings; 1 if there are no readings.
std::uint64_t processes_of(const MeasuredPoints&);

/// Compares processes over the points that several of them measured. `weights`: v, weight of each measured point in the
/// projection. `relative_sizes`: z, size of each measured point over the mean size. Without readings: one process.
ProcessLevels process_levels(const MeasuredPoints&, const Eigen::VectorXd& weights,
                             const Eigen::VectorXd& relative_sizes, const select::ModelConstants&);

/// By measured point, the deviations of its iterations after each measurement is divided by 1 + the deviation of its
/// process. Empty for a point with fewer than two iterations, or with a reading whose iteration is not known.
std::vector<Deviations> deviations_of(const MeasuredPoints&, const ProcessLevels&);

}  // namespace seqpoint::project
