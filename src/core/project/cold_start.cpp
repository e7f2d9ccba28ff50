#include "core/project/projection.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/numbers.hpp"
#include "core/profile/first_executions.hpp"

namespace seqpoint::project {
namespace {

/// The extra cost of a point's first execution in a process, >= 0.
struct Excess {
  std::size_t point;
  std::optional<double> seconds;  ///< nothing: the process did not measure the point
};

/// The mean of the measurements of the same metric, point and process as `first`; nothing if there are none.
std::optional<double> mean_in_process(const profile::Measurements& measured, const profile::FirstExecution& first) {
  std::vector<double> own;
  for (const profile::Reading& reading : measured.readings[first.metric][first.point])
    if (reading.process == first.process) own.push_back(reading.value);
  return own.empty() ? std::nullopt : std::optional(mean(own));
}

/// For each point and process, the first execution minus the mean of the measurements there, or 0 if it is not slower.
/// Only the earliest first execution counts: if a plan runs twice in a process, shapes are new in the first run only.
std::vector<Excess> excesses_of(const profile::Measurements& measured, std::size_t metric) {
  std::vector<Excess> found;
  std::set<std::pair<std::size_t, std::size_t>> known;
  for (const profile::FirstExecution& first : measured.first_executions) {
    if (first.metric != metric || !known.emplace(first.point, first.process).second) continue;
    found.push_back({first.point, {}});
    if (const auto later = mean_in_process(measured, first))
      found.back().seconds = std::max((first.value - *later) * static_cast<double>(first.executions), 0.0);
  }
  return found;
}

}  // namespace

std::optional<ColdStart> cold_start_of(const profile::Measurements& measured, std::size_t metric,
                                       const trace::RunSummary& run) {
  const std::optional<profile::FirstExecutions> first = profile::first_executions(measured, metric);
  if (measured.denies_cold_start || !first || !first->are_slower()) return std::nullopt;
  std::map<std::size_t, std::vector<double>> by_point;
  for (const Excess& excess : excesses_of(measured, metric))
    if (excess.seconds) by_point[excess.point].push_back(*excess.seconds);
  if (by_point.empty()) return std::nullopt;
  std::vector<double> of_points;
  for (const auto& [point, seconds] : by_point) of_points.push_back(mean(seconds));
  return ColdStart{.metric = measured.metrics[metric],
                   .seconds_each = mean(of_points),
                   .points = of_points.size(),
                   .shapes = run.iterations_with_new_shapes(),
                   .is_of_part = run.loaded > 0};
}

const ColdStart* find_cold_start(const ConfigurationProjection& configuration, std::string_view metric) {
  const auto found = std::ranges::find(configuration.cold_start, metric, &ColdStart::metric);
  return found == configuration.cold_start.end() ? nullptr : &*found;
}

std::vector<std::size_t> unjoined_points(const profile::Measurements& measured, std::size_t metric) {
  std::map<std::size_t, bool> joined;
  for (const Excess& excess : excesses_of(measured, metric)) joined[excess.point] |= excess.seconds.has_value();
  std::vector<std::size_t> points;
  for (const auto& [point, is_joined] : joined)
    if (!is_joined) points.push_back(point);
  return points;
}

bool is_worth_adding(const ColdStart& cost, const MetricProjection& total) {
  return cost.about() > kMinColdStart * std::abs(total.value);
}

}  // namespace seqpoint::project
