/// \file
/// The measurements of one time of one configuration, as they are examined.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/checks/fault_search.hpp"
#include "core/checks/faults.hpp"
#include "core/checks/reading_groups.hpp"
#include "core/profile/readings.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::checks {

/// Measurements above 0, and what they have in common.
struct SeriesReadings {
  std::vector<profile::RowReading> readings;  ///< at least one
  std::vector<std::size_t> sessions;          ///< of each
  std::vector<ReadingGroup> groups;
  std::vector<std::size_t> points;      ///< that were measured, ascending: positions in Selection::points
  std::vector<std::size_t> point_of;    ///< of each reading: position in `points`
  std::vector<std::size_t> iterations;  ///< of each of `points`: different ones, as far as is known; else 1

  explicit SeriesReadings(std::vector<profile::RowReading>);
  /// The file and line of the first measurement, and so on.
  std::string place_of(std::size_t reading) const;
};

/// What was found in the measurements about the level of their point.
struct WithinPoints {
  std::vector<FoundFault> findings;
  std::set<Fault> seen;            ///< faults that could have been found
  std::vector<Limit> limits;       ///< as Series has them
  std::set<Fault> too_few;         ///< not even a tenfold one would have been found
  std::set<Fault> no_scatter;      ///< any would have been found, as measurements of a point are equal
  Eigen::VectorXd logs;            ///< logarithms of the measurements, with the faults taken out
  std::set<std::size_t> strays;    ///< measurements
  select::NoiseEvidence evidence;  ///< of what is left, whatever strays
};
WithinPoints examine_within_points(const SeriesReadings&, const select::Selection&, const select::ModelConstants&,
                                   const AlarmLevel& level, Depth);

/// Adds what is found in the levels of the points about what the model fits to the others.
void examine_levels(const SeriesReadings&, const WithinPoints&, const select::Selection&, const project::RunEstimator&,
                    const AlarmLevel& level, Depth, std::vector<FoundFault>&, std::set<Fault>& seen);

}  // namespace seqpoint::checks
