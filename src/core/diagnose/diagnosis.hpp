/// \file
/// Stage 6: why a projection is as sure as it is, and what of its measurements does not fit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/checks/checks.hpp"
#include "core/project/projection.hpp"

namespace seqpoint::diagnose {

/// What a point does to the total.
struct PointPart {
  std::string id;                        ///< of the point
  double share = 0;                      ///< of the squared width, by the disturbances of its measurements
  std::optional<double> change_without;  ///< of the total, a share; nothing: too few points are left, or not tried
};

/// What the width of an interval consists of: shares of its square, which add up to 1.
struct Width {
  double iterations = 0;    ///< the iterations that were measured differ from others of their signature
  double measurements = 0;  ///< measuring an iteration again gives another time
  double between = 0;       ///< lengths between those that were measured
  double missed = 0;        ///< weights that do not meet the totals of the model's free functions, for want of points
  double own = 0;           ///< the run's own iterations differ from the mean of their signatures
  double sessions = 0;      ///< processes differ: those that measured, and the run's
  double scale = 1;         ///< what disturbances are beside the model's, as far as is known
  double misfit_scale = 1;  ///< the same of misfit between lengths
  double spread = 0;        ///< standard deviation between processes, a share, as far as is known
  std::uint64_t processes = 1;    ///< that measured
  std::vector<PointPart> points;  ///< that were measured, of the largest share first
};

/// What to measure next.
struct NextStep {
  /// What narrows an interval: points that were not measured, more measurements of the same points, a selection of more
  /// points, more processes.
  enum class What { missing_points, repeats, more_points, more_sessions };
  What what = What::repeats;  ///< which of them
  /// Ids; of repeats with how many more. As many in all as there are measurements, where they narrow the interval most.
  std::vector<std::pair<std::string, std::uint64_t>> measure;
  std::uint64_t repeats = 0;    ///< of every point, that a plan of them takes
  std::uint64_t points = 0;     ///< to select, of more_points
  std::uint64_t processes = 0;  ///< to measure in, of more_sessions: as many as measured
  /// After repeats like those there are, or in processes that differ as those before. Nothing: of points.
  std::optional<project::Interval> expected;
};

/// A time of a configuration: its projection, and what is to be said of its measurements.
struct Series {
  std::string configuration,                 ///< its name
      metric;                                ///< the time's name, as `runtime_s`
  std::uint64_t points = 0,                  ///< that were measured
      measurements = 0;                      ///< of all points together
  double total = 0;                          ///< projected, in seconds
  project::IntervalOrReason interval;        ///< of the total
  std::optional<Width> width;                ///< of the interval; nothing where there is none
  std::vector<checks::FoundFault> findings;  ///< in the order in which they were found: the surest first
  std::vector<std::string> unseen;           ///< what could not be examined, and why
  std::vector<checks::Limit> limits;         ///< of what was looked for among the measurements of points, and not found
  std::optional<NextStep> next;              ///< nothing: the interval has no width
};

/// All times of all configurations.
struct Diagnosis {
  double confidence = 0.95;    ///< of the intervals
  std::vector<Series> series;  ///< by configuration, then in the order of its metrics
  /// Whether the measurements are what they are called. Filled in by who reads them.
  std::vector<Finding> findings = {};
};

/// What the caller of a diagnosis decides. Does not own what it points to.
struct DiagnoseParams {
  std::vector<std::string> statistics;        ///< times to examine; empty: all
  double confidence = 0.95;                   ///< of the intervals, in (0, 1)
  bool robust = false;                        ///< as in project::ProjectParams
  std::optional<double> between_processes{};  ///< as there
  const trace::RunSummary* target = nullptr;  ///< the run that is projected; null: that of the selection
  /// False: without Series::limits and PointPart::change_without, which take the most time.
  bool limits = true;
  double overhead_s = 0;  ///< seconds beside the iterations, in every total of a time
};

/// Explains every time of every configuration that was checked.
Diagnosis diagnose(const checks::JoinedFiles&, const checks::Checked&, const DiagnoseParams&);

}  // namespace seqpoint::diagnose
