#include "io/artifacts/projection_check.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace seqpoint::io::artifacts {
namespace {

using project::ConfigurationProjection;
using project::MetricKind;
using project::MetricProjection;

const MetricProjection* find_total(const ConfigurationProjection& configuration, const std::string& name) {
  for (const MetricProjection& metric : configuration.metrics)
    if (metric.name == name && metric.kind == MetricKind::total) return &metric;
  return nullptr;
}

class ProjectionCheck {
 public:
  ProjectionCheck(const ProjectionFile& file, const JsonReader& reader)
      : file_(file), projection_(file.projection), reader_(reader) {}

  void run() const {
    if (!(projection_.confidence > 0 && projection_.confidence < 1))
      reader_.fail("confidence", "is not between 0 and 1");
    std::set<std::string> names;
    for (std::size_t c = 0; c < projection_.configurations.size(); ++c)
      if (!names.insert(projection_.configurations[c].name).second)
        reader_.fail("configurations[" + std::to_string(c) + "].name", "stands there twice");
    if (!names.empty() && !names.contains(projection_.baseline))
      reader_.fail("baseline", "is the name of no configuration");
    for (std::size_t c = 0; c < projection_.configurations.size(); ++c) check(c);
    if (projection_.overheads) check(*projection_.overheads);
    if (projection_.breakdown) check(*projection_.breakdown, names);
  }

 private:
  /// Figures that are not finite say nothing.
  void require(const std::string& path, double stated, double expected, double unit = 0) const {
    if (std::isfinite(stated) && std::isfinite(expected) && !same_figure(stated, expected, unit))
      reader_.fail(path, disagreement(stated, expected));
  }

  void check(std::size_t c) const {
    const std::string path = "configurations[" + std::to_string(c) + "].";
    const ConfigurationProjection& configuration = projection_.configurations[c];
    if (configuration.matched_rows > configuration.rows)
      reader_.fail(path + "matched_rows", "is " + std::to_string(configuration.matched_rows) +
                                              ", but profile_rows is " + std::to_string(configuration.rows));
    check(configuration.executed, configuration.rows, path + "executed.");
    for (const project::MeasuredMetric& measured : configuration.measured)
      check(measured, path + "measured." + measured.name);
    const bool listed = reader_.root()["configurations"][c].contains("missing_points");
    if (listed) check_points(configuration, reader_.root()["configurations"][c], path);
    check_coverage(configuration, listed, path);
    for (const MetricProjection& metric : configuration.metrics) check(metric, path + "metrics." + metric.name + ".");
    for (const project::Speedup& speedup : configuration.speedups)
      check(speedup, configuration, path + "speedup." + speedup.metric);
    if (configuration.throughput) check(*configuration.throughput, configuration, path + "throughput.");
  }

  void check(const project::Executed& executed, std::uint64_t rows, const std::string& path) const {
    if (executed.executions == 0) return;  // the file does not say
    if (executed.first > executed.warmup) reader_.fail(path + "first", "is more than warmup");
    require(path + "executions", static_cast<double>(executed.executions), static_cast<double>(rows + executed.warmup));
    if (file_.iterations)
      require(path + "fewer", executed.fewer,
              static_cast<double>(*file_.iterations) / static_cast<double>(executed.executions));
  }

  void check(const project::MeasuredMetric& measured, const std::string& path) const {
    std::set<std::string> ids;
    for (const project::PointMeasurement& point : measured.points) {
      if (!ids.insert(point.id).second) reader_.fail(path, "has point '" + point.id + "' twice");
      if (point.repeats == 0) reader_.fail(path, "has point '" + point.id + "' measured never");
      if (!(point.least <= point.value && point.value <= point.most))
        reader_.fail(path, "of point '" + point.id + "' has its mean outside the least and the most");
    }
  }

  /// Measurements beyond all numbers are not read, but are there.
  static bool all_read(const ConfigurationProjection& configuration, const Json& json) {
    return std::all_of(configuration.measured.begin(), configuration.measured.end(), [&](const auto& metric) {
      return json["measured"][metric.name].size() == metric.points.size();
    });
  }

  void check_points(const ConfigurationProjection& configuration, const Json& json, const std::string& path) const {
    const auto measured = points_measured(configuration);
    if (!measured || !all_read(configuration, json)) return;
    std::set<std::string> missing;
    for (const std::string& id : configuration.missing_points) {
      if (!missing.insert(id).second) reader_.fail(path + "missing_points", "has '" + id + "' twice");
      if (measured->contains(id)) reader_.fail(path + "missing_points", "has '" + id + "', which was measured");
    }
    const std::uint64_t points = measured->size() + missing.size();
    if (file_.points && *file_.points != points)
      reader_.fail("run.points", "is " + std::to_string(*file_.points) + ", but " + path +
                                     "measured and missing_points have " + std::to_string(points));
  }

  /// `listed`: whether the missing points are.
  void check_coverage(const ConfigurationProjection& configuration, bool listed, const std::string& path) const {
    require_share(configuration.coverage, path + "coverage");
    double least = 1;
    for (const MetricProjection& metric : configuration.metrics) {
      require_share(metric.coverage, path + "metrics." + metric.name + ".coverage");
      least = std::min(least, metric.coverage);
    }
    const bool rates = std::any_of(configuration.metrics.begin(), configuration.metrics.end(),
                                   [](const MetricProjection& metric) { return metric.kind == MetricKind::rate; });
    // A rate may be of other metrics than are listed.
    if (listed && !rates && !configuration.measured.empty() && configuration.missing_points.empty()) least = 1;
    require(path + "coverage", configuration.coverage, least);
  }

