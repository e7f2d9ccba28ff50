// Findings as services that follow benchmarks over time read them. github-action-benchmark: a list of name, unit,
// value, range and extra (its README.md and src/extract.ts). Bencher: value, lower_value and upper_value by benchmark
// and measure (bencher.dev/docs/reference/bencher-metric-format).
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/evaluate/error_gate.hpp"
#include "io/artifacts/json.hpp"
#include "io/views/cells.hpp"
#include "io/views/ci.hpp"

namespace seqpoint::io::views {
namespace {

/// One figure to follow.
struct Figure {
  std::string benchmark, name;
  std::string measure;  ///< its name at Bencher
  std::string unit;
  double value = 0;
  std::optional<project::Interval> interval;
  bool smaller_is_better = false;
  std::string extra = {};
};

/// The unit that a column's name ends in; the column itself where it says none.
std::string unit_of(const std::string& metric) {
  constexpr std::array<std::pair<std::string_view, const char*>, 9> kUnits{{{"_per_s", "1/s"},
                                                                            {"_s", "s"},
                                                                            {"_ms", "ms"},
                                                                            {"_us", "us"},
                                                                            {"_ns", "ns"},
                                                                            {"_j", "J"},
                                                                            {"_bytes", "bytes"},
                                                                            {"_mb", "MB"},
                                                                            {"_pct", "%"}}};
  for (const auto& [suffix, unit] : kUnits)
    if (metric.ends_with(suffix)) return unit;
  return metric;
}

/// What takes low to high seconds for `amount` has a rate from amount / high to amount / low.
std::optional<project::Interval> rate_interval(double rate, const project::MetricProjection& time) {
  if (!time.interval || !(time.interval->low > 0)) return std::nullopt;
  return project::Interval{rate * time.value / time.interval->high, rate * time.value / time.interval->low};
}

/// The figures of a projection, configuration by configuration.
class ProjectionFigures {
 public:
  explicit ProjectionFigures(const project::Projection& projection) : confidence_(projection.confidence) {
    for (const project::ConfigurationProjection& c : projection.configurations) {
      for (const project::MetricProjection& metric : c.metrics) add_metric(c, metric);
      for (const project::Speedup& s : c.speedups) {
        const std::string name = "speedup of " + s.metric;
        if (c.name != projection.baseline)
          add(c, name, is_timed(c, s.metric) ? "speedup" : name, "x", s.value, s.interval);
      }
    }
  }
  std::vector<Figure> take() { return std::move(figures_); }

 private:
  static bool is_timed(const project::ConfigurationProjection& c, const std::string& metric) {
    return c.throughput && c.throughput->time_metric == metric;
  }

  void add_metric(const project::ConfigurationProjection& c, const project::MetricProjection& metric) {
    const bool timed = is_timed(c, metric.name);
    add(c, metric.name, timed ? "projected-run-time" : metric.name, unit_of(metric.name), metric.value,
        metric.interval);
    figures_.back().smaller_is_better = metric.kind != project::MetricKind::rate;
    if (!timed) return;
    const auto& [of, samples, tokens, padded] = *c.throughput;
    add(c, "samples_per_s", "throughput", "samples/s", samples, rate_interval(samples, metric));
    if (tokens) add(c, "tokens_per_s", "tokens_per_s", "tokens/s", *tokens, rate_interval(*tokens, metric));
  }

  void add(const project::ConfigurationProjection& c, const std::string& name, const std::string& measure,
           const std::string& unit, double value, const std::optional<project::Interval>& interval) {
    std::string extra = fmt::format("coverage: {} %", number_text(100 * c.coverage, 4));
    if (interval)
      extra += fmt::format("\n{} % interval: {} to {}", full_precision(100 * confidence_),
                           full_precision(interval->low), full_precision(interval->high));
    figures_.push_back({c.name, name, measure, unit, value, interval, false, std::move(extra)});
  }

