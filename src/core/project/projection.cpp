#include "core/project/projection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/enum_names.hpp"
#include "core/numbers.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/run_estimator.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

/// Minimum measured weight of a result, a share of the run. Reason: below half, most of the run is unmeasured.
constexpr double kMinMeasuredWeight = 0.5;

/// The round of each process by its name; empty if there are no rounds.
std::vector<std::uint64_t> rounds_of(const std::vector<std::string>& processes,
                                     const std::map<std::string, std::uint64_t>& rounds) {
  std::vector<std::uint64_t> found;
  if (rounds.empty()) return found;
  for (const std::string& name : processes) {
    const auto round = rounds.find(name);
    found.push_back(round == rounds.end() ? 0 : round->second);
  }
  return found;
}

/// The same points with the largest of each point's measurements: the maximum is needed once, so its mean is
/// irrelevant.
MeasuredPoints with_largest(MeasuredPoints points) {
  for (std::size_t p = 0; p < points.readings.size(); ++p)
    for (const profile::Reading& reading : points.readings[p])
      points.values[p] = std::max(points.values[p], reading.value);
  return points;
}

/// Projects everything of one configuration except its speedups. Its arguments have to outlive it.
class ConfigurationProjector {
 public:
  using NamedMetric = std::pair<std::string, MeasuredPoints>;

  /// Adds messages for the user to `notes`, also later in run().
  ConfigurationProjector(const select::Selection& selection, const NamedMeasurements& named,
                         const ProjectParams& params, FitCache& fits, std::vector<std::string>& notes)
      : selection_(selection), named_(named), params_(params), fits_(fits), notes_(notes) {
    const profile::Measurements& measured = named.measurements;
    for (std::size_t m = 0; m < measured.metrics.size(); ++m) {
      if (auto points = measured_points(measured, m, params.median, params.between_processes)) {
        points->rounds = rounds_of(measured.process_names, params.rounds);
        metrics_.emplace_back(measured.metrics[m], fits_.compared(*points));
      } else if (wanted(measured.metrics[m])) {
        notes_.push_back(named_.name + ": '" + measured.metrics[m] + "' was measured at no point and is left out");
      }
    }
  }

  /// All figures but the speedups. Call once. Throws ParameterError for a rate whose metrics are missing or not totals.
  ConfigurationProjection run() {
    out_.name = named_.name;
    out_.rows = named_.measurements.rows;
    out_.matched_rows = named_.measurements.matched_rows;
    for (const auto& [name, points] : metrics_)
      if (wanted(name))
        add_metric(name, points);
      else if (params_.metrics.empty() && !is_phase(name, named_.measurements.metrics))
        out_.not_projected.push_back(name);
    for (const RateSpec& rate : params_.rates) add_rate(rate);
    add_throughput();
    list_missing();
    list_measured();
    add_processes();
    add_process_estimates();
    add_processor_time();
    add_time_parts();
    add_executed();
    add_cold_start();
    set_partial();
    return std::move(out_);
  }

  /// The metric's measurements; null if this configuration lacks the metric.
  const MeasuredPoints* find(const std::string& name) const {
    const auto found = std::ranges::find(metrics_, name, &NamedMetric::first);
    return found == metrics_.end() ? nullptr : &found->second;
  }

  /// Seconds outside the iterations, of all epochs, included in the total of a metric; 0 unless it is a total of
  /// seconds.
  double overhead_of(const std::string& name) const {
    if (!trace::is_time_metric(name) || kind_of(name) != MetricKind::total) return 0;
    return params_.epoch_overhead_s * static_cast<double>(fits_.estimator().run().epochs);
  }

  const std::vector<NamedMetric>& metrics() const { return metrics_; }

 private:
  /// Whether a metric is projected: it is one of ProjectParams::metrics; if these are empty, it has a given kind, or
  /// a role other than no_cost and unknown.
  bool wanted(const std::string& name) const {
    const auto& only = params_.metrics;
    if (!only.empty()) return std::ranges::find(only, name) != only.end();
    const profile::MetricRole role = role_of(name);
    if (is_phase(name, named_.measurements.metrics) && !params_.aggregate.contains(name)) return false;
    return params_.aggregate.contains(name) ||
           (role != profile::MetricRole::no_cost && role != profile::MetricRole::unknown);
  }

  /// The role of a metric; cost if the measurements give none.
  profile::MetricRole role_of(const std::string& name) const {
    const profile::Measurements& measured = named_.measurements;
    for (std::size_t m = 0; m < measured.roles.size(); ++m)
      if (measured.metrics[m] == name) return measured.roles[m];
    return profile::MetricRole::cost;
  }

