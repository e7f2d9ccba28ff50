/// \file
/// Stage 6: why a projection is as sure as it is, and what of its measurements does not fit.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seqpoint/project.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::diagnose {

/// What can be wrong with measurements.
enum class Fault {
  stray_measurement,  ///< one differs from the others of its point
  stray_point,        ///< a point differs from what the others make of its lengths
  slow_start,         ///< the first measurements of the points are slower than later ones
  drift,              ///< cost grows along a session, or falls after the first measurements of its points
  disagreement,       ///< files, hosts or sessions differ
  misplaced           ///< times do not stand at the points that they were measured at
};
/// Their words.
inline constexpr std::array<Word<Fault>, 6> kFaults{{{"stray-measurement", Fault::stray_measurement},
                                                     {"stray-point", Fault::stray_point},
                                                     {"slow-start", Fault::slow_start},
                                                     {"drift", Fault::drift},
                                                     {"disagreement", Fault::disagreement},
                                                     {"misplaced", Fault::misplaced}}};
/// The word of a fault.
inline std::string_view name_of(Fault fault) { return name_in(kFaults, fault); }

/// How often a call whose measurements are as the model says (docs/method.md) finds any fault. Shared out evenly over
/// the kinds of faults that can be found, and of each over the series in which it can be; of misplaced times it is that
/// of contradictions(). Reason: the usual one time in twenty.
inline constexpr double kFalseAlarms = 0.05;

/// A fault that was found.
struct FoundFault {
  Fault fault = Fault::stray_measurement;  ///< what is wrong
  std::string where;       ///< file and line; a file; "host a"; the session that begins at a file and line; or empty
  std::string point;       ///< its id; empty: not of one point
  std::size_t others = 0;  ///< of a stray measurement: the other measurements of its point
  double value = 0;        ///< of a stray measurement or point, in the metric's unit
  /// Cost over what the others say, minus 1; of a drift from the beginning of the session to its end. Of misplaced
  /// times 0.
  double change = 0;
  /// How likely at least one test of this kind finds as much where nothing is wrong; at most 1.
  double probability = 0;
};

/// What a fault that was not found may still be.
struct Limit {
  Fault fault = Fault::slow_start;  ///< stray_measurement, slow_start, drift, or disagreement
  /// Cost over what the others say, minus 1, as FoundFault::change: as much would just have been found, of a stray at
  /// any point, of drift where cost grows, of a disagreement of any file or session. Above 0.
  double change = 0;
};

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

/// How intervals did beside the truth.
struct TruthRecord {
  double truth = 0;                  ///< what the whole run took, in seconds
  bool held = false;                 ///< by the interval of this projection
  std::uint64_t earlier_stated = 0,  ///< intervals of earlier projections
      earlier_held = 0;              ///< those of them that hold the truth
  double probability = 1;            ///< that so few of all hold, or fewer, where each does as often as it says
};

/// A time of a configuration: its projection, and what is to be said of its measurements.
struct Series {
  std::string configuration,           ///< its name
      metric;                          ///< the time's name, as `runtime_s`
  std::uint64_t points = 0,            ///< that were measured
      measurements = 0;                ///< of all points together
  double total = 0;                    ///< projected, in seconds
  project::IntervalOrReason interval;  ///< of the total
  std::optional<Width> width;          ///< of the interval; nothing where there is none
  std::vector<FoundFault> findings;    ///< in the order in which they were found: the surest first
  std::vector<std::string> unseen;     ///< what could not be examined, and why
  std::vector<Limit> limits;           ///< of what was looked for among the measurements of points, and not found
  std::optional<NextStep> next;        ///< nothing: the interval has no width
  std::optional<TruthRecord> truth;    ///< nothing: not given
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
  /// By configuration: what its whole run took, in seconds. Compared with its first time.
  std::vector<std::pair<std::string, double>> truths;
  /// False: without Series::limits and PointPart::change_without, which take the most time.
  bool limits = true;
  double overhead_s = 0;                         ///< seconds beside the iterations, in every total of a time
  std::span<const project::Projection> earlier;  ///< of the same run, whose intervals are compared with the truths
};

/// A configuration's measurements and the rows that they are from. All of it is the caller's, and outlives the call.
struct MeasuredConfiguration {
  const project::NamedMeasurements* named = nullptr;  ///< never null in a call
  std::span<const profile::ProfileTable> tables;      ///< those that Measurements::source_rows counts
};

/// Examines every time of every configuration. Faults are looked for one after the other, each with those before it
/// taken out: in the logarithms of the measurements about the level of their point, then in the levels about what the
/// model fits to the others. Throws ParameterError for a truth of no configuration.
Diagnosis diagnose(const select::Selection&, std::span<const MeasuredConfiguration>, const DiagnoseParams&);

/// How often a configuration is said to contradict the model where its measurements are as that says. Reason: a warning
/// of every projection, which one in a thousand may be for nothing.
inline constexpr double kFalseContradictions = 0.001;

/// Measurements that contradict the model as a whole: a first round that is slow, a last one that differs, or times at
/// other points than they were measured at. `runtime_s` of each configuration is examined, else its first time. Rounds
/// and places have half of kFalseContradictions each; the figure is FoundFault::probability of the surest.
std::vector<Finding> contradictions(const select::Selection&, std::span<const MeasuredConfiguration>);

}  // namespace seqpoint::diagnose