  double confidence_;
  std::vector<Figure> figures_;
};

std::vector<Figure> figures_of(const evaluate::Evaluation& evaluation) {
  std::vector<Figure> figures;
  for (const evaluate::MethodScore& method : evaluation.methods) {
    const auto add = [&](const std::string& name, const char* unit, double value) {
      const bool error = unit[0] == '%';
      figures.push_back(
          {evaluate::label_of(method), name, name, unit, value, {}, error, "points: " + std::to_string(method.points)});
    };
    for (const evaluate::ConfigurationScore& c : method.configurations) {
      add("error on " + c.name, "%", 100 * c.total.rms);
      if (c.speedup) add("error of speedup of " + c.name, "%", 100 * c.speedup->rms);
    }
    add("serial reduction", "x", method.reduction.serial);
    add("parallel reduction", "x", method.reduction.parallel);
    add("reduction by count", "x", method.reduction.count);
  }
  return figures;
}

std::string gh_benchmark(const std::vector<Figure>& figures) {
  artifacts::Json list = artifacts::Json::array();
  for (const Figure& figure : figures) {
    if (!figure.smaller_is_better || !std::isfinite(figure.value)) continue;
    artifacts::Json entry{{"name", fmt::format("{}/{}", figure.benchmark, figure.name)},
                          {"unit", figure.unit},
                          {"value", artifacts::rounded_json(figure.value)}};
    if (figure.interval)
      entry["range"] =
          "± " + number_text(std::max(figure.interval->high - figure.value, figure.value - figure.interval->low), 3);
    entry["extra"] = figure.extra;
    list.push_back(std::move(entry));
  }
  return artifacts::json_text(list);
}

artifacts::Json bmf_metric(double value, const std::optional<project::Interval>& interval, double scale = 1) {
  artifacts::Json metric{{"value", artifacts::rounded_json(scale * value)}};
  if (!interval) return metric;
  metric["lower_value"] = artifacts::rounded_json(scale * interval->low);
  metric["upper_value"] = artifacts::rounded_json(scale * interval->high);
  return metric;
}

/// A measure of that name that stands there already stays: a column of the user's goes before a figure made of it.
void add_bmf_figure(artifacts::Json& json, const Figure& figure) {
  artifacts::Json& benchmark = json.emplace(figure.benchmark, artifacts::Json::object()).first.value();
  if (std::isfinite(figure.value) && !benchmark.contains(figure.measure))
    benchmark[figure.measure] = bmf_metric(figure.value, figure.interval);
}

}  // namespace

std::string projection_gh_benchmark(const project::Projection& projection) {
  return gh_benchmark(ProjectionFigures(projection).take());
}

std::string evaluation_gh_benchmark(const evaluate::Evaluation& evaluation) {
  return gh_benchmark(figures_of(evaluation));
}

std::string projection_bmf(const project::Projection& projection, const select::Selection& selection) {
  constexpr double kNanoseconds = 1e9;
  const double overheads = projection.overheads ? projection.overheads->seconds : 0;
  artifacts::Json json = artifacts::Json::object();
  for (const Figure& figure : ProjectionFigures(projection).take()) {
    add_bmf_figure(json, figure);
    if (figure.measure != "projected-run-time" || json[figure.benchmark].contains("latency")) continue;
    auto of_iterations = figure.interval;
    if (of_iterations)
      of_iterations = project::Interval{of_iterations->low - overheads, of_iterations->high - overheads};
    json[figure.benchmark]["latency"] = bmf_metric(figure.value - overheads, of_iterations,
                                                   kNanoseconds / static_cast<double>(selection.run.iterations));
  }
  return artifacts::json_text(json);
}

std::string evaluation_bmf(const evaluate::Evaluation& evaluation) {
  artifacts::Json json = artifacts::Json::object();
  for (const Figure& figure : figures_of(evaluation)) add_bmf_figure(json, figure);
  return artifacts::json_text(json);
}

}  // namespace seqpoint::io::views
