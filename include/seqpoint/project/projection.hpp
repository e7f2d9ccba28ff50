/// \file
/// Stage 6: from measured points to the whole run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/error.hpp"
#include "seqpoint/profile/measurements.hpp"
#include "seqpoint/project/breakdown.hpp"
#include "seqpoint/select/selection.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::project {

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

/// One metric of one configuration, over the whole run.
struct MetricProjection {
  std::string name;                           ///< of the metric; its unit is part of it, as in `runtime_s`
  MetricKind kind = MetricKind::total;        ///< how it adds up
  double value = 0;                           ///< for the whole run, in the metric's own unit
  std::optional<double> per_epoch{};          ///< totals only
  double coverage = 1;                        ///< weight of the points measured, over the iterations; in [0, 1]
  std::optional<Interval> interval{};         ///< of `value`
  std::string interval_note{};                ///< why there is none; empty where there is one
  NoInterval no_interval = NoInterval::none;  ///< the same, for programs
};

/// What differences between processes do to the interval of a time.
struct ProcessPart {
  std::string metric;           ///< the time
  std::uint64_t processes = 1;  ///< that measured it
  double half_width = 0,        ///< of the interval, a share of the figure
      half_width_without = 0,   ///< the same if processes did not differ
      spread = 0;               ///< standard deviation between processes, a share: what is usual, and what was learned
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
  std::string metric;                  ///< the total's name
  double value = 1;                    ///< baseline / this one: above 1 is faster
  std::optional<Interval> interval{};  ///< of `value`; the baseline's own is [1, 1]
  std::string interval_note{};         ///< why there is none; empty where there is one
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

/// What a shape costs when a process runs it for the first time, beside what it costs later.
struct FirstSeenCost {
  std::string metric;        ///< the time
  double seconds_each = 0,   ///< the median over points, or 0 where that is below
      deviation_each = 0;    ///< standard deviation of the median
  std::uint64_t points = 0;  ///< that tell it, at least 2
  double seconds = 0,        ///< in the total: once for every unique signature of the run
      half_width = 0;        ///< of the interval of these
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
  std::vector<FirstSeenCost> first_seen{};  ///< of its times; in the figures once add_overheads() was called
};

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
  double per_epoch_s = 0;        ///< validation, checkpoints
  double first_seen_s = 0;       ///< once for every unique signature: autotuning, compilation, graph capture
  std::uint64_t signatures = 0;  ///< unique ones of the run
  double seconds = 0;            ///< in every total of seconds
};

/// What the GPUs of a run cost, and what they could do.
struct GpuTerms {
  std::uint64_t gpus = 0;                 ///< that the run has, >= 1
  std::optional<double> price;            ///< of one GPU for an hour, in any currency
  std::optional<std::uint64_t> epochs;    ///< to say the costs of, too
  std::optional<double> flops_per_token,  ///< of the model, forward and backward; both or none
      peak_flops;                         ///< of one GPU in a second
  std::uint64_t run_epochs = 1;           ///< those of the run that is projected
  std::uint64_t tokens = 0;               ///< of that run, of all ranks, without padding where that is known
  bool padded = false;                    ///< whether `tokens` are with padding
};

/// What the measurements of some points say of the whole run, configuration beside configuration.
struct Projection {
  std::string baseline;                                 ///< name of the configuration that speedups are over
  double confidence = 0.95;                             ///< of every interval
  std::vector<ConfigurationProjection> configurations;  ///< in the order given
  std::optional<Overheads> overheads;                   ///< included in the figures; see add_overheads()
  std::optional<GpuTerms> gpu_terms;                    ///< what costs_of() goes by; see add_gpu_terms()
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
/// extrapolation filled in. A point that leaves the batch size open counts as measured at the most frequent one for its
/// length. Throws as `project`, and InputError (with other.source as
/// the file) where the runs' signatures are of different kinds.
Projection project_onto(const select::Selection&, const TargetRun& other, std::span<const NamedMeasurements>,
                        const ProjectParams&);

}  // namespace seqpoint::project