  /// The total over the projected run, without overheads.
  double total(const MeasuredPoints& points) { return fits_.estimator().total(fits_.fit(points.counts), points); }
  /// The metric of throughput: runtime_s if it was measured, else the first total in seconds; null if there is none.
  const NamedMetric* time_metric() const {
    const NamedMetric* first = nullptr;
    for (const NamedMetric& metric : metrics_) {
      if (!trace::is_time_metric(metric.first) || kind_of(metric.first) != MetricKind::total) continue;
      if (metric.first == "runtime_s") return &metric;
      if (first == nullptr) first = &metric;
    }
    return first;
  }

  /// ProjectParams::aggregate of the metric, else by its role: rate or max if the role is, else total.
  MetricKind kind_of(const std::string& name) const {
    const auto given = params_.aggregate.find(name);
    if (given != params_.aggregate.end()) return given->second;
    const profile::MetricRole role = role_of(name);
    return role == profile::MetricRole::rate      ? MetricKind::rate
           : role == profile::MetricRole::maximum ? MetricKind::max
                                                  : MetricKind::total;
  }

  /// Adds a projected metric. A maximum is left out, with a note, if the points have one batch size and the run others.
  void add_metric(const std::string& name, const MeasuredPoints& points) {
    const MetricKind kind = kind_of(name);
    if (kind == MetricKind::max && fits_.estimator().only_batch_size()) {
      notes_.push_back(named_.name + ": " + name + " is left out: " + kOneBatchSize +
                       ", and the most of a larger or smaller batch is not in proportion to its size");
      return;
    }
    if (kind == MetricKind::rate) return add(time_weighted(name, points));
    MetricProjection projected{.name = name, .kind = kind, .measured_weight = measured_weight_of(points)};
    const Estimate estimate = kind == MetricKind::max
                                  ? fits_.estimator().largest_value(fits_.fit(points.counts), with_largest(points))
                                  : fits_.estimate(points).plus(overhead_of(name));
    projected.value = estimate.figure();
    projected.interval = interval_of(estimate, params_.confidence);
    if (kind == MetricKind::total)
      projected.per_epoch = projected.value / static_cast<double>(fits_.estimator().run().epochs);
    add(std::move(projected));
  }

  /// The mean of a rate over the run's time: points are weighted by weight x time, if they have both. If no point has
  /// both, the mean over iterations, without an interval and with a note.
  MetricProjection time_weighted(const std::string& name, const MeasuredPoints& points) {
    MetricProjection projected{.name = name, .kind = MetricKind::rate};
    if (const NamedMetric* const time = time_metric()) {
      const MeasuredPoints rate = measured_in_both(points, time->second),
                           seconds = measured_in_both(time->second, points);
      MeasuredPoints amount = rate;
      for (std::size_t p = 0; p < rate.values.size(); ++p) amount.values[p] *= seconds.values[p];
      const double value = rate.values.empty() ? std::nan("") : total(amount) / total(seconds);
      if (std::isfinite(value)) {
        projected.value = value;
        projected.measured_weight = measured_weight_of(rate);
        projected.interval = interval_of(fits_.ratio(amount, seconds), params_.confidence);
        return projected;
      }
    }
    notes_.push_back(named_.name + ": no time was measured along '" + name +
                     "': its mean is over iterations, not over time; add a column of times");
    projected.value = total(points) / static_cast<double>(fits_.estimator().run().iterations);
    projected.measured_weight = measured_weight_of(points);
    projected.interval = std::string("no time was measured along it");
    return projected;
  }

  /// Adds a ratio of two totals over the points that have both. Left out, with a note, if no point has both or the
  /// denominator's total is 0. Throws ParameterError if one of the metrics is missing or not a total.
  void add_rate(const RateSpec& rate) {
    const MeasuredPoints *const numerators = find(rate.numerator), *const denominators = find(rate.denominator);
    if (numerators == nullptr || denominators == nullptr)
      throw ParameterError("rate", rate.name + ": " + named_.name + " has no metric '" +
                                       (numerators == nullptr ? rate.numerator : rate.denominator) + "'");
    for (const std::string& name : {rate.numerator, rate.denominator})
      if (kind_of(name) != MetricKind::total)
        throw ParameterError("rate",
                             fmt::format("{}: '{}' is no total, but {}", rate.name, name,
                                         kind_of(name) == MetricKind::max ? "a maximum" : "a mean over time"),
                             "`aggregate` " + name + "=total says that it adds up");
    const MeasuredPoints above = measured_in_both(*numerators, *denominators),
                         below = measured_in_both(*denominators, *numerators);
    if (above.values.empty()) {
      notes_.push_back(named_.name + ": `rate` " + rate.name + ": no point has both; left out");
      return;
    }
    const double denominator = total(below);
    if (denominator == 0) {
      notes_.push_back(named_.name + ": `rate` " + rate.name + ": the total of '" + rate.denominator +
                       "' is zero; left out");
      return;
    }
    MetricProjection projected{.name = rate.name, .kind = MetricKind::rate, .value = total(above) / denominator};
    projected.measured_weight = measured_weight_of(above);
    projected.interval = interval_of(fits_.ratio(above, below), params_.confidence);
    add(std::move(projected));
  }

