/// \file
/// From measurements of the points to the whole run, to other runs, and to checks of limits.
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
#include "core/project/interval.hpp"
#include "core/project/time_parts.hpp"
#include "core/select/select.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {

// --- Stage 6: where the projected time goes, by kernel, operator or category.

/// The rows of a break-down.
enum class BreakdownBy { kernel, host_operator, category };
/// The names of the kinds of rows.
inline constexpr std::array<Word<BreakdownBy>, 3> kBreakdowns{
    {{"kernel", BreakdownBy::kernel}, {"operator", BreakdownBy::host_operator}, {"category", BreakdownBy::category}}};
/// The name of a kind of rows.
inline std::string_view name_of(BreakdownBy by) { return name_in(kBreakdowns, by); }

/// One kernel, operator or category over the whole run.
struct BreakdownRow {
  std::string name;    ///< name from the profiler or the category's rule
  double seconds = 0,  ///< seconds of the whole run
      count = 0;       ///< calls in the whole run; not a whole number, because weights are not
  double share = 0;    ///< share of the configuration's rows
  /// Seconds / seconds of the baseline; nothing if the baseline lacks the row, the row is below 1 % of the time in
  /// both, or the processes of both do not show a difference.
  std::optional<double> change;
  /// Seconds more than the baseline, and half-width of their interval: means over rounds of processes that profiled
  /// each point.
  std::optional<double> difference{}, half_width{};
  bool is_cause = false;  ///< as PartDifference::is_cause
};

/// The rows of one configuration.
struct ConfigurationBreakdown {
  std::string name;    ///< name of the configuration
  double seconds = 0;  ///< seconds of all rows
  /// These over the projected time, which nothing slowed: what the profiler costs. Nothing: of device operations, whose
  /// times hardly change, or the rows are of the time that is projected.
  std::optional<double> slowdown{};
  double measured_weight = 1;      ///< weight of the points with operations, over the iterations
  std::vector<BreakdownRow> rows;  ///< most seconds first, ties by name
};

/// Break-downs of the projected time of every configuration.
struct Breakdown {
  BreakdownBy by = BreakdownBy::category;  ///< kind of the rows
  /// True: rows are sums of device operations (gpu sum). False: of operators' self times (host).
  bool kernels = true;
  std::vector<ConfigurationBreakdown> configurations;  ///< in the order given
};

/// The profiles of one configuration, and how they were matched. Owned by the caller; outlives the call.
struct ProfiledConfiguration {
  std::string name;                                     ///< name of the configuration
  std::span<const profile::StepProfile> profiles;       ///< the profiles that have steps
  std::span<const profile::ProfileTable> tables;        ///< the tables that Measurements::source_rows counts
  std::size_t first_table = 0;                          ///< position of the table of profiles[0]
  const profile::Measurements* measurements = nullptr;  ///< never null in a call
};

/// Breaks the time of a run down: the sum over the points of weight x mean over the repeats, for every operation. The
/// weight of points without operations is redistributed as in project(). By category, kernels are added up if every
/// configuration has them, else operators. `baseline`: a configuration's name, for BreakdownRow::change. Throws
/// ParameterError, with a hint, if a configuration has no operations of the kind.
Breakdown break_down(const select::Selection&, std::span<const ProfiledConfiguration>, BreakdownBy,
                     const profile::Categories&, const std::string& baseline);

// --- In which operations two builds differ, by the processes that profiled them.

/// The break-downs of a configuration by each of its processes alone.
struct BreakdownsByProcess {
  std::string name;                                 ///< of the configuration
  std::vector<ConfigurationBreakdown> processes{};  ///< one each; without rows: it was not profiled
  select::BetweenProcesses between{};               ///< how much such processes usually differ
  bool agree = true;                                ///< whether they do
};

/// Sets BreakdownRow::difference, half_width and is_cause of all rows of configurations other than the baseline, by
/// rounds: the n-th processes of both, if both were profiled. An operation that a process did not run took 0 s there;
/// one that only the baseline has gets a row of 0 s. Operations below 1 % of the baseline's time in both are not
/// compared. `change` stays only where the difference is beyond its half-width. `confidence`: of all intervals of a
/// configuration together.
void set_differences(Breakdown&, std::span<const BreakdownsByProcess>, const std::string& baseline, double confidence);

// --- Stage 6: from measured points to the whole run.

