/// \file
/// What measurements of the points say of the whole run, of other runs, and of limits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/enum_names.hpp"
#include "core/profile/measure.hpp"
#include "core/select/select.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {

// --- Stage 6: where the projected time goes, by kernel, operator or category.

/// What the rows of a break-down are.
enum class BreakdownBy { kernel, host_operator, category };
/// Their words.
inline constexpr std::array<Word<BreakdownBy>, 3> kBreakdowns{
    {{"kernel", BreakdownBy::kernel}, {"operator", BreakdownBy::host_operator}, {"category", BreakdownBy::category}}};
/// The word for it.
inline std::string_view name_of(BreakdownBy by) { return name_in(kBreakdowns, by); }

/// One kernel, operator or category over the whole run.
struct BreakdownRow {
  std::string name;              ///< as the profiler or the category's rule has it
  double seconds = 0,            ///< of the whole run
      count = 0;                 ///< calls in the whole run; not a whole number, as weights are none
  double share = 0;              ///< of the configuration's rows
  std::optional<double> change;  ///< seconds / seconds of the baseline; nothing where the baseline has none
};

/// The rows of one configuration.
struct ConfigurationBreakdown {
  std::string name;                ///< of the configuration
  double seconds = 0;              ///< of all rows
  double coverage = 1;             ///< weight of the points with operations, over the iterations
  std::vector<BreakdownRow> rows;  ///< most seconds first, ties by name
};

/// Where the projected time of every configuration goes.
struct Breakdown {
  BreakdownBy by = BreakdownBy::category;  ///< what the rows are
  /// True: rows are sums of device operations (gpu sum). False: of operators' self times (host).
  bool kernels = true;
  std::vector<ConfigurationBreakdown> configurations;  ///< in the order given
};

/// The profiles of one configuration, and how they were matched. All of it is the caller's, and outlives the call.
struct ProfiledConfiguration {
  std::string name;                                     ///< of the configuration
  std::span<const profile::StepProfile> profiles;       ///< those that have steps
  std::span<const profile::ProfileTable> tables;        ///< those that Measurements::source_rows counts
  std::size_t first_table = 0;                          ///< position of the table of profiles[0]
  const profile::Measurements* measurements = nullptr;  ///< never null in a call
};

/// Breaks the time of a run down: the sum over the points of weight x mean over the repeats, for every operation. The
/// weight of points without operations goes to the others as in project(). By category, kernels are added up where
/// every configuration has them, else operators. `baseline`: a configuration's name, for BreakdownRow::change. Throws
/// ParameterError, with a way out, where a configuration has no operations of the kind.
Breakdown break_down(const select::Selection&, std::span<const ProfiledConfiguration>, BreakdownBy,
                     const profile::Categories&, const std::string& baseline);

// --- Stage 6: from measured points to the whole run.

/// How a metric adds up over a run.
enum class MetricKind {
  total,  ///< sum of weight x value
  rate,   ///< mean weighted by weight x time, over the points where both were measured; by weight where no time was
  max     ///< the largest that any signature of the run is predicted to have, at least the largest measured
};
/// Their words.
inline constexpr std::array<Word<MetricKind>, 3> kMetricKinds{
    {{"total", MetricKind::total}, {"rate", MetricKind::rate}, {"max", MetricKind::max}}};
/// The word of a kind.
inline std::string_view name_of(MetricKind kind) { return name_in(kMetricKinds, kind); }

/// Ratio of two projected totals: `name=numerator/denominator`.
struct RateSpec {
  std::string name,  ///< what the ratio is called; no metric has this name
      numerator,     ///< the metric above the line
      denominator;   ///< the metric below it; the ratio is left out where its total is 0
};

