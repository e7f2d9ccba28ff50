#include "core/profile/first_executions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/numbers.hpp"

namespace seqpoint::profile {
namespace {

constexpr double kDeviations = 3.5;           // Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993
constexpr double kNormalOfMedian = 1.482602;  // standard deviation over median absolute deviation, of normal values
constexpr std::size_t kFewestPoints = 2;

using PointOfProcess = std::pair<std::size_t, std::size_t>;

/// The mean measurement of a metric at each point in each process.
std::map<PointOfProcess, double> later_means(const Measurements& measured, std::size_t metric) {
  std::map<PointOfProcess, std::vector<double>> values;
  for (std::size_t p = 0; p < measured.readings[metric].size(); ++p)
    for (const Reading& reading : measured.readings[metric][p]) values[{p, reading.process}].push_back(reading.value);
  std::map<PointOfProcess, double> means;
  for (const auto& [where, of_point] : values) means[where] = mean(of_point);
  return means;
}

}  // namespace

bool FirstExecutions::are_slower() const { return ratio > kOneSided95 * error; }

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

std::optional<FirstExecutions> first_executions(const Measurements& measured, std::size_t metric) {
  const std::map<PointOfProcess, double> later = later_means(measured, metric);
  std::map<PointOfProcess, double> logs;  // the earliest first execution counts
  for (const FirstExecution& first : measured.first_executions) {
    const auto beside = later.find({first.point, first.process});
    if (first.metric != metric || beside == later.end() || !(beside->second > 0)) continue;
    const double ratio = 1 + (first.value / beside->second - 1) * static_cast<double>(first.executions);
    if (ratio > 0) logs.emplace(beside->first, std::log(ratio));
  }
  std::map<std::size_t, std::vector<double>> by_point;
  for (const auto& [where, log] : logs) by_point[where.first].push_back(log);
  std::vector<double> values;
  for (const auto& [point, of_processes] : by_point) values.push_back(mean(of_processes));
  return first_executions(values);
}

}  // namespace seqpoint::profile