/// How a metric adds up over a run.
enum class MetricKind {
  total,  ///< sum of weight x value
  rate,   ///< mean weighted by weight x time, over the points where both were measured; by weight if no time was
  max     ///< the largest prediction for any shape of the run, at least the largest measurement
};
/// The names of the kinds.
inline constexpr std::array<Word<MetricKind>, 3> kMetricKinds{
    {{"total", MetricKind::total}, {"rate", MetricKind::rate}, {"max", MetricKind::max}}};
/// The name of a kind.
inline std::string_view name_of(MetricKind kind) { return name_in(kMetricKinds, kind); }

/// Ratio of two projected totals: `name=numerator/denominator`.
struct RateSpec {
  std::string name,  ///< name of the ratio; no metric has this name
      numerator,     ///< the numerator metric
      denominator;   ///< the denominator metric; the ratio is left out if its total is 0
};

/// The work of a token, and the devices that do it. Both are above 0.
struct ModelWork {
  double flops_per_token = 0;  ///< operations of the model, forward and backward
  double peak_flops = 0;       ///< FLOP/s of a device; each rank has one
};

/// The settings of a projection.
struct ProjectParams {
  /// Metrics to project. Empty: every metric that has a kind, or a role other than no_cost and unknown.
  std::vector<std::string> metrics;
  /// How metrics add up. A metric that is not named uses its role; total without one.
  std::map<std::string, MetricKind> aggregate;
  std::vector<RateSpec> rates;  ///< ratios to project in addition to the metrics
  bool median = false;          ///< the median of a point's repeats instead of their mean
  std::string baseline;         ///< empty: the first configuration
  double confidence = 0.95;     ///< confidence of the intervals, in [0.5, 1)
  /// Seconds, >= 0, assumed exact, that every epoch takes outside its iterations: in every total of seconds and in
  /// throughput, and so in their speedups. Rates stay those of the iterations, and a note reports it.
  double epoch_overhead_s = 0;
  /// Prior median of the between-process variation, as a share, replacing that of select::kHostBound,
  /// select::kHostBoundOnDevice or select::kDeviceBound.
  std::optional<double> between_processes{};
  std::optional<double> cold_start_s{};  ///< cold-start cost of a shape, replacing the measured one
  bool time_parts = false;               ///< also break `runtime_s` down by phases and lengths
  /// Rounds, from 1, in which a process of each configuration measured next to each other, by the name of the process;
  /// of a repeated process only the last. With three or more, configurations are also compared within rounds.
  std::map<std::string, std::uint64_t> rounds{};
  std::optional<ModelWork> work{};  ///< for Throughput::mfu
  /// Each start of the job draws another run, of which the selection's is one: the standard deviation of the logarithm
  /// of its padded tokens, or 0 if that is not known. Nothing: every start has the same run.
  std::optional<double> other_draws{};
};

/// One metric of one configuration, over the whole run.
struct MetricProjection {
  std::string name;                     ///< name of the metric, including its unit, as in `runtime_s`
  MetricKind kind = MetricKind::total;  ///< how it adds up
  double value = 0;                     ///< for the whole run, in the metric's own unit
  std::optional<double> per_epoch{};    ///< for totals only
  double measured_weight = 1;           ///< measured weight, over the iterations; in [0, 1]
  IntervalOrReason interval{};          ///< interval of `value`
};

/// The effect of between-process variation on the interval of a time.
struct ProcessPart {
  std::string metric;                   ///< the time
  std::uint64_t processes = 1;          ///< that measured it
  double half_width = 0,                ///< half-width of the interval, a share of the figure
      half_width_without = 0,           ///< the same without between-process variation
      half_width_steady = 0,            ///< part of the latter that more processes leave: interpolation, own noise
      spread = 0;                       ///< posterior standard deviation between processes, a share
  select::BetweenProcesses usual{};     ///< its prior
  std::optional<double> device_busy{};  ///< Measurements::device_busy, by which the prior was chosen
  bool is_given = false;                ///< whether `usual` is ProjectParams::between_processes
};

/// Work that a configuration does per second of its time metric, on all ranks together.
struct Throughput {
  std::string time_metric;             ///< `runtime_s`, or another total in seconds
  double samples_per_s = 0;            ///< samples of the data set
  std::optional<double> tokens_per_s;  ///< unpadded, both sides; nothing: the run lacks them
  double padded_tokens_per_s = 0;      ///< with padding
  std::optional<double> mfu{};         ///< utilisation(); nothing: the work of a token is not known
};
/// Model FLOP utilisation (MFU): the share of the ranks' peak that the operations of the tokens are; of tokens without
/// padding where they are known.
double utilisation(const Throughput&, const ModelWork&, std::uint64_t ranks);

