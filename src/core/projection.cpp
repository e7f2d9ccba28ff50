#include "seqpoint/projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "averages.hpp"
#include "point_weights.hpp"
#include "seqpoint/error.hpp"
#include "uncertainty.hpp"

namespace seqpoint {
namespace {

/// How far apart two points are: every key scaled by its largest value over the points.
class PointDistance {
 public:
  explicit PointDistance(const std::vector<Point>& points) {
    for (const Point& point : points) {
      const auto coordinates = of(point.key);
      for (std::size_t d = 0; d < coordinates.size(); ++d) scale_[d] = std::max(scale_[d], coordinates[d]);
    }
  }
  double operator()(const PointKey& a, const PointKey& b) const {
    const auto x = of(a), y = of(b);
    double sum = 0;
    for (std::size_t d = 0; d < x.size(); ++d) sum += (x[d] - y[d]) * (x[d] - y[d]) / (scale_[d] * scale_[d]);
    return sum;
  }

 private:
  static std::array<double, 3> of(const PointKey& key) {
    return {static_cast<double>(key.src_len), key.tgt_len.value_or(0) + static_cast<double>(key.sq_tokens.value_or(0)),
            static_cast<double>(key.batch_size.value_or(0))};
  }
  std::array<double, 3> scale_{1, 1, 1};
};

/// A metric at every point of one configuration, with the weights after the missing points' have moved.
struct PointValues {
  std::vector<std::optional<double>> value;
  std::vector<double> weight;
  double coverage = 1;
  bool any() const { return coverage > 0; }
};

/// The measured point nearest to p, of its own phase or else of the nearest; ties to the first, which is the shorter one.
std::size_t nearest_measured(const std::vector<Point>& points, const PointValues& values, std::size_t p,
                             const PointDistance& distance) {
  const auto away = [&](std::size_t q) {
    const auto [first, last] = std::minmax(points[p].phase, points[q].phase);
    return std::pair(last - first, distance(points[p].key, points[q].key));
  };
  std::size_t best = points.size();
  for (std::size_t q = 0; q < points.size(); ++q) {
    if (!values.value[q]) continue;
    if (best == points.size() || away(q) < away(best)) best = q;
  }
  return best;
}

/// Gives every measured point its weight, and those of the others to the nearest of them.
PointValues weigh(const Selection& selection, std::vector<std::optional<double>> values) {
  const std::vector<Point>& points = selection.points;
  PointValues out{std::move(values), std::vector<double>(points.size(), 0.0), 0};
  std::int64_t covered = 0;
  for (std::size_t p = 0; p < points.size(); ++p)
    if (out.value[p]) covered += points[p].weight.millionths;
  if (covered == 0) return out;
  out.coverage = static_cast<double>(covered) / (static_cast<double>(selection.run.iterations) * Weight::kUnit);
  const PointDistance distance(points);
  for (std::size_t p = 0; p < points.size(); ++p)
    out.weight[out.value[p] ? p : nearest_measured(points, out, p, distance)] += points[p].weight.iterations();
  return out;
}

PointValues values_of(const Selection& selection, const std::vector<std::vector<double>>& repeats, bool robust) {
  std::vector<std::optional<double>> values(repeats.size());
  for (std::size_t p = 0; p < repeats.size(); ++p)
    if (!repeats[p].empty()) values[p] = robust ? median(repeats[p]) : mean(repeats[p]);
  return weigh(selection, std::move(values));
}

/// The variance of a point's repeats, relative to its value squared; 0 for a single one.
double relative_variance(const std::vector<double>& repeats, double value) {
  if (repeats.size() < 2 || value == 0) return 0;
  const double centre = mean(repeats);
  double squares = 0;
  for (const double repeat : repeats) squares += (repeat - centre) * (repeat - centre);
  return squares / static_cast<double>(repeats.size() - 1) / (value * value);
}

/// What the intervals look at. A median of normal values has pi / 2 times the variance of their mean.
MeasuredPoints measured_points(const PointValues& metric, const std::vector<std::vector<double>>& repeats, bool robust) {
  MeasuredPoints points;
  for (std::size_t p = 0; p < metric.value.size(); ++p) {
    if (!metric.value[p]) continue;
    points.point.push_back(p);
    points.value.push_back(*metric.value[p]);
    points.weight.push_back(metric.weight[p]);
    points.repeat_variance.push_back(relative_variance(repeats[p], *metric.value[p]) *
                                     (robust && repeats[p].size() > 2 ? std::numbers::pi / 2 : 1));
    points.repeats.push_back(repeats[p].size());
  }
  return points;
}

double total_of(const PointValues& metric) {
  double sum = 0;
  for (std::size_t p = 0; p < metric.value.size(); ++p)
    if (metric.value[p]) sum += metric.weight[p] * *metric.value[p];
  return sum;
}

double max_of(const PointValues& metric) {
  std::optional<double> most;
  for (const auto& value : metric.value)
    if (value) most = std::max(most.value_or(*value), *value);
  return *most;
}

/// The mean of a rate, each point counting as much as `amount` says (nothing: as its weight alone).
double rate_of(const PointValues& metric, const std::vector<std::optional<double>>* amount) {
  double sum = 0, weights = 0;
  for (std::size_t p = 0; p < metric.value.size(); ++p) {
    if (!metric.value[p]) continue;
    const double w = metric.weight[p] * (amount != nullptr ? *(*amount)[p] : 1.0);
    sum += w * *metric.value[p];
    weights += w;
  }
  return sum / weights;
}

/// Only what was measured at the same points as `other`.
PointValues where_both(const Selection& selection, const PointValues& metric, const PointValues& other) {
  std::vector<std::optional<double>> values = metric.value;
  for (std::size_t p = 0; p < values.size(); ++p)
    if (!other.value[p]) values[p].reset();
  return weigh(selection, std::move(values));
}

bool named_like_a_ratio(const std::string& name) {
  return name == "ipc" || name.ends_with("_pct") || name.find("util") != std::string::npos;
}

/// Whether a metric is a time in seconds, by its name.
bool is_time(const std::string& name) { return name.ends_with("_s") && !name.ends_with("_per_s"); }

/// Everything of one configuration.
class ConfigurationProjector {
 public:
  ConfigurationProjector(const Selection& selection, const NamedMeasurements& named, const ProjectParams& params,
                         std::vector<std::string>& notes)
      : selection_(selection), named_(named), params_(params), notes_(notes) {
    const Measurements& measured = named.measurements;
    for (std::size_t m = 0; m < measured.metrics.size(); ++m)
      values_.emplace_back(measured.metrics[m], values_of(selection, measured.values[m], params.robust));
  }