/// What the caller of a projection decides.
struct ProjectParams {
  /// Metrics to project. Empty: every metric that has a kind, or a role other than no_cost and unknown.
  std::vector<std::string> statistics;
  /// How metrics add up. Where a metric is not named: what its role says; total without one.
  std::map<std::string, MetricKind> kinds;
  std::vector<RateSpec> rates;  ///< ratios to project beside the metrics
  bool robust = false;          ///< the median of a point's repeats instead of their mean
  std::string baseline;         ///< empty: the first configuration
  double confidence = 0.95;     ///< of the intervals, in (0, 1)
  /// The run is a part of what the measuring process does. Else it is another process, which differs from those that
  /// measured, and intervals of times have a part of that.
  bool in_same_process = false;
  /// Seconds, >= 0, taken as exact, that every epoch takes beside its iterations: in every total of seconds and in
  /// throughput, and so in their speedups. Rates stay those of the iterations, and a note says so.
  double epoch_overhead_s = 0;
  /// By how much processes usually differ, as a share: instead of select::kHostBound's or select::kDeviceBound's
  /// median.
  std::optional<double> between_processes{};
  std::optional<double> cold_start_s{};  ///< what a shape takes more at first, instead of what was measured
};

/// The range that holds the true figure as often as ProjectParams::confidence says.
struct Interval {
  double low = 0,  ///< in the unit of the figure
      high = 0;    ///< the same; not below `low`
};

/// Why a figure has no interval.
enum class NoInterval {
  none,            ///< it has one
  one_point,       ///< one point was measured
  many_points,     ///< more points than are fitted together
  undetermined,    ///< the measured points do not tell how cost grows
  one_batch_size,  ///< the points have one batch size, and the projected run others
  no_ratio         ///< a total is zero, or two were measured at different points
};

/// An interval, or nothing and the reason why.
struct IntervalOrReason : std::optional<Interval> {
  /// One-sided bounds of the same confidence, where there is an interval: the figure is at least `low` with it, and at
  /// most `high` with it. Limits are decided on these.
  Interval bounds{};
  std::string reason{};               ///< why there is none; empty where there is one
  NoInterval why = NoInterval::none;  ///< the same, for programs

  IntervalOrReason() = default;  ///< there is none, and no reason is known
  IntervalOrReason(const Interval& interval) : optional(interval), bounds(interval) {}  ///< there is one
  IntervalOrReason(NoInterval none);  ///< there is none, with the words for it
  /// There is none, for another reason.
  IntervalOrReason(std::string no_ratio) : reason(std::move(no_ratio)), why(NoInterval::no_ratio) {}
};

/// One metric of one configuration, over the whole run.
struct MetricProjection {
  std::string name;                     ///< of the metric; its unit is part of it, as in `runtime_s`
  MetricKind kind = MetricKind::total;  ///< how it adds up
  double value = 0;                     ///< for the whole run, in the metric's own unit
  std::optional<double> per_epoch{};    ///< totals only
  double coverage = 1;                  ///< weight of the points measured, over the iterations; in [0, 1]
  IntervalOrReason interval{};          ///< of `value`
};

/// What differences between processes do to the interval of a time.
struct ProcessPart {
  std::string metric;           ///< the time
  std::uint64_t processes = 1;  ///< that measured it
  double half_width = 0,        ///< of the interval, a share of the figure
      half_width_without = 0,   ///< the same if processes did not differ
      spread = 0;               ///< standard deviation between processes, a share: what is usual, and what was learned
  double usual = 0;             ///< median of what is usual
  std::optional<double> device_busy{};  ///< by which that was chosen: Measurements::device_busy
  bool is_given = false;                ///< `usual` was: ProjectParams::between_processes
};

/// What a configuration gets done in a second of its time metric, by all ranks together.
struct Throughput {
  std::string time_metric;             ///< `runtime_s`, or another total in seconds
  double samples_per_s = 0;            ///< samples of the data set
  std::optional<double> tokens_per_s;  ///< unpadded, both sides; nothing: the run does not say them
  double padded_tokens_per_s = 0;      ///< with padding
};

/// A total of the baseline over the same total of a configuration.
struct Speedup {
  std::string metric;           ///< the total's name
  double value = 1;             ///< baseline / this one: above 1 is faster
  IntervalOrReason interval{};  ///< of `value`; the baseline's own is [1, 1]
};