  /// Adds a result and lowers the configuration's measured weight to that of the result.
  void add(MetricProjection projected) {
    out_.measured_weight = std::min(out_.measured_weight, projected.measured_weight);
    out_.metrics.push_back(std::move(projected));
  }

  /// Sets the throughput, with overheads; not without a time above 0.
  void add_throughput() {
    const NamedMetric* const time = time_metric();
    if (time == nullptr) return;
    const double seconds = total(time->second) + overhead_of(time->first);
    if (!(seconds > 0)) return;
    const trace::RunSummary& run = fits_.estimator().run();
    Throughput throughput{.time_metric = time->first,
                          .samples_per_s = static_cast<double>(run.samples) / seconds,
                          .tokens_per_s = {},
                          .padded_tokens_per_s = static_cast<double>(run.padded_tokens) / seconds};
    if (run.tokens) throughput.tokens_per_s = static_cast<double>(*run.tokens) / seconds;
    if (params_.work) throughput.mfu = utilisation(throughput, *params_.work, run.ranks);
    out_.throughput = throughput;
  }

  /// Sets the effect of between-process variation on the interval of the time; not if the time has no interval.
  void add_processes() {
    const NamedMetric* const time = time_metric();
    if (time == nullptr || !wanted(time->first)) return;
    const Estimate estimate = fits_.estimate(time->second).plus(overhead_of(time->first));
    if (!estimate.scales) return;
    Estimate without = estimate;
    without.parts.processes = without.parts.own_process = 0;
    const auto share = [&](const Estimate& of) { return half_width_of(of, params_.confidence) / std::abs(of.value); };
    const VarianceParts parts = variance_of(without);
    const double steady = parts.total() > 0 ? 1 - parts.measured / parts.total() : 0;  // of the variance
    out_.processes = ProcessPart{.metric = time->first,
                                 .processes = processes_of(time->second),
                                 .half_width = share(estimate),
                                 .half_width_without = share(without),
                                 .half_width_steady = share(without) * std::sqrt(steady),
                                 .spread = estimate.scales->scales().level.value_or(0),
                                 .usual = time->second.between,
                                 .device_busy = named_.measurements.device_busy,
                                 .is_given = params_.between_processes.has_value()};
  }

  /// Sets the estimates of single processes of the time, if several measured points or one has a stretch, and notes
  /// disturbed ones.
  void add_process_estimates() {
    const NamedMetric* const time = time_metric();
    if (time == nullptr || !wanted(time->first)) return;
    const MeasuredPoints& all = time->second;
    if (all.apart) out_.apart = std::exp(all.apart->low + all.apart->high + (all.disagreement ? 0 : 2 * all.level));
    std::map<std::size_t, double> disturbed = all.disturbed;  // by process, the probability
    if (disturbed.empty() && !all.stretches.empty()) disturbed[all.stretches.front().process] = 0;
    if (disturbed.empty()) return;
    for (const auto& [process, probability] : disturbed) {
      const Estimate estimate =
          fits_.estimator().is_whole(all)
              ? estimate_without(all.run_totals[process], std::string("a whole epoch in one process"))
              : fits_.estimate(measured_by(all, process, params_.median));
      const Estimate with_overhead = estimate.plus(overhead_of(time->first));
      out_.process_estimates.push_back({.name = named_.measurements.process_names[process],
                                        .value = with_overhead.figure(),
                                        .interval = interval_of(with_overhead, params_.confidence),
                                        .is_disturbed = !all.disagreement && probability > 0.5});
      const auto own = std::ranges::find(all.stretches, process, &profile::StretchEvidence::process);
      if (own != all.stretches.end())
        out_.process_estimates.back().in_a_row = estimate.value * std::exp(own->log_ratio) + overhead_of(time->first);
    }
    out_.processes_agree = !all.apart && std::ranges::none_of(metrics_, [&](const NamedMetric& metric) {
      return wanted(metric.first) && metric.second.disagreement;
    });
    note_disturbed(time->first);
    note_odd(all);
  }

  /// Notes processes far from the others that are not known to be disturbed.
  void note_odd(const MeasuredPoints& all) {
    for (const ProcessEstimate& process : out_.process_estimates) {
      const auto number = std::ranges::find(named_.measurements.process_names, process.name) -
                          named_.measurements.process_names.begin();
      const auto odd = all.odd.find(static_cast<std::size_t>(number));
      if (odd == all.odd.end() || process.is_disturbed) continue;
      notes_.push_back(fmt::format("{}: {} took {:.2g} times as long as the other processes", named_.name, process.name,
                                   odd->second));
    }
  }

