#include "seqpoint/project.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/project/configuration_projector.hpp"
#include "core/project/run_difference.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

/// What --stat names, else runtime_s, else the first total that is a time.
std::string ranked_metric(const std::vector<ConfigurationProjection>& configurations, const ProjectParams& params) {
  if (params.statistics.size() > 1)
    throw ParameterError("statistic", ": a ranking is by one metric, and several are named",
                         "name the one that decides");
  std::string name = params.statistics.empty() ? "" : params.statistics.front();
  for (const MetricProjection& metric : configurations.front().metrics)
    if (params.statistics.empty() && is_total_time(metric) && (name.empty() || metric.name == "runtime_s"))
      name = metric.name;
  if (name.empty())
    throw ParameterError("statistic", ": no time was measured to rank the runs by", "name another total");
  for (const ConfigurationProjection& c : configurations) {
    const MetricProjection* const metric = find_metric(c, name);
    if (metric == nullptr)
      throw ParameterError("statistic", fmt::format(": {} has no '{}', which the runs are ranked by", c.name, name),
                           "name a metric that every configuration has");
    if (metric->kind != MetricKind::total)
      throw ParameterError("statistic", fmt::format(": {}: '{}' is no total, and only totals are ranked", c.name, name),
                           fmt::format("`kinds` {}=total makes it one", name));
  }
  return name;
}

Order order_of(const std::optional<Interval>& difference) {
  if (!difference) return Order::unknown;
  return difference->low > 0 ? Order::more : Order::undecided;
}

/// Ranks candidates whose projections are made.
class Ranker {
 public:
  Ranker(const select::Selection& selection, std::span<const Candidate> candidates,
         std::span<const NamedMeasurements> configurations, const ProjectParams& params, double per_shape_s)
      : configurations_(configurations), params_(params) {
    out_.confidence = params.confidence;
    out_.per_epoch_s = params.epoch_overhead_s;
    out_.per_shape_s = per_shape_s;
    estimators_.reserve(candidates.size());
    for (const Candidate& candidate : candidates) {
      ProjectParams own = params;
      own.epoch_overhead_s += of_shapes(candidate.target.run);
      projections_.push_back(project_onto(selection, candidate.target, configurations, own));
      Projection& projection = projections_.back();
      for (std::string& note : projection.notes)
        if (std::ranges::count(out_.notes, note) == 0) out_.notes.push_back(std::move(note));
      out_.candidates.push_back({candidate.name, *projection.target_run});
      estimators_.emplace_back(selection, &candidate.target.run);
    }
    out_.metric = ranked_metric(projections_.front().configurations, params);
  }

  Ranking run() {
    for (std::size_t c = 0; c < configurations_.size(); ++c) out_.configurations.push_back(ranking_of(c));
    return std::move(out_);
  }

 private:
  const MetricProjection& metric(std::size_t candidate, std::size_t c) const {
    return *find_metric(projections_[candidate].configurations[c], out_.metric);
  }

  double epochs_of(std::size_t candidate) const {
    return static_cast<double>(out_.candidates[candidate].target.run.epochs);
  }

  /// What its shapes cost once, shared out over its epochs.
  double of_shapes(const trace::RunSummary& run) const {
    return out_.per_shape_s * static_cast<double>(run.histogram.size()) / static_cast<double>(run.epochs);
  }

  /// Overheads of an epoch.
  double overhead(std::size_t candidate) const {
    if (!trace::is_time_metric(out_.metric)) return 0;
    return out_.per_epoch_s + of_shapes(out_.candidates[candidate].target.run);
  }

  RankedRun ranked(std::size_t candidate, std::size_t c) const {
    const MetricProjection& metric = this->metric(candidate, c);
    RankedRun run{.candidate = candidate, .value = *metric.per_epoch};
    const double epochs = epochs_of(candidate);
    if (metric.interval) run.interval = Interval{metric.interval->low / epochs, metric.interval->high / epochs};
    run.interval_note = metric.interval.reason;
    run.throughput = projections_[candidate].configurations[c].throughput;
    return run;
  }

