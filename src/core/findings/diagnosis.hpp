/// \file
/// Why a projection is as certain as it is, and what to measure next.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/project/projection.hpp"

namespace seqpoint::findings {

/// The influence of a point on the total.
struct PointPart {
  std::string id;                        ///< of the point
  double share = 0;                      ///< share of the squared width, from the noise of its measurements
  std::optional<double> change_without;  ///< of the total, a share; nothing: too few points are left, or not tried
};

/// Variance breakdown of an interval: shares of its squared width, which add up to 1.
struct Width {
  double iterations = 0;    ///< the measured iterations differ from others of their shape
  double measurements = 0;  ///< measuring an iteration again gives another time
  double between = 0;       ///< interpolation between measured lengths
  double missed = 0;        ///< weights that miss totals of the model's diffuse functions, because points are missing
  double own = 0;           ///< the run's own iterations differ from the mean of their shapes
  double between_processes = 0;   ///< between-process variation: of the measuring processes, and of the run
  double scale = 1;               ///< ratio of the noise to the model's, as far as known
  double misfit_scale = 1;        ///< the same for the misfit between lengths
  double spread = 0;              ///< standard deviation between processes, a share, as far as known
  std::uint64_t processes = 1;    ///< number of processes that measured
  std::vector<PointPart> points;  ///< the measured points, largest share first
};

/// What to measure next.
struct NextStep {
  /// Ways to narrow an interval: measure missing points, select more points, measure all points in more processes.
  enum class What { missing_points, more_points, more_processes };
  What what = What::more_processes;                            ///< the recommended way
  std::vector<std::pair<std::string, std::uint64_t>> measure;  ///< missing points, with their planned measurements
  std::uint64_t points = 0;                                    ///< number of points to select, for more_points
  std::uint64_t processes = 0;  ///< number of processes to add, for more_processes: as many as have measured
  /// The interval after these processes, if they vary and measure like the existing ones. Nothing otherwise.
  std::optional<project::Interval> expected;
};

/// A time of a configuration: its projection, and what the width of its interval consists of.
struct Series {
  std::string configuration,           ///< name of the configuration
      metric;                          ///< name of the time, such as `runtime_s`
  std::uint64_t points = 0,            ///< number of measured points
      measurements = 0;                ///< measurements of all points together
  double total = 0;                    ///< projected, in seconds
  project::IntervalOrReason interval;  ///< interval of the total
  std::optional<Width> width;          ///< variance breakdown; nothing if there is no interval
  std::optional<NextStep> next;        ///< nothing: the interval has no width
};

/// All times of all configurations.
struct Diagnosis {
  double confidence = 0.95;            ///< confidence of the intervals
  std::vector<Series> series;          ///< by configuration, then in the order of its metrics; measured ones only
  std::vector<Finding> findings = {};  ///< of the checks
};

/// The settings of a diagnosis. Does not own what it points to.
struct DiagnoseParams {
  std::vector<std::string> metrics;           ///< times to examine; empty: all
  double confidence = 0.95;                   ///< confidence of the intervals, in (0, 1)
  bool median = false;                        ///< as in project::ProjectParams
  std::optional<double> between_processes{};  ///< as there
  const trace::RunSummary* target = nullptr;  ///< the projected run; null: the selection's own
  bool leave_out = true;  ///< false: leaves out PointPart::change_without, which takes the most time
  double overhead_s = 0;  ///< seconds outside the iterations, in every total of a time
};

/// Whether a finding questions the measurements of the series, and is not about another time: it comes before advice on
/// the interval.
bool is_questioned(const Series&, const std::vector<Finding>&);

/// Explains the time metrics of every configuration: those in `metrics` that were measured at a point. `findings`: of
/// the checks.
Diagnosis diagnose(const select::Selection&, std::span<const project::NamedMeasurements>, std::vector<Finding> findings,
                   const DiagnoseParams&);

}  // namespace seqpoint::findings