  void note_disturbed(const std::string& metric) {
    std::vector<std::string> names;
    for (const ProcessEstimate& process : out_.process_estimates)
      if (process.is_disturbed)
        names.push_back(fmt::format("{} ({:.2g}x)", process.name, process.value / find_metric(out_, metric)->value));
    if (names.empty()) return;
    notes_.push_back(fmt::format(
        "{}: {}: {} of {} processes {} disturbed: {}; the interval is that of an undisturbed process, under the same "
        "load it takes longer",
        named_.name, metric, names.size(), out_.process_estimates.size(), names.size() == 1 ? "was" : "were",
        fmt::join(names, ", ")));
  }

  /// Sets the CPU time in `runtime_s`, if it is much less.
  void add_processor_time() {
    const MeasuredPoints *const wall = find("runtime_s"), *const processor = find("cpu_s");
    const bool on_device = named_.measurements.device_busy.value_or(0) > 0;
    if (wall == nullptr || processor == nullptr || on_device) return;
    const double seconds = total(*processor);
    if (seconds > 0 && total(*wall) > kFarAboveProcessorTime * seconds) out_.processor_s = seconds;
  }

  /// Breaks `runtime_s` down by phases and lengths, if that is requested, also of each process.
  void add_time_parts() {
    const MetricProjection* const time = find_metric(out_, "runtime_s");
    const MeasuredPoints* const points = find("runtime_s");
    if (!params_.time_parts || time == nullptr || points == nullptr) return;
    std::vector<Phase> phases;
    for (const auto& [column, name] : kPhases)
      if (const MeasuredPoints* const phase = find(std::string(column)))
        phases.push_back({.column = std::string(column), .seconds = fits_.estimate(*phase).figure()});
    out_.phases = scaled_phases(std::move(phases), time->value - overhead_of(time->name));
    out_.by_length = ranges_by_length(selection_, *points);
    out_.between = points->between;
    out_.draws = fits_.estimator().spread_of_draws(fits_.fit(points->counts), *points);
    for (const auto& [process, probability] : points->disturbed) out_.parts.push_back(parts_of(process));
  }

  PartsOfProcess parts_of(std::size_t process) {
    const MeasuredPoints& time = *find("runtime_s");
    PartsOfProcess parts;
    parts.round = process < time.rounds.size() ? time.rounds[process] : process + 1;
    for (const Phase& phase : out_.phases) {
      const MeasuredPoints own = measured_by(*find(phase.column), process, params_.median);
      if (!own.values.empty()) parts.phases.push_back(total(own));
    }
    if (parts.phases.size() < out_.phases.size()) parts.phases.clear();
    parts.ranges = seconds_by_length(selection_, measured_by(time, process, params_.median), out_.by_length);
    return parts;
  }

  /// Sets the cost of measuring, compared with the run.
  void add_executed() {
    const profile::Measurements& measured = named_.measurements;
    const trace::RunSummary& run = fits_.estimator().run();
    Executed& executed = out_.executed;
    executed = {.executions = measured.executions,
                .warmup = measured.warmup_executions,
                .first = measured.first_rows,
                .padded_tokens = measured.padded_tokens};
    if (executed.executions > 0)
      executed.fewer = static_cast<double>(run.iterations) / static_cast<double>(executed.executions);
    if (executed.padded_tokens.value_or(0) > 0)
      executed.fewer_tokens =
          static_cast<double>(run.padded_tokens_of_rank()) / static_cast<double>(*executed.padded_tokens);
  }

  /// Adds the cold start of every total in seconds: the given cost per shape, else the measured one. Notes points whose
  /// first executions cannot be used.
  void add_cold_start() {
    const profile::Measurements& measured = named_.measurements;
    const trace::RunSummary& run = fits_.estimator().run();
    for (std::size_t m = 0; m < measured.metrics.size(); ++m) {
      const std::string& name = measured.metrics[m];
      if (!trace::is_time_metric(name) || kind_of(name) != MetricKind::total) continue;
      std::vector<std::string> ids;
      for (const std::size_t p : unjoined_points(measured, m)) ids.push_back(selection_.points[p].id);
      if (!ids.empty())
        notes_.push_back(
            fmt::format("{}: {}: the first executions of {} have no measurement in their process beside them, "
                        "and do not count",
                        named_.name, name, fmt::join(ids, ", ")));
      if (params_.cold_start_s)
        out_.cold_start.push_back({.metric = name,
                                   .seconds_each = *params_.cold_start_s,
                                   .shapes = run.iterations_with_new_shapes(),
                                   .is_of_part = run.loaded > 0});
      else if (auto cost = cold_start_of(measured, m, run))
        out_.cold_start.push_back(std::move(*cost));
    }
    if (!out_.cold_start.empty() && run.ranks > 1 && !run.rank_shapes)
      notes_.push_back(
          fmt::format("{}: the cold start counts the shapes of the slowest of {} ranks; each has its own, so "
                      "it may be more: select from the manifest, not from its trace",
                      named_.name, run.ranks));
  }

