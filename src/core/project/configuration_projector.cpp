#include "core/project/configuration_projector.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/project/batch_sizes.hpp"
#include "core/project/cold_start.hpp"
#include "core/project/process_levels.hpp"
#include "core/project/projection.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

/// The kind of a metric by its role: rate or max if the role is, else total.
MetricKind kind_of(profile::MetricRole role) {
  switch (role) {
    case profile::MetricRole::rate: return MetricKind::rate;
    case profile::MetricRole::maximum: return MetricKind::max;
    case profile::MetricRole::cost:
    case profile::MetricRole::no_cost:
    case profile::MetricRole::unknown: break;
  }
  return MetricKind::total;
}

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

}  // namespace

const RunEstimator::Fit& FitCache::fit(const MeasurementCounts& counts) {
  const auto known = fits_.find(counts);
  return known != fits_.end() ? known->second : fits_.emplace(counts, estimator_.fit(counts)).first->second;
}

MeasuredPoints FitCache::compared(const MeasuredPoints& points) {
  const bool several = points.scope == LevelScope::another_process && processes_of(points) > 1;
  return several ? estimator_.compared(fit(points.counts), points) : points;
}

Estimate FitCache::ratio(const MeasuredPoints& above, const MeasuredPoints& below) {
  const bool whole = estimator_.is_whole(above);
  if (whole != estimator_.is_whole(below))
    return estimator_.ratio_to_whole(fit((whole ? below : above).counts), above, below);
  if (above.counts.points != below.counts.points)
    return estimate_without(0, std::string("the two were measured at different points"));
  return estimator_.ratio(fit(smaller_counts(above.counts, below.counts)), above, below);
}

std::optional<Estimate> FitCache::ratio_at_common_points(const MeasuredPoints& above, const MeasuredPoints& below) {
  const MeasuredPoints one = measured_in_both(above, below), other = measured_in_both(below, above);
  if (one.values.empty()) return std::nullopt;
  const RunEstimator::Fit& common = fit(smaller_counts(one.counts, other.counts));
  if (common.no_interval != NoInterval::none) return std::nullopt;
  return estimator_.ratio(common, one, other);
}

ConfigurationProjector::ConfigurationProjector(const select::Selection& selection, const NamedMeasurements& named,
                                               const ProjectParams& params, FitCache& fits,
                                               std::vector<std::string>& notes)
    : selection_(selection), named_(named), params_(params), fits_(fits), notes_(notes) {
  const profile::Measurements& measured = named.measurements;
  for (std::size_t m = 0; m < measured.metrics.size(); ++m) {
    if (auto points = measured_points(measured, m, params.median, params.between_processes)) {
      if (params.in_same_process) points->scope = LevelScope::own_run;
      points->rounds = rounds_of(measured.process_names, params.rounds);
      metrics_.emplace_back(measured.metrics[m], fits_.compared(*points));
    } else if (wanted(measured.metrics[m])) {
      notes_.push_back(named_.name + ": '" + measured.metrics[m] + "' was measured at no point and is left out");
    }
  }
}

