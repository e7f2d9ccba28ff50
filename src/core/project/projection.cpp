#include "core/project/projection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/enum_names.hpp"
#include "core/profile/valid_measurements.hpp"
#include "core/project/batch_sizes.hpp"
#include "core/project/configuration_projector.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

/// Projects and compares all configurations together.
class Projector {
 public:
  Projector(const select::Selection& selection, const TargetRun* other,
            std::span<const NamedMeasurements> configurations, const ProjectParams& params)
      : params_(params), estimator_(selection, other != nullptr ? &other->run : nullptr), fits_(estimator_) {
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
            base->counts.points == other->counts.points && ratio.scales && !(ratio.scales->drift() > 0);
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
  std::vector<ConfigurationProjector> projectors_;
};

/// Throws ParameterError about `parameter` unless `metric` is one of the known metrics.
void require_known(const std::set<std::string>& known, const std::string& metric, const char* parameter) {
  if (!known.contains(metric))
    throw ParameterError(parameter, ": no profile has a metric '" + metric + "'",
                         fmt::format("the profiles have: {}", fmt::join(known, ", ")));
}

/// Throws as project(): std::invalid_argument for invalid structure, ParameterError for an unknown baseline or metric,
/// and for a rate with the name of a metric or another rate.
void require_valid(const select::Selection& selection, const ProjectParams& params,
                   std::span<const NamedMeasurements> configurations) {
  project::require_valid(selection, configurations);
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

void require_valid(const select::Selection& selection, std::span<const NamedMeasurements> configurations) {
  if (configurations.empty()) throw std::invalid_argument("project: no configurations");
  if (selection.points.empty() || selection.run.histogram.empty())
    throw std::invalid_argument("Selection: has no points, or a run without a histogram");
  for (const NamedMeasurements& c : configurations) profile::require_valid(c.measurements, selection.points.size());
}

void require_valid(const ProjectParams& params, std::span<const std::string> configurations) {
  if (params.baseline.empty() || std::ranges::count(configurations, params.baseline) > 0) return;
  throw ParameterError(
      "baseline", ": unknown build '" + params.baseline + "'",
      names_hint(params.baseline, std::vector<std::string_view>(configurations.begin(), configurations.end())));
}

Projection project(const select::Selection& selection, std::span<const NamedMeasurements> configurations,
                   const ProjectParams& params) {
  require_valid(selection, params, configurations);
  return Projector(selection, nullptr, configurations, params).run();
}

Projection project_onto(const select::Selection& selection, const TargetRun& other,
                        std::span<const NamedMeasurements> configurations, const ProjectParams& params) {
  require_valid(selection, params, configurations);
  if (other.run.histogram.empty()) throw std::invalid_argument("TargetRun: its run has no histogram");
  require_same_shape(selection.run, other.run, other.source);
  return Projector(selection, &other, configurations, params).run();
}

}  // namespace seqpoint::project