  void check(const MetricProjection& metric, const std::string& path) const {
    if (metric.per_epoch && metric.kind != MetricKind::total)
      reader_.fail(path + "kind", "is that of no total, but there is a per_epoch");
    if (metric.per_epoch && file_.epochs)
      require(path + "per_epoch", *metric.per_epoch, metric.value / static_cast<double>(*file_.epochs));
  }

  static std::vector<std::string> ids_of(const ConfigurationProjection& configuration, const std::string& metric) {
    std::vector<std::string> ids;
    for (const project::MeasuredMetric& measured : configuration.measured)
      if (measured.name == metric)
        for (const project::PointMeasurement& point : measured.points) ids.push_back(point.id);
    return ids;
  }

  void check(const project::Speedup& speedup, const ConfigurationProjection& configuration,
             const std::string& path) const {
    const auto baseline =
        std::ranges::find(projection_.configurations, projection_.baseline, &ConfigurationProjection::name);
    const MetricProjection* const own = find_total(configuration, speedup.metric);
    const MetricProjection* const base = find_total(*baseline, speedup.metric);
    if (own == nullptr || base == nullptr) reader_.fail(path, "is of no total that it and the baseline have");
    if (ids_of(configuration, speedup.metric) == ids_of(*baseline, speedup.metric))  // else it is of those of both
      require(path + ".value", speedup.value, base->value / own->value);
    if (own != base || !speedup.interval) return;
    require(path + ".low", speedup.interval->low, 1);
    require(path + ".high", speedup.interval->high, 1);
  }

  void check(const project::Throughput& throughput, const ConfigurationProjection& configuration,
             const std::string& path) const {
    for (const MetricProjection& metric : configuration.metrics) {
      if (metric.name != throughput.time_metric) continue;
      if (metric.kind != MetricKind::total) reader_.fail(path + "time", "is " + metric.name + ", which is no total");
      if (file_.samples)
        require(path + "samples_per_s", throughput.samples_per_s, static_cast<double>(*file_.samples) / metric.value);
    }
  }

  void check(const project::Overheads& overheads) const {
    if (overheads.per_epoch_s < 0) reader_.fail("overheads.per_epoch_s", "is negative");
    if (overheads.first_seen_s < 0) reader_.fail("overheads.first_seen_s", "is negative");
    if (file_.epochs)
      require("overheads.seconds", overheads.seconds,
              overheads.per_epoch_s * static_cast<double>(*file_.epochs) +
                  overheads.first_seen_s * static_cast<double>(overheads.signatures));
  }

  void check(const project::Breakdown& breakdown, const std::set<std::string>& names) const {
    std::map<std::string, double> of_baseline;
    for (const project::ConfigurationBreakdown& part : breakdown.configurations)
      if (part.name == projection_.baseline)
        for (const project::BreakdownRow& row : part.rows) of_baseline[row.name] = row.seconds;
    for (std::size_t c = 0; c < breakdown.configurations.size(); ++c) {
      const std::string path = "breakdown.configurations[" + std::to_string(c) + "].";
      if (!names.contains(breakdown.configurations[c].name))
        reader_.fail(path + "name", "is the name of no configuration");
      check(breakdown.configurations[c], of_baseline, path);
    }
  }

  void check(const project::ConfigurationBreakdown& part, const std::map<std::string, double>& of_baseline,
             const std::string& path) const {
    require_share(part.coverage, path + "coverage");
    double sum = 0, sizes = 0;
    for (const project::BreakdownRow& row : part.rows) {
      sum += row.seconds;
      sizes += std::abs(row.seconds);
    }
    require(path + "seconds", part.seconds, sum, sizes);
    std::set<std::string> names;
    for (std::size_t r = 0; r < part.rows.size(); ++r) {
      const project::BreakdownRow& row = part.rows[r];
      const std::string place = path + "rows[" + std::to_string(r) + "].";
      if (!names.insert(row.name).second) reader_.fail(place + "name", "stands there twice");
      if (part.seconds > 0) require(place + "share", row.share, row.seconds / part.seconds, sizes / part.seconds);
      const auto base = of_baseline.find(row.name);
      if (row.change && base != of_baseline.end()) require(place + "change", *row.change, row.seconds / base->second);
    }
  }

  void require_share(double share, const std::string& path) const {
    if (!(share >= 0 && share <= 1)) reader_.fail(path, "is not between 0 and 1");
  }

  const ProjectionFile& file_;
  const project::Projection& projection_;
  const JsonReader& reader_;
};

}  // namespace

std::optional<std::set<std::string>> points_measured(const ConfigurationProjection& configuration) {
  std::optional<std::set<std::string>> everywhere;
  for (const project::MeasuredMetric& metric : configuration.measured) {
    std::set<std::string> ids;
    for (const project::PointMeasurement& point : metric.points)
      if (!everywhere || everywhere->contains(point.id)) ids.insert(point.id);
    everywhere = std::move(ids);
  }
  return everywhere;
}

void require_consistent(const ProjectionFile& file, const JsonReader& reader) { ProjectionCheck(file, reader).run(); }

}  // namespace seqpoint::io::artifacts
