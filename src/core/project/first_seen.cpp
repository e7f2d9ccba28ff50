#include "core/project/first_seen.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/averages.hpp"
#include "core/distributions.hpp"

namespace seqpoint::project {
namespace {

/// By point.
using Excesses = std::map<std::size_t, std::vector<double>>;

std::optional<double> mean_in_session(const profile::Measurements& measured, const profile::FirstExecution& first) {
  std::vector<double> own;
  for (const profile::Reading& reading : measured.readings[first.metric][first.point])
    if (reading.session == first.session) own.push_back(reading.value);
  return own.empty() ? std::nullopt : std::optional(mean(own));
}

/// An excess a process: a plan that runs twice in one has shapes that are new in the first only.
Excesses excesses_of(const profile::Measurements& measured, std::size_t metric) {
  Excesses found;
  std::set<std::pair<std::size_t, std::size_t>> known;
  for (const profile::FirstExecution& first : measured.first_executions) {
    if (first.metric != metric || !known.emplace(first.point, first.session).second) continue;
    std::vector<double>& of_point = found[first.point];
    if (const auto later = mean_in_session(measured, first)) of_point.push_back(first.value - *later);
  }
  return found;
}

}  // namespace

double deviation_of_median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  const auto below = static_cast<std::size_t>(std::max(std::round((n + 1) / 2 - std::sqrt(n)), 1.0));
  double outside = 0;  // the probability that the median is outside of the two
  for (std::size_t i = 0; i < below; ++i) {
    const auto x = static_cast<double>(i);
    outside += 2 * std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) - n * std::log(2.0));
  }
  return (values[values.size() - below] - values[below - 1]) / (2 * normal_quantile(1 - outside / 2));
}

std::optional<FirstSeenCost> first_seen_cost(const profile::Measurements& measured, std::size_t metric,
                                             const trace::RunSummary& run, double confidence) {
  std::vector<double> of_points;
  for (const auto& [point, excesses] : excesses_of(measured, metric))
    if (!excesses.empty()) of_points.push_back(mean(excesses));
  if (of_points.size() < 2) return std::nullopt;
  const double signatures = static_cast<double>(run.histogram.size()), each = std::max(median(of_points), 0.0),
               deviation = deviation_of_median(of_points);
  return FirstSeenCost{.metric = measured.metrics[metric],
                       .seconds_each = each,
                       .deviation_each = deviation,
                       .points = of_points.size(),
                       .seconds = signatures * each,
                       .half_width = signatures * deviation * normal_quantile((1 + confidence) / 2)};
}

std::vector<std::size_t> unjoined_points(const profile::Measurements& measured, std::size_t metric) {
  std::vector<std::size_t> points;
  for (const auto& [point, excesses] : excesses_of(measured, metric))
    if (excesses.empty()) points.push_back(point);
  return points;
}

Interval with_seconds(const Interval& interval, double total, double seconds, double half_width) {
  if (half_width == 0) return {interval.low + seconds, interval.high + seconds};
  const double least = std::min(interval.low, 0.0);
  return {std::max(total - std::hypot(total - interval.low, half_width), least) + seconds,
          total + std::hypot(interval.high - total, half_width) + seconds};
}

}  // namespace seqpoint::project