ConfigurationProjection ConfigurationProjector::run() {
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

bool ConfigurationProjector::wanted(const std::string& name) const {
  const auto& only = params_.metrics;
  if (!only.empty()) return std::ranges::find(only, name) != only.end();
  const profile::MetricRole role = role_of(name);
  if (is_phase(name, named_.measurements.metrics) && !params_.aggregate.contains(name)) return false;
  return params_.aggregate.contains(name) ||
         (role != profile::MetricRole::no_cost && role != profile::MetricRole::unknown);
}

profile::MetricRole ConfigurationProjector::role_of(const std::string& name) const {
  const std::vector<profile::MetricRole>& roles = named_.measurements.roles;
  const auto at = static_cast<std::size_t>(std::ranges::find(named_.measurements.metrics, name) -
                                           named_.measurements.metrics.begin());
  return at < roles.size() ? roles[at] : profile::MetricRole::cost;
}

const MeasuredPoints* ConfigurationProjector::find(const std::string& name) const {
  const auto found = std::ranges::find(metrics_, name, &NamedMetric::first);
  return found == metrics_.end() ? nullptr : &found->second;
}

const ConfigurationProjector::NamedMetric* ConfigurationProjector::time_metric() const {
  const NamedMetric* first = nullptr;
  for (const NamedMetric& metric : metrics_) {
    if (!trace::is_time_metric(metric.first) || kind_of(metric.first) != MetricKind::total) continue;
    if (metric.first == "runtime_s") return &metric;
    if (first == nullptr) first = &metric;
  }
  return first;
}

MetricKind ConfigurationProjector::kind_of(const std::string& name) const {
  const auto given = params_.aggregate.find(name);
  return given != params_.aggregate.end() ? given->second : project::kind_of(role_of(name));
}

double ConfigurationProjector::measured_weight_of(const MeasuredPoints& points) const {
  return select::measured_weight(selection_, points.counts.points);
}

void ConfigurationProjector::add_metric(const std::string& name, const MeasuredPoints& points) {
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

double ConfigurationProjector::overhead_of(const std::string& name) const {
  if (!trace::is_time_metric(name) || kind_of(name) != MetricKind::total) return 0;
  return params_.epoch_overhead_s * static_cast<double>(fits_.estimator().run().epochs);
}

/// The mean of a rate over the run's time: points are weighted by weight x time, if they have both. If no point has
/// both, the mean over iterations, without an interval and with a note.
MetricProjection ConfigurationProjector::time_weighted(const std::string& name, const MeasuredPoints& points) {
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

void ConfigurationProjector::add_rate(const RateSpec& rate) {
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

void ConfigurationProjector::add(MetricProjection projected) {
  out_.measured_weight = std::min(out_.measured_weight, projected.measured_weight);
  out_.metrics.push_back(std::move(projected));
}

void ConfigurationProjector::add_throughput() {
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

void ConfigurationProjector::add_processes() {
  const NamedMetric* const time = time_metric();
  if (time == nullptr || time->second.scope == LevelScope::own_run || !wanted(time->first)) return;
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

void ConfigurationProjector::add_process_estimates() {
  const NamedMetric* const time = time_metric();
  if (time == nullptr || time->second.disturbed.empty() || !wanted(time->first)) return;
  const MeasuredPoints& all = time->second;
  for (const auto& [process, probability] : all.disturbed) {
    const Estimate estimate =
        fits_.estimator().is_whole(all)
            ? estimate_without(all.run_totals[process], std::string("a whole epoch in one process"))
            : fits_.estimate(measured_by(all, process, params_.median));
    const Estimate with_overhead = estimate.plus(overhead_of(time->first));
    out_.process_estimates.push_back({.name = named_.measurements.process_names[process],
                                      .value = with_overhead.figure(),
                                      .interval = interval_of(with_overhead, params_.confidence),
                                      .is_disturbed = !all.disagreement && probability > 0.5});
  }
  out_.processes_agree = std::ranges::none_of(
      metrics_, [&](const NamedMetric& metric) { return wanted(metric.first) && metric.second.disagreement; });
  note_disturbed(time->first);
}

void ConfigurationProjector::note_disturbed(const std::string& metric) {
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

void ConfigurationProjector::add_processor_time() {
  const MeasuredPoints *const wall = find("runtime_s"), *const processor = find("cpu_s");
  const bool on_device = named_.measurements.device_busy.value_or(0) > 0;
  if (wall == nullptr || processor == nullptr || on_device || params_.in_same_process) return;
  const double seconds = total(*processor);
  if (seconds > 0 && total(*wall) > kFarAboveProcessorTime * seconds) out_.processor_s = seconds;
}

PartsOfProcess ConfigurationProjector::parts_of(std::size_t process) {
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

void ConfigurationProjector::add_time_parts() {
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
  for (const auto& [process, probability] : points->disturbed) out_.parts.push_back(parts_of(process));
}

void ConfigurationProjector::add_executed() {
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

void ConfigurationProjector::add_cold_start() {
  const profile::Measurements& measured = named_.measurements;
  const trace::RunSummary& run = fits_.estimator().run();
  for (std::size_t m = 0; m < measured.metrics.size() && !params_.in_same_process; ++m) {
    const std::string& name = measured.metrics[m];
    if (!trace::is_time_metric(name) || kind_of(name) != MetricKind::total) continue;
    std::vector<std::string> ids;
    for (const std::size_t p : unjoined_points(measured, m)) ids.push_back(selection_.points[p].id);
    if (!ids.empty())
      notes_.push_back(
          fmt::format("{}: {}: the first executions of {} have no measurement in their process beside them, and do not "
                      "count",
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

/// Whether this result has too few measurements: a measured weight below kMinMeasuredWeight, an interval that reaches
/// zero, or no interval because the cost is not determined. Never for a rate, or if the interval is missing because a
/// method has one point by design or there are too many points to fit.
bool ConfigurationProjector::is_partial(const MetricProjection& metric) const {
  if (metric.kind == MetricKind::rate) return false;
  if (metric.measured_weight < kMinMeasuredWeight) return true;
  if (metric.kind == MetricKind::total && metric.interval &&
      reaches_zero(metric.interval->low - overhead_of(metric.name), *find(metric.name)))
    return true;
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

void ConfigurationProjector::set_partial() {
  const auto partial = std::ranges::find_if(out_.metrics, [&](const auto& metric) { return is_partial(metric); });
  if (partial == out_.metrics.end()) return;
  if (partial->measured_weight < kMinMeasuredWeight)
    out_.partial = fmt::format("{}: what was measured stands for {:.3g} % of the run", partial->name,
                               100 * partial->measured_weight);
  else
    out_.partial = partial->interval ? reaches_zero_text(partial->name)
                                     : partial->name + ": no interval: " + partial->interval.reason;
  if (out_.missing_points.empty()) return;
  out_.partial += out_.rows > out_.matched_rows
                      ? "; some rows are at no point, as of another sampler, seed or batch size"
                      : "; points are missing";
}

void ConfigurationProjector::list_missing() {
  for (std::size_t p = 0; p < selection_.points.size(); ++p) {
    const bool missing = std::any_of(metrics_.begin(), metrics_.end(), [&](const NamedMetric& metric) {
      const auto& points = metric.second.counts.points;
      return wanted(metric.first) && !std::binary_search(points.begin(), points.end(), p);
    });
    if (missing) out_.missing_points.push_back(selection_.points[p].id);
  }
}

void ConfigurationProjector::list_measured() {
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

}  // namespace seqpoint::project