  /// Weight of the measured points, a share of the selection's run.
  double measured_weight_of(const MeasuredPoints& points) const {
    if (fits_.estimator().is_whole(points)) return 1;
    return select::measured_weight(selection_, points.counts.points);
  }

  /// Whether this result has too few measurements: a measured weight below kMinMeasuredWeight, an interval that reaches
  /// zero although every measurement is above it, or no interval because the cost is not determined. Never for a rate,
  /// or if the interval is missing because a method has one point by design or there are too many points to fit.
  bool is_partial(const MetricProjection& metric) const {
    if (metric.kind == MetricKind::rate) return false;
    if (metric.measured_weight < kMinMeasuredWeight) return true;
    if (metric.kind == MetricKind::total && metric.interval) {
      const double low = metric.interval->low - overhead_of(metric.name);
      if (low <= 0 && std::ranges::min(find(metric.name)->values) > 0) return true;
    }
    switch (metric.interval.why) {
      case NoInterval::one_point: return selection_.points.size() > 1;
      case NoInterval::undetermined:
      case NoInterval::one_batch_size: return true;
      case NoInterval::none:
      case NoInterval::many_points:
      case NoInterval::no_ratio: break;
    }
    return false;
  }

  /// Sets ConfigurationProjection::partial to the reason of the first metric that is_partial().
  void set_partial() {
    const auto partial = std::ranges::find_if(out_.metrics, [&](const auto& metric) { return is_partial(metric); });
    if (partial == out_.metrics.end()) return;
    if (partial->measured_weight < kMinMeasuredWeight)
      out_.partial = fmt::format("{}: what was measured stands for {:.3g} % of the run", partial->name,
                                 100 * partial->measured_weight);
    else if (partial->interval)
      out_.partial = partial->name +
                     ": the interval reaches zero: the measured points do not tell what the run costs; `explain` names "
                     "measurements that do not fit";
    else
      out_.partial = partial->name + ": no interval: " + partial->interval.reason;
    if (out_.missing_points.empty()) return;
    out_.partial += out_.rows > out_.matched_rows
                        ? "; some rows are at no point, as of another sampler, seed or batch size"
                        : "; points are missing";
  }

  /// Lists the points that lack a measurement of at least one wanted metric.
  void list_missing() {
    for (std::size_t p = 0; p < selection_.points.size(); ++p) {
      const bool missing = std::any_of(metrics_.begin(), metrics_.end(), [&](const NamedMetric& metric) {
        const auto& points = metric.second.counts.points;
        const bool is_measured =
            fits_.estimator().is_whole(metric.second) || std::binary_search(points.begin(), points.end(), p);
        return wanted(metric.first) && !is_measured;
      });
      if (missing) out_.missing_points.push_back(selection_.points[p].id);
    }
  }

  /// Lists the measurements of every wanted metric by point.
  void list_measured() {
    for (std::size_t m = 0; m < named_.measurements.metrics.size(); ++m) {
      const std::string& name = named_.measurements.metrics[m];
      const MeasuredPoints* const points = find(name);
      if (!wanted(name) || points == nullptr) continue;
      MeasuredMetric& measured = out_.measured.emplace_back(MeasuredMetric{name, {}});
      for (std::size_t i = 0; i < points->values.size(); ++i) {
        const std::size_t p = points->counts.points[i];
        const std::vector<profile::Reading>& repeats = named_.measurements.readings[m][p];
        const auto [least, most] = std::ranges::minmax(repeats, {}, &profile::Reading::value);
        measured.points.push_back({.id = selection_.points[p].id,
                                   .repeats = repeats.size(),
                                   .value = points->values[i],
                                   .least = least.value,
                                   .most = most.value});
      }
    }
  }

  const select::Selection& selection_;
  const NamedMeasurements& named_;
  const ProjectParams& params_;
  FitCache& fits_;
  std::vector<std::string>& notes_;
  std::vector<NamedMetric> metrics_;  ///< metrics that were measured at some point
  ConfigurationProjection out_;
};