/// Ratio of the baseline's total to a configuration's.
struct Speedup {
  std::string metric;           ///< the total's name
  double value = 1;             ///< baseline / this one: above 1 is faster
  IntervalOrReason interval{};  ///< interval of `value`; the baseline's own is [1, 1]
  bool processes_agree = true;  ///< whether those of both do or, on a machine that drifted, their rounds
};

/// Measurements of a metric at a point.
struct PointMeasurement {
  std::string id;             ///< of the point
  std::uint64_t repeats = 0;  ///< >= 1
  double value = 0;           ///< mean of the repeats, or their median
  double least = 0,           ///< smallest repeat
      most = 0;               ///< largest repeat
};
/// Measurements of a metric, by point.
struct MeasuredMetric {
  std::string name;                      ///< name of the metric
  std::vector<PointMeasurement> points;  ///< the measured points, in the order of the selection
};

/// Cost of measuring a configuration, warm-up included, compared with the run.
struct Executed {
  std::uint64_t executions = 0,  ///< rows of the profile
      warmup = 0,                ///< rows that are left out
      first = 0;                 ///< warm-up rows that are first executions of points' shapes in a process
  /// Padded tokens of all executions; with several ranks, of the one with the most work. Nothing: some lengths are not
  /// known.
  std::optional<std::uint64_t> padded_tokens{};
  double fewer = 0;                      ///< iterations of the run over executions
  std::optional<double> fewer_tokens{};  ///< the same ratio for padded tokens
};

/// If the cold start is at most this share of a total, the total including it is not shown. Reason: intervals are
/// rarely as narrow.
inline constexpr double kMinColdStart = 0.02;

/// Total cold-start cost of the shapes of a run (kernels are chosen or compiled, memory is allocated). Once per
/// process, and not included in totals, throughput or speedups, which are of steady iterations.
struct ColdStart {
  std::string metric;        ///< the time
  double seconds_each = 0;   ///< D: of one shape, the mean over the points
  std::uint64_t points = 0,  ///< measured points; 0: the caller gave the cost of a shape
      shapes = 0;            ///< K: RunSummary::iterations_with_new_shapes()
  bool is_of_part = false;   ///< whether K is of the batches whose lengths are known: the run may have more shapes
  /// K D, in seconds.
  double about() const { return static_cast<double>(shapes) * seconds_each; }
  /// Upper estimate if all shapes are known, twice that: the extra cost in other processes was less in every trial
  /// (docs/method.md).
  double at_most() const { return 2 * about(); }
};

/// The estimate of the time from one of several processes alone.
struct ProcessEstimate {
  std::string name;  ///< of the process
  double value = 0;  ///< for the whole run
  IntervalOrReason interval{};
  bool is_disturbed = false;  ///< whether it is more probable than not that something slowed it down; false for all
                              ///< processes if they disagree
  std::optional<double> in_a_row{};  ///< the value by its stretch of consecutive batches; nothing: it ran none
};

/// If a wall-clock time is more than this many times the CPU time in it, the CPU time is printed beside it. Reason: two
/// programs that share a core take twice as long; scheduling alone costs a few percent.
inline constexpr double kFarAboveProcessorTime = 1.5;

