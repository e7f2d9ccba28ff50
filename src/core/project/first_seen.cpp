#include "core/project/first_seen.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/averages.hpp"
#include "core/distributions.hpp"

namespace seqpoint::project {
namespace {

/// What the first execution of a point in a process took more.
struct Excess {
  std::size_t point, process;
  bool near;                      ///< a near shape ran before
  std::optional<double> seconds;  ///< nothing: the process did not measure the point
};

std::optional<double> mean_in_session(const profile::Measurements& measured, const profile::FirstExecution& first) {
  std::vector<double> own;
  for (const profile::Reading& reading : measured.readings[first.metric][first.point])
    if (reading.session == first.session) own.push_back(reading.value);
  return own.empty() ? std::nullopt : std::optional(mean(own));
}

/// One a process: a plan that runs twice in one has shapes that are new in the first only.
std::vector<Excess> excesses_of(const profile::Measurements& measured, std::size_t metric) {
  std::vector<Excess> found;
  std::set<std::pair<std::size_t, std::size_t>> known;
  for (const profile::FirstExecution& first : measured.first_executions) {
    if (first.metric != metric || !known.emplace(first.point, first.session).second) continue;
    found.push_back({first.point, first.session, first.near, {}});
    if (const auto later = mean_in_session(measured, first))
      found.back().seconds = (first.value - *later) * static_cast<double>(first.executions);
  }
  return found;
}

/// The means over processes, of every point that has one; with `near` where a near shape ran before, or where none did.
std::vector<double> means_of(const std::vector<Excess>& excesses, std::optional<bool> near = {}) {
  std::map<std::size_t, std::vector<double>> by_point;
  for (const Excess& excess : excesses)
    if (excess.seconds && excess.near == near.value_or(excess.near)) by_point[excess.point].push_back(*excess.seconds);
  std::vector<double> means;
  for (const auto& [point, seconds] : by_point) means.push_back(mean(seconds));
  return means;
}

/// FirstSeenCost::process_deviation: what a process took more than others at the same points, over what those cost.
double process_deviation(const std::vector<Excess>& excesses, const FirstSeenCost& cost) {
  std::map<std::pair<std::size_t, bool>, std::vector<double>> by_point;
  for (const Excess& excess : excesses)
    if (excess.seconds) by_point[{excess.point, excess.near}].push_back(*excess.seconds);
  std::map<std::size_t, std::pair<double, double>> sums;
  for (const Excess& excess : excesses) {
    if (!excess.seconds || by_point[{excess.point, excess.near}].size() < 2) continue;
    const bool near = cost.near && (excess.near || cost.distant.points == 0);
    sums[excess.process].first += *excess.seconds - mean(by_point[{excess.point, excess.near}]);
    sums[excess.process].second += (near ? *cost.near : cost.distant).seconds_each;
  }
  std::vector<double> levels;
  for (const auto& [process, sum] : sums)
    if (sum.second > 0) levels.push_back(sum.first / sum.second);
  if (levels.size() < 2) return 0;
  const auto processes = static_cast<double>(levels.size());
  return std::sqrt(squared_deviations(levels) / (processes - 1) * (1 + 1 / processes));
}

FirstSeenCost::Part by_median(const std::vector<double>& values, std::size_t shapes) {
  return {.seconds_each = std::max(median(values), 0.0),
          .deviation_each = deviation_of_median(values),
          .points = values.size(),
          .shapes = shapes};
}

/// `known`: degrees of freedom, beside one for each value, that have the sum of squares `before`.
FirstSeenCost::Part by_mean(const std::vector<double>& values, double known, double before, std::size_t shapes) {
  const auto n = static_cast<double>(values.size());
  return {.seconds_each = std::max(mean(values), 0.0),
          .deviation_each = std::sqrt((squared_deviations(values) + before) / ((n - 1 + known) * n)),
          .points = values.size(),
          .shapes = shapes};
}

double seconds_of(const FirstSeenCost& cost, double distant, double near) {
  return distant * cost.distant.seconds_each + (cost.near ? near * cost.near->seconds_each : 0.0);
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
  const std::vector<Excess> excesses = excesses_of(measured, metric);
  const std::vector<double> all = means_of(excesses), distant = means_of(excesses, false),
                            near = means_of(excesses, true);
  if (all.size() < 2) return std::nullopt;
  const std::size_t signatures = run.histogram.size();
  FirstSeenCost cost{.metric = measured.metrics[metric]};
  if (near.empty()) {
    cost.distant = by_median(all, signatures);
  } else if (distant.size() < 2) {
    cost.near = by_mean(all, 0, 0, signatures);
  } else {  // a sum needs means: few shapes may cost what most do not
    cost.distant = by_mean(distant, 0, 0, std::min(all.size(), signatures));
    // Before any is seen, a shape costs as much as a distant one or nothing, at equal odds: that counts as one value.
    cost.near = by_mean(near, 1, std::pow(cost.distant.seconds_each / 2, 2), signatures - cost.distant.shapes);
  }
  const auto far = static_cast<double>(cost.distant.shapes),
             rest = static_cast<double>(cost.near.value_or(FirstSeenCost::Part{}).shapes);
  cost.seconds = seconds_of(cost, far, rest);
  cost.half_width_without = half_width_of(cost, far, rest, confidence);
  cost.process_deviation = process_deviation(excesses, cost);
  cost.half_width = half_width_of(cost, far, rest, confidence);
  return cost;
}

double half_width_of(const FirstSeenCost& cost, double distant, double near, double confidence) {
  return std::hypot(distant * cost.distant.deviation_each, cost.near ? near * cost.near->deviation_each : 0.0,
                    cost.process_deviation * seconds_of(cost, distant, near)) *
         normal_quantile((1 + confidence) / 2);
}

const FirstSeenCost* find_first_seen(const ConfigurationProjection& configuration, std::string_view metric) {
  const auto found = std::ranges::find(configuration.first_seen, metric, &FirstSeenCost::metric);
  return found == configuration.first_seen.end() ? nullptr : &*found;
}

bool told_alike(const FirstSeenCost& a, const FirstSeenCost& b) {
  return a.near.has_value() == b.near.has_value() && (a.distant.points > 0) == (b.distant.points > 0);
}

std::vector<std::size_t> unjoined_points(const profile::Measurements& measured, std::size_t metric) {
  std::map<std::size_t, bool> joined;
  for (const Excess& excess : excesses_of(measured, metric)) joined[excess.point] |= excess.seconds.has_value();
  std::vector<std::size_t> points;
  for (const auto& [point, is_joined] : joined)
    if (!is_joined) points.push_back(point);
  return points;
}

Interval with_seconds(const Interval& interval, double total, double seconds, double half_width) {
  if (half_width == 0) return {interval.low + seconds, interval.high + seconds};
  const double least = std::min(interval.low, 0.0);
  return {std::max(total + seconds - std::hypot(total - interval.low, half_width), least),
          total + std::hypot(interval.high - total, half_width) + seconds};
}

}  // namespace seqpoint::project