/// Projects and compares all configurations together.
class Projector {
 public:
  Projector(const select::Selection& selection, const TargetRun* other,
            std::span<const NamedMeasurements> configurations, const ProjectParams& params)
      : params_(params), estimator_(selection, other != nullptr ? &other->run : nullptr), fits_(estimator_) {
    estimator_.set_other_draws(params.other_draws);
    out_.confidence = params.confidence;
    out_.baseline = params.baseline.empty() ? configurations.front().name : params.baseline;
    projectors_.reserve(configurations.size());
    if (params.between_processes && !(*params.between_processes > 0))
      throw ParameterError("between_processes", "must be above 0: processes always differ a little");
    for (const NamedMeasurements& c : configurations) {
      projectors_.emplace_back(selection, c, params, fits_, out_.notes);
      out_.configurations.push_back(projectors_.back().run());
      note_many_processes(c);
    }
    require_a_metric(configurations, params.metrics);
    add_overheads();
    if (other == nullptr) return;
    add_extrapolation(*other);
    note_other_batch_sizes(*other);
  }

  Projection run() {
    for (std::size_t c = 0; c < projectors_.size(); ++c)
      for (const MetricProjection& metric : out_.configurations[c].metrics)
        if (metric.kind == MetricKind::total) add_speedup(c, metric);
    if (has_own_ratios_ || !params_.rounds.empty()) share_levels(out_);
    for (std::size_t c = 0; c < projectors_.size(); ++c)
      if (c != baseline_index())
        compare_parts(out_.configurations[c], out_.configurations[baseline_index()], params_.confidence);
    return std::move(out_);
  }

 private:
  /// Throws ParameterError, with the likely reason, if a configuration has no projected metric.
  void require_a_metric(std::span<const NamedMeasurements> configurations,
                        const std::vector<std::string>& metrics) const {
    for (std::size_t c = 0; c < configurations.size(); ++c) {
      if (!out_.configurations[c].metrics.empty()) continue;
      const std::string whose = configurations.size() > 1 ? configurations[c].name + ": " : "";
      std::string names;
      for (const std::string& name : configurations[c].measurements.metrics)
        names += (names.empty() ? "" : ", ") + name;
      if (names.empty())
        throw ParameterError(
            "configurations",
            ": " + whose + "nothing was measured: the profiles have neither a time above 0 nor a counter",
            "give measurements of the points: times, or counters");
      if (!metrics.empty())
        throw ParameterError(
            "metric", fmt::format(": {}no column is called {}: it has {}", whose, fmt::join(metrics, " or "), names),
            "a column that the profiles of every build have");
      if (estimator_.only_batch_size() && out_.configurations[c].not_projected.empty())
        throw ParameterError("onto", fmt::format(": {}nothing is left to project: {}", whose, kOneBatchSize),
                             "measure points that are selected from that run");
      throw ParameterError("metric", ": " + whose + "no column of the profiles is known as a cost: " + names,
                           "a time is called runtime_s; `metric` NAME projects a column whatever it is called");
    }
  }

  /// Notes that all processes count as one if there are more than kMaxProcesses.
  void note_many_processes(const NamedMeasurements& c) {
    if (const std::size_t processes = c.measurements.process_names.size(); processes > kMaxProcesses)
      out_.notes.push_back(fmt::format(
          "{}: {} processes count as one, as more than {} do; name the process in the column 'session', not "
          "the row",
          c.name, processes, kMaxProcesses));
  }

  std::size_t baseline_index() const {
    const auto found = std::find_if(out_.configurations.begin(), out_.configurations.end(),
                                    [&](const auto& c) { return c.name == out_.baseline; });
    return static_cast<std::size_t>(found - out_.configurations.begin());
  }

  /// Adds the speedup of configuration `c` in a total that the baseline also has; none if either total is 0.
  void add_speedup(std::size_t c, const MetricProjection& metric) {
    for (const MetricProjection& reference : out_.configurations[baseline_index()].metrics) {
      if (reference.name != metric.name || reference.kind != metric.kind || metric.value == 0 || reference.value == 0)
        continue;
      Speedup speedup{.metric = metric.name, .value = reference.value / metric.value};
      if (c == baseline_index()) {
        speedup.interval = Interval{1, 1};
      } else {
        const auto [base, other] =
            std::pair(projectors_[baseline_index()].find(metric.name), projectors_[c].find(metric.name));
        const Estimate ratio = estimator_.beside_disagreement(ratio_of(*base, *other), *base, *other)
                                   .with_exact_share(projectors_[c].overhead_of(metric.name) / metric.value);
        const bool is_of_totals =
            base->counts.points == other->counts.points && ratio.scales && !ratio.scales->has_own_ratio();
        has_own_ratios_ = has_own_ratios_ || (ratio.scales && ratio.scales->has_own_ratio());
        if (ratio.scales && !is_of_totals) speedup.value = ratio.stated.value_or(ratio.value);
        speedup.interval = interval_of(ratio, params_.confidence);
        speedup.processes_agree = ratio.processes_agree;
      }
      out_.configurations[c].speedups.push_back(std::move(speedup));
    }
  }