/// What was measured of a metric at a point.
struct PointMeasurement {
  std::string id;             ///< of the point
  std::uint64_t repeats = 0;  ///< >= 1
  double value = 0;           ///< mean of the repeats, or their median
  double least = 0,           ///< the least of the repeats
      most = 0;               ///< the most of them
};
/// What was measured of a metric, point by point.
struct MeasuredMetric {
  std::string name;                      ///< of the metric
  std::vector<PointMeasurement> points;  ///< those that were measured, in the order of the selection
};

/// What was run to measure a configuration, warm-up included, beside the run.
struct Executed {
  std::uint64_t executions = 0,  ///< rows of the profile
      warmup = 0,                ///< of these, those that are left out
      first = 0;                 ///< of these, first executions of points' shapes in a process
  /// Padded tokens of all, of several ranks those of the one with the most work. Nothing: some lengths are not known.
  std::optional<std::uint64_t> padded_tokens{};
  double fewer = 0;                      ///< iterations of the run over executions
  std::optional<double> fewer_tokens{};  ///< the same of padded tokens
};

/// A cold start that is at most this share of a total is not worth a total with it. Reason: intervals are rarely as
/// narrow.
inline constexpr double kMinColdStart = 0.02;

/// What shapes cost in all when a process runs them for the first time (kernels are chosen or compiled, memory is
/// allocated). Once a process, and in no total, throughput or speedup: those are of steady iterations.
struct ColdStart {
  std::string metric;        ///< the time
  double seconds_each = 0;   ///< D: of one shape, the mean over the points
  std::uint64_t points = 0,  ///< that were measured; 0: the caller said what one shape takes
      shapes = 0;            ///< K: unique signatures of the run
  /// K D, in seconds.
  double about() const { return static_cast<double>(shapes) * seconds_each; }
  /// Twice that: what other processes took more at first was less in every trial (docs/method.md).
  double at_most() const { return 2 * about(); }
};

/// The figures of one configuration: a machine, or a build.
struct ConfigurationProjection {
  std::string name;                         ///< as NamedMeasurements has it
  double coverage = 1;                      ///< the smallest of the metrics'
  std::vector<MetricProjection> metrics;    ///< in the order of the measurements, then rates
  std::optional<Throughput> throughput;     ///< nothing: no time was measured
  std::vector<Speedup> speedups;            ///< of totals that both configurations have
  std::vector<std::string> missing_points;  ///< ids that lack any of the metrics
  std::vector<std::string> not_projected;   ///< measured, but not a cost, or not known as one, and not asked for
  std::uint64_t rows = 0,                   ///< as Measurements::rows
      matched_rows = 0;                     ///< as Measurements::matched_rows
  std::vector<MeasuredMetric> measured{};   ///< the measurements behind the figures
  std::optional<ProcessPart> processes{};   ///< of the time of the configuration; nothing: it has no interval
  Executed executed{};                      ///< what was run
  /// Why that is too little for a result, of the first metric of which it is: what was measured stands for less than
  /// half of the run, or does not tell what it costs. Empty: it is not; nor where a method of one point measured that.
  std::string partial{};
  std::vector<ColdStart> cold_start{};  ///< of its times; in no figure
};

/// A metric of a configuration by its name; null where it has none of it.
const MetricProjection* find_metric(const ConfigurationProjection&, std::string_view name);
/// Whether a metric is a total of seconds.
bool is_total_time(const MetricProjection&);

/// The run that a projection is of, where that is not the run that the points were chosen from.
struct TargetRun {
  std::string source;             ///< its file
  std::string digest;             ///< of that file
  trace::RunSummary run;          ///< what it consists of
  double extrapolated_share = 0;  ///< share of its iterations outside the measured range
  double largest_distance = 0;    ///< outside, of any iteration, as a share of the measured range
  double extrapolated_work = 0;   ///< share of its padded tokens that these iterations have; without padding: tokens
  bool selected = false;          ///< the points were chosen for it, and have weights in it
};

/// Seconds of a run beside its iterations.
struct Overheads {
  double per_epoch_s = 0;  ///< validation, checkpoints
  double seconds = 0;      ///< in every total of seconds
};

