#include "core/project/first_seen.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/averages.hpp"
#include "core/distributions.hpp"

namespace seqpoint::project {
namespace {

/// What the first executions of a point took more, by process.
struct Excesses {
  std::vector<double> all, distant, near;
};

std::optional<double> mean_in_session(const profile::Measurements& measured, const profile::FirstExecution& first) {
  std::vector<double> own;
  for (const profile::Reading& reading : measured.readings[first.metric][first.point])
    if (reading.session == first.session) own.push_back(reading.value);
  return own.empty() ? std::nullopt : std::optional(mean(own));
}

/// An excess a process: a plan that runs twice in one has shapes that are new in the first only.
std::map<std::size_t, Excesses> excesses_of(const profile::Measurements& measured, std::size_t metric) {
  std::map<std::size_t, Excesses> found;
  std::set<std::pair<std::size_t, std::size_t>> known;
  for (const profile::FirstExecution& first : measured.first_executions) {
    if (first.metric != metric || !known.emplace(first.point, first.session).second) continue;
    Excesses& of_point = found[first.point];
    const auto later = mean_in_session(measured, first);
    if (!later) continue;
    of_point.all.push_back((first.value - *later) * static_cast<double>(first.executions));
    (first.near ? of_point.near : of_point.distant).push_back(of_point.all.back());
  }
  return found;
}

FirstSeenCost::Part by_median(const std::vector<double>& values, std::size_t shapes) {
  return {.seconds_each = std::max(median(values), 0.0),
          .deviation_each = deviation_of_median(values),
          .points = values.size(),
          .shapes = shapes};
}

/// `known`: degrees of freedom, beside one for each value, that have the sum of squares `before`.
FirstSeenCost::Part by_mean(const std::vector<double>& values, double known, double before, std::size_t shapes) {
  const double middle = mean(values), n = static_cast<double>(values.size());
  double squares = before;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return {.seconds_each = std::max(middle, 0.0),
          .deviation_each = std::sqrt(squares / ((n - 1 + known) * n)),
          .points = values.size(),
          .shapes = shapes};
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
  std::vector<double> all, distant, near;  // a mean over processes of every point that has one
  const auto add = [](const std::vector<double>& excesses, std::vector<double>& means) {
    if (!excesses.empty()) means.push_back(mean(excesses));
  };
  for (const auto& [point, excesses] : excesses_of(measured, metric)) {
    add(excesses.all, all);
    add(excesses.distant, distant);
    add(excesses.near, near);
  }
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
  const FirstSeenCost::Part others = cost.near.value_or(FirstSeenCost::Part{});
  const auto spread = static_cast<double>(cost.distant.shapes), rest = static_cast<double>(others.shapes);
  cost.seconds = cost.distant.seconds_each * spread + others.seconds_each * rest;
  cost.half_width = half_width_of(cost, spread, rest, confidence);
  return cost;
}

double half_width_of(const FirstSeenCost& cost, double distant, double near, double confidence) {
  return std::hypot(distant * cost.distant.deviation_each, cost.near ? near * cost.near->deviation_each : 0.0) *
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
  std::vector<std::size_t> points;
  for (const auto& [point, excesses] : excesses_of(measured, metric))
    if (excesses.all.empty()) points.push_back(point);
  return points;
}

Interval with_seconds(const Interval& interval, double total, double seconds, double half_width) {
  if (half_width == 0) return {interval.low + seconds, interval.high + seconds};
  const double least = std::min(interval.low, 0.0);
  return {std::max(total - std::hypot(total - interval.low, half_width), least) + seconds,
          total + std::hypot(interval.high - total, half_width) + seconds};
}

}  // namespace seqpoint::project
