#include "core/measuring/first_executions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/numbers.hpp"
#include "core/project/measured_points.hpp"

namespace seqpoint::measuring {
namespace {

constexpr double kOneSided95 = 1.644854;      // quantile of the normal distribution
constexpr double kAllowedBias = 0.25;         // of a half-width
constexpr double kDeviations = 3.5;           // Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993
constexpr double kNormalOfMedian = 1.482602;  // standard deviation over median absolute deviation, of normal values
constexpr std::size_t kFewestPoints = 3;

/// The means of the measurements of a metric by point.
std::map<std::size_t, double> later_means(const profile::Measurements& measured, std::size_t metric) {
  std::map<std::size_t, double> means;
  for (std::size_t p = 0; p < measured.readings[metric].size(); ++p)
    if (const std::vector<double> values = profile::values_of(measured.readings[metric][p]); !values.empty())
      means[p] = mean(values);
  return means;
}

}  // namespace

std::optional<FirstExecutions> first_executions(std::span<const double> logs) {
  if (logs.size() < kFewestPoints) return std::nullopt;
  const std::vector<double> all(logs.begin(), logs.end());
  FirstExecutions found{.points = all.size(), .ratio = mean(all)};
  double squares = 0;
  std::vector<double> distances;
  const double middle = median(all);
  for (const double log : all) {
    squares += (log - found.ratio) * (log - found.ratio);
    distances.push_back(std::abs(log - middle));
  }
  const auto n = static_cast<double>(all.size());
  found.error = std::sqrt(squares / (n - 1) / n);
  found.farthest = *std::ranges::max_element(all) - middle;
  found.is_outlier = found.farthest > kDeviations * kNormalOfMedian * median(distances);
  return found;
}

std::optional<FirstExecutions> first_executions(const profile::Measurements& measured, std::size_t metric) {
  const std::map<std::size_t, double> later = later_means(measured, metric);
  std::map<std::size_t, double> logs;  // by point; the earliest first execution counts
  for (const profile::FirstExecution& first : measured.first_executions) {
    const auto of_point = later.find(first.point);
    if (first.metric != metric || first.executions != 1 || of_point == later.end()) continue;
    if (first.value > 0 && of_point->second > 0) logs.emplace(first.point, std::log(first.value / of_point->second));
  }
  std::vector<double> values;
  for (const auto& [point, log] : logs) values.push_back(log);
  return first_executions(values);
}

std::optional<double> reachable_half_width(const select::Selection& points, const profile::Measurements& measured) {
  return select::expected_half_width(points, project::between_processes(measured.device_busy));
}

bool count(const FirstExecutions& first, double share, double half_width) {
  const double allowed = kAllowedBias * half_width;
  const double bias = (std::abs(first.ratio) + kOneSided95 * first.error) * share;
  return bias <= allowed && !(first.is_outlier && first.farthest > allowed);
}

double share_of_first(std::uint64_t processes) { return 1 - 0.5 / static_cast<double>(processes); }

}  // namespace seqpoint::measuring