  /// The ratio base / other of two totals. If they were measured at different points, only the points that both have
  /// are used, unless one of the totals is of every iteration, which is used whole. If the common points determine no
  /// interval: the value 0 without an interval.
  Estimate ratio_of(const MeasuredPoints& base, const MeasuredPoints& other) {
    const bool whole = estimator_.is_whole(base) || estimator_.is_whole(other);
    if (!whole && base.counts.points != other.counts.points)
      if (auto common = fits_.ratio_at_common_points(base, other)) return *common;
    return fits_.ratio(base, other);
  }

  /// Sets Projection::overheads if there are any, and notes that rates exclude them. Throws ParameterError if no
  /// configuration has a total of seconds.
  void add_overheads() {
    if (params_.epoch_overhead_s == 0) return;
    const auto any = [&](const auto& holds) { return std::ranges::any_of(out_.configurations, holds); };
    const auto has_rate = [](const ConfigurationProjection& c) {
      return std::ranges::find(c.metrics, MetricKind::rate, &MetricProjection::kind) != c.metrics.end();
    };
    if (!any([](const auto& c) { return c.throughput || std::ranges::any_of(c.metrics, is_total_time); }))
      throw ParameterError("epoch_overhead", ": no build has a total of seconds to add it to",
                           "measure a column whose name ends in _s, such as runtime_s");
    out_.overheads = Overheads{.per_epoch_s = params_.epoch_overhead_s,
                               .seconds = params_.epoch_overhead_s * static_cast<double>(estimator_.run().epochs)};
    if (any(has_rate))
      out_.notes.emplace_back(
          "rates are of the iterations alone: overheads are in totals of seconds and in throughput");
  }

  /// Sets Projection::target_run to the other run, with its share of iterations outside the measured range and its
  /// largest distance from that range: each the maximum over all configurations and metrics.
  void add_extrapolation(const TargetRun& other) {
    out_.target_run = other;
    out_.target_run->selected = estimator_.is_selected_run();
    for (const ConfigurationProjector& projector : projectors_)
      for (const auto& [name, points] : projector.metrics()) {
        double outside = 0;
        for (const trace::ShapeCount& entry : other.run.histogram) {
          const double beyond = estimator_.distance_outside(entry.shape, points.counts);
          if (beyond > 0) outside += static_cast<double>(entry.count) / static_cast<double>(other.run.iterations);
          out_.target_run->largest_distance = std::max(out_.target_run->largest_distance, beyond);
        }
        out_.target_run->extrapolated_share = std::max(out_.target_run->extrapolated_share, outside);
      }
  }

  /// Notes that costs are assumed proportional to batch size, if the points have one batch size and the run others.
  void note_other_batch_sizes(const TargetRun& other) {
    if (const auto size = estimator_.only_batch_size())
      out_.notes.push_back(
          fmt::format("the points all have batches of {}, and {} has others: a batch is taken to cost in proportion to "
                      "its size, which nothing measured here shows, so there is no interval; measure points that are "
                      "selected from that run",
                      *size, other.source));
  }

  const ProjectParams& params_;
  RunEstimator estimator_;
  FitCache fits_;
  Projection out_;
  bool has_own_ratios_ = false;  ///< whether a speedup is not that of the two totals
  std::vector<ConfigurationProjector> projectors_;
};

/// Throws ParameterError about `parameter` unless `metric` is one of the known metrics.
void require_known(const std::set<std::string>& known, const std::string& metric, const char* parameter) {
  if (!known.contains(metric))
    throw ParameterError(parameter, ": no profile has a metric '" + metric + "'",
                         fmt::format("the profiles have: {}", fmt::join(known, ", ")));
}

/// Throws ParameterError for an unknown baseline or metric, and for a rate with the name of a metric or another rate.
void require_valid(const ProjectParams& params, std::span<const NamedMeasurements> configurations) {
  std::vector<std::string> configuration_names;
  for (const NamedMeasurements& c : configurations) configuration_names.push_back(c.name);
  project::require_valid(params, configuration_names);
  std::set<std::string> names;
  for (const NamedMeasurements& c : configurations)
    names.insert(c.measurements.metrics.begin(), c.measurements.metrics.end());
  for (const std::string& metric : params.metrics) require_known(names, metric, "metric");
  for (const auto& [name, kind] : params.aggregate) require_known(names, name, "aggregate");
  for (const RateSpec& rate : params.rates)
    if (!names.insert(rate.name).second)
      throw ParameterError("rate", rate.name + ": there is a metric of that name already", "choose another name");
}

}  // namespace