/// What the measurements of some points say of the whole run, configuration beside configuration.
struct Projection {
  std::string baseline;                                 ///< name of the configuration that speedups are over
  double confidence = 0.95;                             ///< of every interval
  std::vector<ConfigurationProjection> configurations;  ///< in the order given
  std::optional<Overheads> overheads;                   ///< included in the figures
  std::vector<std::string> notes;                       ///< what the user should be told (warnings)
  std::vector<Finding> findings;        ///< what is odd about the measurements; filled in by who reads them
  std::optional<TargetRun> target_run;  ///< nothing: the projection is of the run that the points were chosen from
  /// Kind of time that `runtime_s` of profilers' files is: "host", "gpu-busy", ...; empty: no such files.
  std::string time_source;
  std::optional<Breakdown> breakdown;  ///< nothing: not asked for
};

/// The checks of the parameters that need no measurement. Throws ParameterError for a baseline that no configuration
/// is.
void require_valid(const ProjectParams&, std::span<const std::string> configurations);

/// One configuration's measurements under its name.
struct NamedMeasurements {
  std::string name;                    ///< different from those of others
  profile::Measurements measurements;  ///< at the points of the selection, in their order
};

/// Projects every configuration and compares it with the baseline. At least one configuration. Where a point was not
/// measured, the others get the weights of the best linear unbiased prediction (docs/method.md); coverage is the weight
/// of the measured points. The time of a configuration is `runtime_s` if it was measured, else the first total whose
/// name ends in `_s`. Throws ParameterError for a baseline or metric that no configuration has, for a rate whose name
/// is that of a metric, and where a configuration has nothing to project.
Projection project(const select::Selection&, std::span<const NamedMeasurements>, const ProjectParams&);

/// As `project`, but every figure is of the run `other` of the same network: another batch order or size, data set or
/// limit on lengths. Coverage and missing points are those of the selection. Projection::target_run is `other` with its
/// extrapolation filled in. Throws as `project`, and InputError (with other.source as
/// the file) where the runs' signatures are of different kinds.
Projection project_onto(const select::Selection&, const TargetRun& other, std::span<const NamedMeasurements>,
                        const ProjectParams&);

// --- Limits that the user sets on results, and whether they hold. A limit that cannot be decided is always
// reported.

/// Whether a figure is within its limit.
enum class Verdict {
  pass,          ///< below the limit, as far as its bounds tell
  fail,          ///< beyond the limit; a regression is one, as far as its bounds tell
  inconclusive,  ///< neither
  unmeasured,    ///< the reference has the figure and the configuration does not; fails, too
  unmatched      ///< the reference has nothing of that name
};

/// The words of verdicts.
inline constexpr std::array<Word<Verdict>, 5> kVerdicts{{{"pass", Verdict::pass},
                                                         {"fail", Verdict::fail},
                                                         {"inconclusive", Verdict::inconclusive},
                                                         {"unmeasured", Verdict::unmeasured},
                                                         {"unmatched", Verdict::unmatched}}};

/// The word of a verdict.
inline std::string_view name_of(Verdict verdict) { return name_in(kVerdicts, verdict); }

/// Which limit: on the growth of a total, on the coverage of the points, on the error of a method.
enum class Gate { max_regression, require_coverage, fail_above };

/// Their words in documents. `--require-weight` sets the second: documents keep the word of 1.x.
inline constexpr std::array<Word<Gate>, 3> kGates{{{"max-regression", Gate::max_regression},
                                                   {"require-coverage", Gate::require_coverage},
                                                   {"fail-above", Gate::fail_above}}};
/// The word of a limit.
inline std::string_view name_of(Gate gate) { return name_in(kGates, gate); }