  ConfigurationRanking ranking_of(std::size_t c) const {
    ConfigurationRanking ranking{.name = configurations_[c].name,
                                 .coverage = metric(0, c).coverage,
                                 .missing_points = projections_.front().configurations[c].missing_points,
                                 .runs = {}};
    const profile::Measurements& measurements = configurations_[c].measurements;
    const auto m =
        static_cast<std::size_t>(std::ranges::find(measurements.metrics, out_.metric) - measurements.metrics.begin());
    const MeasuredPoints points = *measured_points(measurements, m, params_.robust, params_.between_processes);
    for (std::size_t i = projections_.size(); i-- > 0;)
      if (const std::string& partial = projections_[i].configurations[c].partial; !partial.empty())
        ranking.partial = out_.candidates[i].name + ": " + partial;
    for (std::size_t i = 0; i < projections_.size(); ++i) {
      ranking.coverage = std::min(ranking.coverage, metric(i, c).coverage);
      RankedRun& run = ranking.runs.emplace_back(ranked(i, c));
      if (!run.interval || !reaches_zero(run.interval->low - overhead(i), points)) continue;
      run.order = Order::unknown;
      run.interval_note = kReachesZero;
    }
    const bool any = std::ranges::any_of(ranking.runs, [](const RankedRun& run) { return run.interval.has_value(); });
    for (RankedRun& run : ranking.runs)
      if (any && !run.interval) run.order = Order::unknown;
    std::ranges::stable_sort(ranking.runs, {},
                             [](const RankedRun& run) { return std::pair(run.order == Order::unknown, run.value); });
    const RunEstimator& best = estimators_[ranking.runs.front().candidate];
    const RunEstimator::Fit of_best = best.fit(points.counts);
    for (RankedRun& run : ranking.runs) {
      const RunEstimator& other = is_best(run, ranking) ? best : estimators_[run.candidate];
      set_difference(run, ranking.runs.front(),
                     difference_of({other, other.fit(points.counts)}, {best, of_best}, points));
    }
    return ranking;
  }

  /// Also by another name: the same file is the same run.
  bool is_best(const RankedRun& run, const ConfigurationRanking& ranking) const {
    const std::size_t best = ranking.runs.front().candidate;
    const std::string& digest = out_.candidates[run.candidate].target.digest;
    return run.candidate == best || (!digest.empty() && digest == out_.candidates[best].target.digest);
  }

  /// Overheads are in both values.
  void set_difference(RankedRun& run, const RankedRun& best, Estimate difference) const {
    difference.value = run.difference = run.value - best.value;
    IntervalOrReason interval = interval_of(difference, params_.confidence);
    run.difference_interval = interval;
    if (!interval) run.interval_note = std::move(interval.reason);
    if (run.order == Order::unknown) return;
    run.order = run.candidate == best.candidate ? Order::best : order_of(run.difference_interval);
  }

  std::span<const NamedMeasurements> configurations_;
  const ProjectParams& params_;
  std::vector<Projection> projections_;   ///< of each candidate
  std::vector<RunEstimator> estimators_;  ///< of each candidate
  Ranking out_;
};

}  // namespace

std::string_view name_of(Order order) {
  switch (order) {
    case Order::best: return "best";
    case Order::more: return "more";
    case Order::undecided: return "undecided";
    case Order::unknown: break;
  }
  return "unknown";
}

Ranking rank(const select::Selection& selection, std::span<const Candidate> candidates,
             std::span<const NamedMeasurements> configurations, const ProjectParams& params, double per_shape_s) {
  require_valid(selection, configurations);
  if (candidates.empty()) throw std::invalid_argument("rank: no candidates");
  return Ranker(selection, candidates, configurations, params, per_shape_s).run();
}

}  // namespace seqpoint::project