/// The figures of one configuration: a machine, or a build.
struct ConfigurationProjection {
  std::string name;                         ///< as in NamedMeasurements
  double measured_weight = 1;               ///< the smallest of the metrics' measured weights
  std::vector<MetricProjection> metrics;    ///< in the order of the measurements, then rates
  std::optional<Throughput> throughput;     ///< nothing: no time was measured
  std::vector<Speedup> speedups;            ///< speedups of totals that both configurations have
  std::vector<std::string> missing_points;  ///< ids that lack any of the metrics
  std::vector<std::string> not_projected;   ///< measured metrics that are not a cost, or not known to be one, and were
                                            ///< not requested
  std::uint64_t rows = 0,                   ///< as Measurements::rows
      matched_rows = 0;                     ///< as Measurements::matched_rows
  std::vector<MeasuredMetric> measured{};   ///< the measurements that the figures are based on
  std::optional<ProcessPart> processes{};   ///< for the time of the configuration; nothing: it has no interval
  /// Estimates of the configuration's time by single processes; empty: one process without a stretch measured it, or
  /// none of its points were measured twice.
  std::vector<ProcessEstimate> process_estimates{};
  /// Whether these agree: no process was disturbed, or it is known which, fewer than half of them, and their stretches
  /// are not `apart`. If not, the interval contains each of them, and no limit is decided. Nothing: they were not
  /// compared.
  std::optional<bool> processes_agree{};
  /// The mean of took / predicted of stretches, if that is more than kFarthestStretch from 1, either way.
  std::optional<double> apart{};
  std::optional<double> processor_s{};  ///< CPU time in `runtime_s`, if that is more than kFarAboveProcessorTime of it
  Executed executed{};                  ///< cost of measuring
  /// Reason why the measurements are insufficient, for the first metric that has one: measured weight below half, or
  /// cost not determined. Empty if they are sufficient; a method of one point is, if that point was measured.
  std::string partial{};
  std::vector<ColdStart> cold_start{};  ///< cold-start costs of its times; not included in any figure
  /// Parts of `runtime_s`, without overheads; empty unless requested and measured.
  std::vector<Phase> phases{};
  std::vector<LengthRange> by_length{};  ///< the same by ranges of lengths
  std::vector<PartsOfProcess> parts{};   ///< both by process, if several measured
  /// The standard deviation of the run's time by ProjectParams::other_draws, as a share; it is a part of the interval.
  std::optional<double> draws{};
  select::BetweenProcesses between{};  ///< how much such processes usually differ
  std::size_t rounds = 0;              ///< in which a process of the baseline had phases, too; 0 for the baseline
  bool agrees_with_baseline = true;    ///< whether the processes of both agree: else no part is a cause
  /// Differences of the parts to the baseline; empty for the baseline.
  std::vector<PhaseDifference> phase_differences{};
  std::vector<RangeDifference> length_differences{};
};

/// Multiplies a total, and what is said of the same time: throughput, phases, lengths. Its interval is extended: it
/// contains the old one.
void scale_total(ConfigurationProjection&, const std::string& metric, double factor);
/// Sets the differences of a configuration's phases and lengths to the baseline's.
void compare_parts(ConfigurationProjection&, const ConfigurationProjection& baseline, double confidence);

/// A configuration's metric by name; null if there is none.
const MetricProjection* find_metric(const ConfigurationProjection&, std::string_view name);
/// The processes that were disturbed.
std::vector<ProcessEstimate> disturbed_processes(const ConfigurationProjection&);
/// Whether a metric is a total, and of seconds by its name (is_time_metric()).
bool is_total_time(const MetricProjection&);

/// The cold-start cost of `metric`, a position in Measurements::metrics: the extra cost of a point's first execution in
/// a process over the mean of its measurements there, or 0 if it is not slower; averaged over processes, then over
/// points. `run`: the run whose shapes occur first. Nothing if first executions are not slower than later ones, of
/// a single point included, and if stretches deny it.
std::optional<ColdStart> cold_start_of(const profile::Measurements&, std::size_t metric, const trace::RunSummary& run);

/// The cold start of a configuration in the metric of that name; null if there is none.
const ColdStart* find_cold_start(const ConfigurationProjection&, std::string_view metric);

/// Positions of points, ascending, that have first executions, but in no process together with a measurement.
std::vector<std::size_t> unjoined_points(const profile::Measurements&, std::size_t metric);

/// Whether the cold start is more than kMinColdStart of a total, so that the total including it is also shown.
bool is_worth_adding(const ColdStart&, const MetricProjection& total);

/// The projected run, if it is not the run that the points were chosen from.
struct TargetRun {
  std::string source;             ///< path of its file
  std::string digest;             ///< digest of that file
  trace::RunSummary run;          ///< totals and histogram
  double extrapolated_share = 0;  ///< share of its iterations outside the measured range
  double largest_distance = 0;    ///< largest distance of any iteration from the measured range, as a share of that
                                  ///< range
  bool selected = false;          ///< whether the points were chosen for it too, and have weights in it
};

/// Seconds of a run outside its iterations.
struct Overheads {
  double per_epoch_s = 0;  ///< validation, checkpoints
  double seconds = 0;      ///< included in every total of seconds
};

