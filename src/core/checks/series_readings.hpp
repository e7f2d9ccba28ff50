/// \file
/// The measurements of one time of one configuration, prepared for the tests.
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

/// Measurements above 0, and their groups.
struct SeriesReadings {
  std::vector<profile::RowReading> readings;  ///< at least one
  std::vector<std::size_t> processes;         ///< process of each reading
  std::vector<ReadingGroup> groups;
  std::vector<std::size_t> points;      ///< that were measured, ascending: positions in Selection::points
  std::vector<std::size_t> point_of;    ///< point of each reading: position in `points`
  std::vector<std::size_t> iterations;  ///< number of different iterations of each of `points`, as far as known; else 1

  explicit SeriesReadings(std::vector<profile::RowReading>);
  /// The row of the reading at this position in `readings`.
  Where place_of(std::size_t reading) const;
};

/// Results of the tests within points.
struct WithinPoints {
  std::vector<FoundFault> findings;
  std::set<Fault> seen;            ///< faults that could have been found
  std::vector<Limit> limits;       ///< detection limits of faults that were not found
  std::set<Fault> too_few;         ///< faults of which not even a tenfold one would have been found
  std::set<Fault> no_scatter;      ///< faults of which any would have been found, because measurements of a point are
                                   ///< equal
  Eigen::VectorXd logs;            ///< logarithms of the measurements, with the faults taken out
  std::set<std::size_t> strays;    ///< outlying measurements
  select::NoiseEvidence evidence;  ///< noise evidence without the outliers
};
/// Tests measurements about the level of their own point: outliers, slow start, drift, disagreement. Only with
/// Depth::limits it sets `limits`, `too_few` and `no_scatter`; with what_could_be_found there are no findings.
WithinPoints examine_within_points(const SeriesReadings&, const select::Selection&, const select::ModelConstants&,
                                   const AlarmLevel& level, Depth);

/// Adds faults of the levels of the points, compared with the values that the model fits to the others: outlying
/// points, groups that disagree and, if there is no outlying point, misplaced times. Adds to `seen` the faults that
/// could be found; with Depth::what_could_be_found nothing else.
void examine_levels(const SeriesReadings&, const WithinPoints&, const select::Selection&, const project::RunEstimator&,
                    const AlarmLevel& level, Depth, std::vector<FoundFault>&, std::set<Fault>& seen);

}  // namespace seqpoint::checks
