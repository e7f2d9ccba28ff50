// A projection beside the SeqPoints that it was made from.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/artifacts/projection_check.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::artifacts {
namespace {

using project::ConfigurationProjection;
using project::MetricKind;
using project::MetricProjection;

class Agreement {
 public:
  Agreement(const ProjectionFile& file, const select::Selection& selection)
      : file_(file), selection_(selection), run_(selection.run) {
    for (std::size_t p = 0; p < selection.points.size(); ++p) place_[selection.points[p].id] = p;
  }

  void run() const {
    require_count("run.points", file_.points, place_.size());
    if (!file_.projection.target_run) check_run();
    for (std::size_t c = 0; c < file_.projection.configurations.size(); ++c)
      check(file_.projection.configurations[c], "configurations[" + std::to_string(c) + "].");
  }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& problem) const {
    throw InputError({file_.record.path, 0, key}, problem, "make the file anew with `seqpoint project`");
  }

  void require(const std::string& key, double stated, double expected) const {
    if (std::isfinite(stated) && !same_figure(stated, expected)) refuse(key, disagreement(stated, expected, kOrigin));
  }
  void require_count(const std::string& key, const std::optional<std::uint64_t>& stated, std::uint64_t expected) const {
    if (stated) require(key, static_cast<double>(*stated), static_cast<double>(expected));
  }

  void check_run() const {
    require_count("run.iterations", file_.iterations, run_.iterations);
    require_count("run.samples", file_.samples, run_.samples);
    require_count("run.epochs", file_.epochs, run_.epochs);
    if (file_.projection.overheads)
      require_count("overheads.signatures", file_.projection.overheads->signatures, run_.histogram.size());
  }

  void check(const ConfigurationProjection& configuration, const std::string& path) const {
    for (const std::string& id : configuration.missing_points) require_known(id, path + "missing_points");
    for (const project::MeasuredMetric& measured : configuration.measured) check(measured, configuration, path);
    if (const auto& throughput = configuration.throughput; throughput && !file_.projection.target_run)
      check(*throughput, path + "throughput.");
  }

  void require_known(const std::string& id, const std::string& key) const {
    if (!place_.contains(id)) refuse(key, fmt::format("has point '{}', which the SeqPoints have not", id));
  }

  void check(const project::MeasuredMetric& measured, const ConfigurationProjection& configuration,
             const std::string& path) const {
    std::vector<std::size_t> points;
    double total = 0;
    for (const project::PointMeasurement& point : measured.points) {
      require_known(point.id, path + "measured." + measured.name);
      points.push_back(place_.at(point.id));
      total += selection_.points[points.back()].weight.iterations() * point.value;
    }
    const auto metric = std::ranges::find(configuration.metrics, measured.name, &MetricProjection::name);
    if (metric == configuration.metrics.end() || metric->kind == MetricKind::rate) return;
    const std::string key = path + "metrics." + metric->name;
    require(metric->coverage == configuration.coverage ? path + "coverage" : key + ".coverage", metric->coverage,
            select::coverage(selection_, points));
    if (metric->kind == MetricKind::total && measured.points.size() == place_.size() && adds_up(measured))
      require(key + ".value", metric->value, total + overheads(*metric, configuration));
  }

  /// Of another run the weights are others; what goes below zero may cancel.
  bool adds_up(const project::MeasuredMetric& measured) const {
    return !file_.projection.target_run &&
           std::ranges::all_of(measured.points, [](const auto& p) { return p.value >= 0; });
  }

  double overheads(const MetricProjection& metric, const ConfigurationProjection& configuration) const {
    const auto measured = std::ranges::find(configuration.first_seen, metric.name, &project::FirstSeenCost::metric);
    const double seconds = measured == configuration.first_seen.end() ? 0 : measured->seconds;
    const auto& overheads = file_.projection.overheads;
    return seconds + (overheads && trace::is_time_metric(metric.name) ? overheads->seconds : 0);
  }

  void check(const project::Throughput& throughput, const std::string& path) const {
    const double runs_per_s = throughput.samples_per_s / static_cast<double>(run_.samples);
    require(path + "padded_tokens_per_s", throughput.padded_tokens_per_s,
            runs_per_s * static_cast<double>(run_.padded_tokens));
    if (throughput.tokens_per_s && run_.tokens)
      require(path + "tokens_per_s", *throughput.tokens_per_s, runs_per_s * static_cast<double>(*run_.tokens));
  }

  static constexpr std::string_view kOrigin = "the file with its SeqPoints";

  const ProjectionFile& file_;
  const select::Selection& selection_;
  const trace::RunSummary& run_;
  std::map<std::string, std::size_t, std::less<>> place_;  ///< of the points
};

}  // namespace

void require_agreement(const ProjectionFile& file, const select::Selection& selection) {
  Agreement(file, selection).run();
}

}  // namespace seqpoint::io::artifacts
