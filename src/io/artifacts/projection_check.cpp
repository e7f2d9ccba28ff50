#include "io/artifacts/projection_check.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace seqpoint::io::artifacts {
namespace {

/// Figures are written with twelve digits; those that are not finite say nothing.
bool differ(double a, double b) { return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) > 1e-9 * std::abs(b); }

class ProjectionCheck {
 public:
  ProjectionCheck(const ProjectionFile& file, const JsonReader& reader) : file_(file), reader_(reader) {}

  void run() const {
    const project::Projection& projection = file_.projection;
    if (!(projection.confidence > 0 && projection.confidence < 1)) reader_.fail("confidence", "is not between 0 and 1");
    std::set<std::string> names;
    for (std::size_t c = 0; c < projection.configurations.size(); ++c) {
      const std::string path = "configurations[" + std::to_string(c) + "].";
      const project::ConfigurationProjection& configuration = projection.configurations[c];
      if (!names.insert(configuration.name).second) reader_.fail(path + "name", "stands there twice");
      check(configuration, path);
    }
    if (!names.empty() && !names.contains(projection.baseline))
      reader_.fail("baseline", "is the name of no configuration");
  }

 private:
  void check(const project::ConfigurationProjection& configuration, const std::string& path) const {
    require_share(configuration.coverage, path + "coverage");
    for (const project::MetricProjection& metric : configuration.metrics) {
      const std::string place = path + "metrics." + metric.name + ".";
      require_share(metric.coverage, place + "coverage");
      if (metric.per_epoch && file_.epochs &&
          differ(*metric.per_epoch * static_cast<double>(*file_.epochs), metric.value))
        reader_.fail(place + "per_epoch", "is not value over run.epochs");
    }
    if (configuration.throughput) check(*configuration.throughput, configuration, path + "throughput.");
    for (const project::MeasuredMetric& measured : configuration.measured)
      check(measured, path + "measured." + measured.name);
  }

  void check(const project::Throughput& throughput, const project::ConfigurationProjection& configuration,
             const std::string& path) const {
    for (const project::MetricProjection& metric : configuration.metrics)
      if (metric.name == throughput.time_metric && metric.kind == project::MetricKind::total && file_.samples &&
          differ(throughput.samples_per_s * metric.value, static_cast<double>(*file_.samples)))
        reader_.fail(path + "samples_per_s", "is not run.samples over the total of " + metric.name);
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

  void require_share(double share, const std::string& path) const {
    if (!(share >= 0 && share <= 1)) reader_.fail(path, "is not between 0 and 1");
  }

  const ProjectionFile& file_;
  const JsonReader& reader_;
};

}  // namespace

void require_consistent(const ProjectionFile& file, const JsonReader& reader) { ProjectionCheck(file, reader).run(); }

}  // namespace seqpoint::io::artifacts