/// One limit applied to one figure. Shares, not percent: 0.05 is 5 %.
struct Check {
  Gate gate = Gate::max_regression;  ///< which limit
  std::string subject;        ///< whose figure: a configuration, or a method and the configuration it was scored on
  std::string configuration;  ///< whose figure it is
  std::string metric;         ///< empty: of the configuration as a whole
  std::string reference;      ///< what it is compared with; empty: with the limit alone
  double limit = 0;           ///< the user's
  /// The figure, a share; nothing: there is none. Of a regression: how much more the total is than the reference's;
  /// below 0 is less.
  std::optional<double> value;
  std::optional<Interval> interval;  ///< of `value`; an end without bound is infinite
  std::optional<Interval> bounds{};  ///< one-sided, each of the confidence: what the verdict goes by
  Verdict verdict = Verdict::pass;   ///< whether the figure is within the limit
  std::string note;                  ///< why it could not be decided, or not on an interval; empty where it was
  /// The smallest regression that about four checks in five would fail for: exactly so many where disturbances are
  /// normal and the interval is as wide again. A share, as `limit`. Nothing: it has no interval.
  std::optional<double> detectable{};
  /// What would decide an inconclusive check if its figure stays as it is: about so many measurements more of each
  /// configuration that was measured now. Nothing: measurements of these points would not, or no reasonable number.
  std::optional<std::uint64_t> more_measurements{};
  /// Where they would not: about so many processes more, of each, with as many measurements a process.
  std::optional<std::uint64_t> more_processes{};
};

/// Whether a check passes: fail and unmeasured never do, inconclusive and unmatched only where `inconclusive_fails`
/// is false.
bool passes(const Check&, bool inconclusive_fails);

/// All checks of a result.
struct Gates {
  std::vector<Check> checks;        ///< in the order of configurations and metrics
  bool inconclusive_fails = false;  ///< what cannot be decided does not pass
};
/// Whether every check passes().
bool all_pass(const Gates&);

/// Checks a speedup (reference / this one) against the largest growth of a total, a share: it fails where the total
/// grew by more than the limit and is certain to have grown, and passes where it is certain to have grown by less;
/// "certain" is by the one-sided bounds. Without an interval the figure decides. Sets limit, value, interval, bounds,
/// verdict and note.
Check check_speedup(double speedup, const IntervalOrReason&, double limit);

/// Checks every total of every other configuration against the baseline's. `limit`: the largest growth that passes, a
/// share.
std::vector<Check> check_regressions(const Projection&, double limit);

/// An earlier projection as a reference. Does not own it.
struct Reference {
  const Projection& projection;         ///< outlives this
  std::string name;                     ///< in messages: its file
  std::vector<std::string> statistics;  ///< the metrics to compare; empty: all
};
/// Checks every total against the one of the same configuration in an earlier projection. `limit`: the largest growth
/// that passes, a share. Both were measured on their own, so the interval of their ratio comes from those of the
/// totals; where one is missing, or they are of different confidence, the values decide, and `note` says so. Where the
/// two have no name in common nothing is compared, and all checks are unmeasured, so that they fail.
std::vector<Check> check_regressions(const Projection&, const Reference&, double limit);

/// Fills in Check::more_measurements or more_processes of the inconclusive checks of regressions, against the baseline
/// or, with `against_earlier`, against an earlier projection. `other`: the run that is projected; null: that of the
/// selection.
void add_advice(std::vector<Check>&, const Projection&, bool against_earlier, const select::Selection&,
                const trace::RunSummary* other, std::span<const NamedMeasurements>, const ProjectParams&);

/// Checks the coverage of every configuration, a share, against the least that is required.
std::vector<Check> check_coverage(const Projection&, double required);

/// Interval of above / below for two figures that were measured independently, both above zero: on the logarithm, the
/// distances from the estimates to the ends add up as the root of their squares, each side for itself (the method of
/// variance estimates recovery: Zou & Donner 2008, Statistics in Medicine 27, 1693-1702). Nothing where an end is not
/// above 0.
std::optional<Interval> ratio_interval(double above, const Interval& of_above, double below, const Interval& of_below);
/// The same of two metrics, with the ratio of their one-sided bounds; the reason where it has none.
IntervalOrReason ratio_of(const MetricProjection& above, const MetricProjection& below);

/// Half of an interval as a share of its figure, the wider side; infinite where there is none.
double relative_half_width(double value, const IntervalOrReason&);

}  // namespace seqpoint::project