  ConfigurationProjection run() {
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

  /// Where a metric was measured; nothing for a metric that this configuration lacks.
  std::optional<MeasuredPoints> measured(const std::string& name) const {
    for (std::size_t m = 0; m < values_.size(); ++m)
      if (values_[m].first == name && values_[m].second.any())
        return measured_points(values_[m].second, named_.measurements.values[m], params_.robust);
    return {};
  }

  /// Above and below the line of a rate: two metrics, or a metric that is weighted by time, times it, and that time.
  std::optional<std::pair<MeasuredPoints, MeasuredPoints>> parts_of_rate(const std::string& name) const {
    for (const RateSpec& rate : params_.rates)
      if (rate.name == name) return std::pair(*measured(rate.numerator), *measured(rate.denominator));
    const auto* const time = time_metric();
    if (time == nullptr || !measured(name)) return {};
    std::pair parts(*measured(name), *measured(time->first));
    if (parts.first.point != parts.second.point) return {};
    for (std::size_t p = 0; p < parts.first.value.size(); ++p) parts.first.value[p] *= parts.second.value[p];
    return parts;
  }

 private:
  bool wanted(const std::string& name) const {
    const auto& only = params_.statistics;
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  }
  const PointValues* find(const std::string& name) const {
    for (const auto& [known, metric] : values_)
      if (known == name && metric.any()) return &metric;
    return nullptr;
  }
  double epochs() const { return static_cast<double>(selection_.run.epochs); }

  /// runtime_s where there is one, else the first metric that is a time.
  const std::pair<std::string, PointValues>* time_metric() const {
    const std::pair<std::string, PointValues>* first = nullptr;
    for (const auto& entry : values_) {
      if (!is_time(entry.first) || !entry.second.any() || kind_of(entry.first) != MetricKind::total)
        continue;
      if (entry.first == "runtime_s") return &entry;
      if (first == nullptr) first = &entry;
    }
    return first;
  }

  MetricKind kind_of(const std::string& name) const {
    const auto given = params_.kinds.find(name);
    return given != params_.kinds.end() ? given->second : MetricKind::total;
  }

  void add_metric(const std::string& name, const PointValues& metric) {
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

  MetricProjection time_weighted(const std::string& name, const PointValues& metric) {
    if (const auto* const time = time_metric()) {
      const PointValues both = where_both(selection_, metric, time->second);
      const double rate = both.any() ? rate_of(both, &time->second.value) : std::nan("");
      if (std::isfinite(rate)) return {name, MetricKind::rate, rate, {}, both.coverage, {}};
    }
    notes_.push_back(named_.name + ": no time was measured along '" + name + "': its mean is over iterations, not over time");
    return {name, MetricKind::rate, rate_of(metric, nullptr), {}, metric.coverage, {}};
  }

  void add_rate(const RateSpec& rate) {
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

  void add(MetricProjection projected) {
    out_.coverage = std::min(out_.coverage, projected.coverage);
    out_.metrics.push_back(std::move(projected));
  }

  void add_throughput() {
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

  void list_missing() {
    for (std::size_t p = 0; p < selection_.points.size(); ++p) {
      const bool missing = std::any_of(values_.begin(), values_.end(), [&](const auto& entry) {
        return wanted(entry.first) && entry.second.any() && !entry.second.value[p];
      });
      if (missing) out_.missing_points.push_back(selection_.points[p].id);
    }
  }

  void list_measured() {
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

  const Selection& selection_;
  const NamedMeasurements& named_;
  const ProjectParams& params_;
  std::vector<std::string>& notes_;
  std::vector<std::pair<std::string, PointValues>> values_;
  ConfigurationProjection out_;
};

/// Projects, compares and states the intervals of all configurations together.
class Projector {
 public:
  Projector(const Selection& selection, std::span<const NamedMeasurements> configurations, const ProjectParams& params)
      : uncertainty_(selection, params.confidence) {
    out_.confidence = params.confidence;
    out_.baseline = params.baseline.empty() ? configurations.front().name : params.baseline;
    projectors_.reserve(configurations.size());
    for (const NamedMeasurements& c : configurations) {
      projectors_.emplace_back(selection, c, params, out_.notes);
      out_.configurations.push_back(projectors_.back().run());
    }
  }

  Projection run() {
    std::set<std::string> totals;
    for (ConfigurationProjection& configuration : out_.configurations)
      for (MetricProjection& metric : configuration.metrics) {
        if (metric.kind == MetricKind::total)
          totals.insert(metric.name);
        else
          state_other(configuration, metric);
      }
    for (const std::string& name : totals) state_totals(name);
    add_speedups();
    for (const std::string& name : totals) state_speedups(name);
    return std::move(out_);
  }

 private:
  template <class Figure>
  static void state(Figure& figure, Stated stated) {
    figure.interval = stated.interval;
    figure.interval_note = std::move(stated.note);
  }

  MeasuredPoints assessed(MeasuredPoints points) const {
    uncertainty_.assess(points);
    return points;
  }

  void state_other(const ConfigurationProjection& configuration, MetricProjection& metric) const {
    if (metric.kind == MetricKind::max) return state(metric, {{}, "the largest of a few values has no interval of this kind"});
    const auto c = static_cast<std::size_t>(&configuration - out_.configurations.data());
    const auto parts = projectors_[c].parts_of_rate(metric.name);
    if (!parts) return state(metric, {{}, "no time was measured along it"});
    const MeasuredPoints below = assessed(parts->second);
    state(metric, uncertainty_.ratios(assessed(parts->first), std::span(&below, 1)).front());
  }

  void state_totals(const std::string& name) {
    std::vector<MeasuredPoints> measured;
    std::vector<MetricProjection*> metrics;
    for (std::size_t c = 0; c < projectors_.size(); ++c)
      for (MetricProjection& metric : out_.configurations[c].metrics) {
        if (metric.name != name || metric.kind != MetricKind::total) continue;
        measured.push_back(assessed(*projectors_[c].measured(name)));
        metrics.push_back(&metric);
      }
    std::vector<Stated> stated = uncertainty_.totals(measured);
    for (std::size_t i = 0; i < metrics.size(); ++i) state(*metrics[i], std::move(stated[i]));
  }

  std::size_t base() const {
    const auto found = std::find_if(out_.configurations.begin(), out_.configurations.end(),
                                    [&](const auto& c) { return c.name == out_.baseline; });
    return static_cast<std::size_t>(found - out_.configurations.begin());
  }

  void add_speedups() {
    for (ConfigurationProjection& configuration : out_.configurations)
      for (const MetricProjection& metric : configuration.metrics) {
        if (metric.kind != MetricKind::total) continue;
        for (const MetricProjection& reference : out_.configurations[base()].metrics)
          if (reference.name == metric.name && reference.kind == metric.kind && metric.value != 0 && reference.value != 0)
            configuration.speedups.push_back({metric.name, reference.value / metric.value, {}, ""});
      }
  }

  void state_speedups(const std::string& name) {
    std::vector<MeasuredPoints> others;
    std::vector<Speedup*> speedups;
    for (std::size_t c = 0; c < projectors_.size(); ++c)
      for (Speedup& speedup : out_.configurations[c].speedups) {
        if (speedup.metric != name) continue;
        if (c == base()) {
          speedup.interval = Interval{1, 1};
          continue;
        }
        others.push_back(assessed(*projectors_[c].measured(name)));
        speedups.push_back(&speedup);
      }
    if (others.empty()) return;
    std::vector<Stated> stated = uncertainty_.ratios(assessed(*projectors_[base()].measured(name)), others);
    for (std::size_t i = 0; i < speedups.size(); ++i) state(*speedups[i], std::move(stated[i]));
  }

  Uncertainty uncertainty_;
  Projection out_;
  std::vector<ConfigurationProjector> projectors_;
};

void require_known(std::span<const NamedMeasurements> configurations, const std::string& metric, const char* option) {
  std::set<std::string> known;
  for (const NamedMeasurements& c : configurations)
    known.insert(c.measurements.metrics.begin(), c.measurements.metrics.end());
  if (known.contains(metric)) return;
  std::string hint;
  for (const std::string& name : known) hint += (hint.empty() ? "the profiles have: " : ", ") + name;
  throw UsageError(std::string(option) + ": no profile has a metric '" + metric + "'", hint);
}

void check(std::span<const NamedMeasurements> configurations, const ProjectParams& params) {
  for (const std::string& statistic : params.statistics) require_known(configurations, statistic, "--stat");
  for (const auto& [name, kind] : params.kinds) require_known(configurations, name, "--kind");
  std::set<std::string> names;
  for (const NamedMeasurements& c : configurations) names.insert(c.measurements.metrics.begin(), c.measurements.metrics.end());
  for (const RateSpec& rate : params.rates)
    if (!names.insert(rate.name).second)
      throw UsageError("--rate " + rate.name + ": there is a metric of that name already", "choose another name");
  for (const NamedMeasurements& c : configurations)
    if (params.baseline.empty() || c.name == params.baseline) return;
  throw UsageError("--baseline: there is no configuration '" + params.baseline + "'",
                   "one of the names given with --profile NAME=FILE");
}

}  // namespace

std::vector<double> weights_where(const Selection& selection, const std::vector<bool>& measured) {
  std::vector<std::optional<double>> values(measured.size());
  for (std::size_t p = 0; p < measured.size(); ++p)
    if (measured[p]) values[p] = 0;
  return weigh(selection, std::move(values)).weight;
}

Projection project(const Selection& selection, std::span<const NamedMeasurements> configurations,
                   const ProjectParams& params) {
  check(configurations, params);
  return Projector(selection, configurations, params).run();
}

}  // namespace seqpoint