/// Projection of the whole run for every configuration, from measurements at some points.
struct Projection {
  std::string baseline;                                 ///< name of the configuration that speedups compare with
  double confidence = 0.95;                             ///< confidence of every interval
  std::vector<ConfigurationProjection> configurations;  ///< in the order given
  std::optional<Overheads> overheads;                   ///< overheads included in the figures
  std::vector<std::string> notes;                       ///< warnings for the user
  std::vector<Finding> findings;        ///< warnings about the measurements; set by the code that reads them
  std::optional<TargetRun> target_run;  ///< nothing: the projected run is the one that the points were chosen from
  /// Kind of time that `runtime_s` of profilers' files is: "host", "gpu-busy", ...; empty: no such files.
  std::string time_source;
  std::optional<Breakdown> breakdown;  ///< nothing: not requested
};

/// Sets totals to those of the comparison. Processes side by side saw the same machine, so their ratio is known better
/// than either total, which also has what changed from one round to the next: the ratio stays, and decides. Every build
/// is as good a witness of the machine's level, so that of the totals is their geometric mean, which stays, too.
void share_levels(Projection&);

/// Checks the parameters that do not depend on measurements. Throws ParameterError if the baseline is not empty and not
/// one of the names of configurations.
void require_valid(const ProjectParams&, std::span<const std::string> configurations);

/// One configuration's measurements under its name.
struct NamedMeasurements {
  std::string name;                    ///< unique
  profile::Measurements measurements;  ///< at the points of the selection, in their order
};

/// Projects every configuration and compares it with the baseline. At least one configuration. If a point was not
/// measured, the others get the weights of the best linear unbiased prediction (docs/method.md); measured weight is the
/// weight of the measured points alone. The time of a configuration is `runtime_s` if it was measured, else the first
/// total whose name ends in `_s`. Throws ParameterError for an unknown baseline or metric, for a rate with the name of
/// a metric, and if a configuration has nothing to project.
Projection project(const select::Selection&, std::span<const NamedMeasurements>, const ProjectParams&);

/// As `project`, but every figure is for the run `other` of the same network: another batch order or size, data set or
/// limit on lengths. Measured weight and missing points refer to the selection. Projection::target_run is `other` with
/// its extrapolation filled in. Throws as `project`, and InputError (with other.source as the file) if the runs' shapes
/// are of different kinds.
Projection project_onto(const select::Selection&, const TargetRun& other, std::span<const NamedMeasurements>,
                        const ProjectParams&);

// --- Limits that the user sets on results, and their checks. A limit that cannot be decided is always reported.

/// The result of a check.
enum class Verdict {
  pass,          ///< below the limit, judged by the one-sided bounds
  fail,          ///< beyond the limit; of a regression the lower one-sided bound is above 0
  inconclusive,  ///< neither is shown, processes disagree, or there is no interval
  unmeasured,    ///< the reference has the figure and the configuration lacks it; counts as a failure
  unmatched      ///< the reference has no figure of that name
};

/// The names of verdicts.
inline constexpr std::array<Word<Verdict>, 5> kVerdicts{{{"pass", Verdict::pass},
                                                         {"fail", Verdict::fail},
                                                         {"inconclusive", Verdict::inconclusive},
                                                         {"unmeasured", Verdict::unmeasured},
                                                         {"unmatched", Verdict::unmatched}}};

/// The name of a verdict.
inline std::string_view name_of(Verdict verdict) { return name_in(kVerdicts, verdict); }

/// Kind of limit: on the growth of a total, on the measured weight, on the error of a method.
enum class Gate { max_regression, require_weight, fail_above };

/// Their names in documents.
inline constexpr std::array<Word<Gate>, 3> kGates{{{"max-regression", Gate::max_regression},
                                                   {"require-weight", Gate::require_weight},
                                                   {"fail-above", Gate::fail_above}}};
/// The name of a limit.
inline std::string_view name_of(Gate gate) { return name_in(kGates, gate); }

/// What most of the variance behind an inconclusive check is caused by.
enum class WidestPart {
  processes,  ///< measurements and processes of the current configurations: more processes lower it
  points,     ///< interpolation, and the run's own iterations: more points may lower it
  reference   ///< the interval of an earlier projection, which only a new one lowers
};

