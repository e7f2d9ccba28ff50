// Reasons not to use an earlier projection as a gate's reference.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/findings.hpp"
#include "core/findings/checks.hpp"
#include "core/findings/rules.hpp"

namespace seqpoint::findings {
namespace {

/// Whether two figures are equal in 11 digits: figures in files have 12.
bool same_figure(double a, double b) { return std::abs(a - b) <= 1e-11 * std::abs(b); }

/// Whether a metric of the same name has the same repeats at the same points. False for no points, and if all values
/// are so coarse that this may be chance.
bool same_measurements(const project::MeasuredMetric& a, const project::MeasuredMetric& b) {
  const auto same = [](const project::PointMeasurement& x, const project::PointMeasurement& y) {
    return x.id == y.id && x.repeats == y.repeats && same_figure(x.value, y.value) && same_figure(x.least, y.least) &&
           same_figure(x.most, y.most);
  };
  return a.name == b.name && !a.points.empty() && std::ranges::equal(a.points, b.points, same) &&
         std::ranges::any_of(a.points, has_fine_digits, &project::PointMeasurement::value);
}

/// Whether any time metric has the same measurements in both.
bool same_times(const project::ConfigurationProjection& a, const project::ConfigurationProjection& b) {
  return std::ranges::any_of(a.measured, [&](const project::MeasuredMetric& metric) {
    const auto same = [&](const project::MeasuredMetric& other) { return same_measurements(metric, other); };
    return trace::is_time_metric(metric.name) && std::ranges::any_of(b.measured, same);
  });
}

std::string ids_or_none(const std::vector<std::string>& ids) {
  return ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", "));
}

}  // namespace

std::vector<Finding> findings_about_reference(const project::Projection& now, const project::Reference& reference) {
  std::vector<Finding> found;
  for (const project::ConfigurationProjection& c : now.configurations)
    for (const project::ConfigurationProjection& then : reference.projection.configurations) {
      if (then.name != c.name) continue;
      if (same_times(c, then))
        found.push_back({.kind = kSameMeasurements, .place = {reference.name}, .subject = c.name});
      if (c.missing_points != then.missing_points)
        found.push_back(
            {.kind = kOtherPointsThanBefore,
             .place = {reference.name},
             .figures = {{"now", ids_or_none(c.missing_points)}, {"then", ids_or_none(then.missing_points)}},
             .subject = c.name});
      for (const project::MetricProjection& metric : c.metrics) {
        const project::MetricProjection* const other = project::find_metric(then, metric.name);
        if (other == nullptr || !project::is_total_time(*other)) continue;
        if (metric.value == 0 || other->value == 0) continue;
        const double factor = factor_of(metric.value / other->value);
        if (factor >= kUnitFactor)
          found.push_back({.kind = kOtherUnitThanBefore,
                           .place = {reference.name},
                           .figures = {{"metric", metric.name}, {"factor", factor}},
                           .subject = c.name,
                           .severe = metric.value < other->value});
      }
    }
  return found;
}

}  // namespace seqpoint::findings
