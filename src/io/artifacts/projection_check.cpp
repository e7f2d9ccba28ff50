// Properties of every valid projection, from any program. Edited figures are detected by the digest.
#include "io/artifacts/projection_check.hpp"

#include <algorithm>
#include <set>

namespace seqpoint::io::artifacts {
namespace {

using project::ConfigurationProjection;
using project::MetricKind;
using project::MetricProjection;

class ProjectionCheck {
 public:
  ProjectionCheck(const project::Projection& projection, const JsonReader& reader)
      : projection_(projection), reader_(reader) {}

  void run() const {
    std::set<std::string> names;
    for (std::size_t c = 0; c < projection_.configurations.size(); ++c)
      if (!names.insert(projection_.configurations[c].name).second)
        reader_.fail("configurations[" + std::to_string(c) + "].name", "stands there twice");
    if (!names.empty() && !names.contains(projection_.baseline))
      reader_.fail("baseline", "is the name of no configuration");
    for (std::size_t c = 0; c < projection_.configurations.size(); ++c)
      check(projection_.configurations[c], "configurations[" + std::to_string(c) + "].");
    if (projection_.breakdown) check(*projection_.breakdown, names);
  }

 private:
  void check(const ConfigurationProjection& configuration, const std::string& path) const {
    if (configuration.matched_rows > configuration.rows)
      reader_.fail(path + "matched_rows", "is " + std::to_string(configuration.matched_rows) +
                                              ", but profile_rows is " + std::to_string(configuration.rows));
    for (const project::MeasuredMetric& measured : configuration.measured)
      check(measured, path + "measured." + measured.name);
    for (const MetricProjection& metric : configuration.metrics) {
      if (metric.per_epoch && metric.kind != MetricKind::total)
        reader_.fail(path + "metrics." + metric.name + ".kind", "is that of no total, but there is a per_epoch");
    }
    for (const project::Speedup& speedup : configuration.speedups)
      if (!has_total(configuration, speedup.metric) || !has_total(baseline(), speedup.metric))
        reader_.fail(path + "speedup." + speedup.metric, "is of no total that it and the baseline have");
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

  void check(const project::Breakdown& breakdown, const std::set<std::string>& names) const {
    for (std::size_t c = 0; c < breakdown.configurations.size(); ++c) {
      const std::string path = "breakdown.configurations[" + std::to_string(c) + "].";
      if (!names.contains(breakdown.configurations[c].name))
        reader_.fail(path + "name", "is the name of no configuration");
    }
  }

  const ConfigurationProjection& baseline() const {
    return *std::ranges::find(projection_.configurations, projection_.baseline, &ConfigurationProjection::name);
  }
  static bool has_total(const ConfigurationProjection& configuration, const std::string& name) {
    return std::ranges::any_of(configuration.metrics, [&](const MetricProjection& metric) {
      return metric.name == name && metric.kind == MetricKind::total;
    });
  }

  const project::Projection& projection_;
  const JsonReader& reader_;
};

}  // namespace

void require_valid(const project::Projection& projection, const JsonReader& reader) {
  ProjectionCheck(projection, reader).run();
}

}  // namespace seqpoint::io::artifacts