/// One limit applied to one figure. Shares, not percent: 0.05 is 5 %.
struct Check {
  Gate gate = Gate::max_regression;  ///< kind of limit
  std::string subject;               ///< a configuration, or a method and the configuration it was scored on
  std::string configuration;         ///< configuration that is checked
  std::string metric;                ///< empty: the configuration as a whole
  std::string reference;             ///< name of the reference; empty: there is only the limit
  double limit = 0;                  ///< set by the user
  /// The figure, a share; nothing: there is none. For a regression: how much more the total is than the reference's;
  /// below 0 is less.
  std::optional<double> value;
  std::optional<Interval> interval;  ///< interval of `value`; an infinite end is unbounded
  std::optional<Interval> bounds{};  ///< one-sided, each with `confidence`; they decide the verdict
  double confidence = 0.95;          ///< of each bound
  Verdict verdict = Verdict::pass;   ///< result of the check
  std::string note;                  ///< why it could not be decided; else empty
  /// The smallest regression that fails in about four checks of five: exactly, if noise is normal and the interval as
  /// wide again. A share, as `limit`. Nothing: it has no interval.
  std::optional<double> detectable{};
  /// Additional processes of each current configuration, with as many measurements per process, that would decide an
  /// inconclusive check with this figure. Nothing: these points would not decide it, or too many are required.
  std::optional<std::uint64_t> more_processes{};
  std::optional<WidestPart> widest{};  ///< nothing: not inconclusive, or without an interval
  std::string where{};                 ///< for people: the phases that make the difference; empty: not known
  std::string doubt{};                 ///< for people: why the verdict may not hold; empty: it is as its bounds say
};

/// Whether a check passes: fail and unmeasured never do, inconclusive and unmatched only if `inconclusive_fails` is
/// false.
bool passes(const Check&, bool inconclusive_fails);

/// All checks of a result.
struct Gates {
  std::vector<Check> checks;        ///< in the order of configurations and metrics
  bool inconclusive_fails = false;  ///< an undecided check does not pass
};
/// Whether every check passes().
bool all_pass(const Gates&);

/// Checks a speedup (reference / this one) against the largest growth of a total, a share: fails if the total grew by
/// more than the limit and the lower one-sided bound is above 0, passes if the upper one is at most the limit; without
/// an interval it is inconclusive. Unmeasured if the speedup is not above 0. Sets limit, value, interval, bounds,
/// verdict and note.
Check check_speedup(double speedup, const IntervalOrReason&, double limit);

/// Checks every total of every other configuration against the baseline's. `limit`: the largest growth that passes, a
/// share. A total that only the baseline has is unmeasured, one that the baseline lacks is unmatched.
std::vector<Check> check_regressions(const Projection&, double limit);

/// An earlier projection as a reference. Does not own it.
struct Reference {
  const Projection& projection;      ///< outlives this
  std::string name;                  ///< name in messages: its file
  std::vector<std::string> metrics;  ///< the metrics to compare; empty: all
};
/// Checks every total against the one of the same configuration in an earlier projection. `limit`: the largest growth
/// that passes, a share. The two were measured independently, so the interval of their ratio is computed from their
/// intervals. If one is missing, or their confidences differ, a check is inconclusive, and `note` explains it. A
/// configuration that only one of the two has, or a total that
/// the reference lacks, is unmatched; a total that only the reference has is unmeasured. If no check has a value, all
/// are unmeasured, so they fail.
std::vector<Check> check_regressions(const Projection&, const Reference&, double limit);

/// Sets Check::more_processes and Check::widest of the inconclusive checks of regressions, against the baseline or,
/// with `against_earlier`, against an earlier projection. `other`: the projected run; null: the selection's own.
void add_advice(std::vector<Check>&, const Projection&, bool against_earlier, const select::Selection&,
                const trace::RunSummary* other, std::span<const NamedMeasurements>, const ProjectParams&);

/// Checks the measured weight of every configuration, a share: fails below `required`, else passes.
std::vector<Check> check_measured_weight(const Projection&, double required);

/// Interval of above / below for two figures that were measured independently, both above zero: on the logarithm, the
/// distances from the estimates to the ends add up as the root of their squares, separately for each side (the method
/// of variance estimates recovery: Zou & Donner 2008, Statistics in Medicine 27, 1693-1702). Nothing if a lower end is
/// not above 0.
std::optional<Interval> ratio_interval(double above, const Interval& of_above, double below, const Interval& of_below);
/// The same for the values of two metrics, also for their one-sided bounds; the reason if there is no interval.
IntervalOrReason ratio_of(const MetricProjection& above, const MetricProjection& below);

/// Half-width of an interval on its wider side, over the absolute value of the figure; infinite if there is no
/// interval.
double relative_half_width(double value, const IntervalOrReason&);

}  // namespace seqpoint::project
