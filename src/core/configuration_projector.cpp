#include "configuration_projector.hpp"

#include <algorithm>
#include <cmath>

#include "seqpoint/error.hpp"
#include "seqpoint/overheads.hpp"

namespace seqpoint {
namespace {

bool named_like_a_ratio(const std::string& name) {
  return name == "ipc" || name.ends_with("_pct") || name.find("util") != std::string::npos;
}

}  // namespace

ConfigurationProjector::ConfigurationProjector(const Selection& selection, const NamedMeasurements& named, const ProjectParams& params,
                                               std::vector<std::string>& notes)
    : selection_(selection), named_(named), params_(params), notes_(notes) {
  const Measurements& measured = named.measurements;
  for (std::size_t m = 0; m < measured.metrics.size(); ++m)
    values_.emplace_back(measured.metrics[m], values_of(selection, measured.values[m], params.robust));
}

ConfigurationProjection ConfigurationProjector::run() {
  out_.name = named_.name;
  out_.rows = named_.measurements.rows;
  out_.matched_rows = named_.measurements.matched_rows;
  for (const auto& [name, metric] : values_)
    if (wanted(name)) add_metric(name, metric);
  for (const RateSpec& rate : params_.rates) add_rate(rate);
  add_throughput();
  list_missing();
  list_measured();
  return std::move(out_);
}

std::optional<MeasuredPoints> ConfigurationProjector::measured(const std::string& name) const {
  for (std::size_t m = 0; m < values_.size(); ++m)
    if (values_[m].first == name && values_[m].second.any())
      return measured_points(values_[m].second, named_.measurements.values[m], params_.robust);
  return {};
}

std::optional<std::pair<MeasuredPoints, MeasuredPoints>> ConfigurationProjector::parts_of_rate(const std::string& name) const {
  for (const RateSpec& rate : params_.rates)
    if (rate.name == name) return std::pair(*measured(rate.numerator), *measured(rate.denominator));
  const auto* const time = time_metric();
  if (time == nullptr || !measured(name)) return {};
  std::pair parts(*measured(name), *measured(time->first));
  if (parts.first.point != parts.second.point) return {};
  for (std::size_t p = 0; p < parts.first.value.size(); ++p) parts.first.value[p] *= parts.second.value[p];
  return parts;
}

bool ConfigurationProjector::wanted(const std::string& name) const {
  const auto& only = params_.statistics;
  return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
}

const PointValues* ConfigurationProjector::find(const std::string& name) const {
  for (const auto& [known, metric] : values_)
    if (known == name && metric.any()) return &metric;
  return nullptr;
}

const std::pair<std::string, PointValues>* ConfigurationProjector::time_metric() const {
  const std::pair<std::string, PointValues>* first = nullptr;
  for (const auto& entry : values_) {
    if (!is_time_metric(entry.first) || !entry.second.any() || kind_of(entry.first) != MetricKind::total)
      continue;
    if (entry.first == "runtime_s") return &entry;
    if (first == nullptr) first = &entry;
  }
  return first;
}

MetricKind ConfigurationProjector::kind_of(const std::string& name) const {
  const auto given = params_.kinds.find(name);
  return given != params_.kinds.end() ? given->second : MetricKind::total;
}

void ConfigurationProjector::add_metric(const std::string& name, const PointValues& metric) {
  if (!metric.any()) {
    notes_.push_back(named_.name + ": '" + name + "' was measured at no point and is left out");
    return;
  }
  const MetricKind kind = kind_of(name);
  if (kind == MetricKind::total && named_like_a_ratio(name) && !params_.kinds.contains(name))
    notes_.push_back(named_.name + ": '" + name + "' is added up like a total but is named like a ratio; say --kind " +
                     name + "=rate, or --rate NAME=A/B");
  if (kind == MetricKind::rate) return add(time_weighted(name, metric));
  MetricProjection projected{name, kind, kind == MetricKind::max ? max_of(metric) : total_of(metric), {}, metric.coverage, {}};
  if (kind == MetricKind::total) projected.per_epoch = projected.value / epochs();
  add(std::move(projected));
}

MetricProjection ConfigurationProjector::time_weighted(const std::string& name, const PointValues& metric) {
  if (const auto* const time = time_metric()) {
    const PointValues both = where_both(selection_, metric, time->second);
    const double rate = both.any() ? rate_of(both, &time->second.value) : std::nan("");
    if (std::isfinite(rate)) return {name, MetricKind::rate, rate, {}, both.coverage, {}};
  }
  notes_.push_back(named_.name + ": no time was measured along '" + name + "': its mean is over iterations, not over time");
  return {name, MetricKind::rate, rate_of(metric, nullptr), {}, metric.coverage, {}};
}

void ConfigurationProjector::add_rate(const RateSpec& rate) {
  const PointValues* const above = find(rate.numerator);
  const PointValues* const below = find(rate.denominator);
  if (above == nullptr || below == nullptr)
    throw UsageError("--rate " + rate.name + ": " + named_.name + " has no metric '" +
                     (above == nullptr ? rate.numerator : rate.denominator) + "'");
  const double denominator = total_of(*below);
  if (denominator == 0) {
    notes_.push_back(named_.name + ": --rate " + rate.name + ": the total of '" + rate.denominator + "' is zero; left out");
    return;
  }
  add({rate.name, MetricKind::rate, total_of(*above) / denominator, {}, std::min(above->coverage, below->coverage), {}});
}

void ConfigurationProjector::add(MetricProjection projected) {
  out_.coverage = std::min(out_.coverage, projected.coverage);
  out_.metrics.push_back(std::move(projected));
}

void ConfigurationProjector::add_throughput() {
  const auto* const time = time_metric();
  if (time == nullptr) return;
  const double seconds = total_of(time->second);
  if (!(seconds > 0)) return;
  const RunSummary& run = selection_.run;
  Throughput throughput{time->first, static_cast<double>(run.samples) / seconds, {},
                        static_cast<double>(run.padded_tokens) / seconds};
  if (run.tokens) throughput.tokens_per_s = static_cast<double>(*run.tokens) / seconds;
  out_.throughput = throughput;
}

void ConfigurationProjector::list_missing() {
  for (std::size_t p = 0; p < selection_.points.size(); ++p) {
    const bool missing = std::any_of(values_.begin(), values_.end(), [&](const auto& entry) {
      return wanted(entry.first) && entry.second.any() && !entry.second.value[p];
    });
    if (missing) out_.missing_points.push_back(selection_.points[p].id);
  }
}

void ConfigurationProjector::list_measured() {
  for (std::size_t m = 0; m < values_.size(); ++m) {
    const auto& [name, metric] = values_[m];
    if (!wanted(name) || !metric.any()) continue;
    MeasuredMetric& measured = out_.measured.emplace_back(MeasuredMetric{name, {}});
    for (std::size_t p = 0; p < metric.value.size(); ++p) {
      if (!metric.value[p]) continue;
      const std::vector<double>& repeats = named_.measurements.values[m][p];
      const auto [least, most] = std::minmax_element(repeats.begin(), repeats.end());
      measured.points.push_back({selection_.points[p].id, repeats.size(), *metric.value[p], *least, *most});
    }
  }
}

}  // namespace seqpoint