void share_levels(Projection& projection) {
  const auto base = std::ranges::find(projection.configurations, projection.baseline, &ConfigurationProjection::name);
  for (const MetricProjection& reference : std::vector(base->metrics)) {
    std::vector<ConfigurationProjection*> compared;
    std::vector<double> by_ratio;  // logarithm of the baseline's total, by the total of each and its ratio
    for (ConfigurationProjection& c : projection.configurations) {
      const auto found = std::ranges::find(c.speedups, reference.name, &Speedup::metric);
      const MetricProjection* const total = find_metric(c, reference.name);
      if (found == c.speedups.end() || !(found->value > 0) || !(total->value > 0)) continue;
      compared.push_back(&c);
      by_ratio.push_back(std::log(found->value * total->value));
    }
    const double level = by_ratio.empty() ? 0 : mean(by_ratio);
    for (std::size_t i = 0; i < compared.size(); ++i)
      scale_total(*compared[i], reference.name, std::exp(level - by_ratio[i]));
  }
}

void scale_total(ConfigurationProjection& c, const std::string& metric, double factor) {
  constexpr double kRounding = 1e-12;
  if (std::abs(factor - 1) < kRounding) return;
  MetricProjection& total = *std::ranges::find(c.metrics, metric, &MetricProjection::name);
  total.value *= factor;
  if (total.per_epoch) *total.per_epoch *= factor;
  if (total.interval)
    for (Interval* const range : {&*total.interval, &total.interval.bounds})
      *range = {range->low * std::min(factor, 1.0), range->high * std::max(factor, 1.0)};
  if (c.throughput && c.throughput->time_metric == metric) {
    Throughput& rates = *c.throughput;
    for (double* const rate : {&rates.samples_per_s, &rates.padded_tokens_per_s}) *rate /= factor;
    for (std::optional<double>* const rate : {&rates.tokens_per_s, &rates.mfu})
      if (*rate) **rate /= factor;
  }
  if (metric != "runtime_s") return;
  for (Phase& phase : c.phases) phase.seconds *= factor;
  for (LengthRange& range : c.by_length) range.seconds *= factor;
}

void compare_parts(ConfigurationProjection& here, const ConfigurationProjection& baseline, double confidence) {
  const TimeParts before{baseline.phases, baseline.by_length, baseline.parts, baseline.between},
      after{here.phases, here.by_length, here.parts, here.between};
  const bool agree = baseline.processes_agree.value_or(true) && here.processes_agree.value_or(true);
  here.agrees_with_baseline = agree;
  here.rounds = rounds_with_phases(before, after);
  here.phase_differences = phase_differences(before, after, confidence, agree);
  here.length_differences = length_differences(before, after, confidence, agree);
}

std::vector<ProcessEstimate> disturbed_processes(const ConfigurationProjection& configuration) {
  std::vector<ProcessEstimate> disturbed;
  std::ranges::copy_if(configuration.process_estimates, std::back_inserter(disturbed), &ProcessEstimate::is_disturbed);
  return disturbed;
}

const MetricProjection* find_metric(const ConfigurationProjection& configuration, std::string_view name) {
  const auto found = std::ranges::find(configuration.metrics, name, &MetricProjection::name);
  return found == configuration.metrics.end() ? nullptr : &*found;
}

double utilisation(const Throughput& throughput, const ModelWork& work, std::uint64_t ranks) {
  const double tokens_per_s = throughput.tokens_per_s.value_or(throughput.padded_tokens_per_s);
  return tokens_per_s * work.flops_per_token / (work.peak_flops * static_cast<double>(ranks));
}

bool is_total_time(const MetricProjection& metric) {
  return metric.kind == MetricKind::total && trace::is_time_metric(metric.name);
}

void require_valid(const ProjectParams& params, std::span<const std::string> configurations) {
  if (params.baseline.empty() || std::ranges::count(configurations, params.baseline) > 0) return;
  throw ParameterError(
      "baseline", ": unknown build '" + params.baseline + "'",
      names_hint(params.baseline, std::vector<std::string_view>(configurations.begin(), configurations.end())));
}

Projection project(const select::Selection& selection, std::span<const NamedMeasurements> configurations,
                   const ProjectParams& params) {
  require_valid(params, configurations);
  return Projector(selection, nullptr, configurations, params).run();
}

Projection project_onto(const select::Selection& selection, const TargetRun& other,
                        std::span<const NamedMeasurements> configurations, const ProjectParams& params) {
  require_valid(params, configurations);
  if (other.run.histogram.empty()) throw std::invalid_argument("TargetRun: its run has no histogram");
  require_same_shape(selection.run, other.run, other.source);
  return Projector(selection, &other, configurations, params).run();
}

}  // namespace seqpoint::project
