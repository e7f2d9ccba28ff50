#include "core/project/timed_run.hpp"

#include <cmath>
#include <map>
#include <vector>

namespace seqpoint::project {
TimedRun timed_run(const trace::Trace& run, std::span<const double> seconds, const std::string& name) {
  TimedRun timed{.selection = {}, .measured = {name, {}}};
  timed.selection.run = trace::summarise(run);
  profile::Measurements& measured = timed.measured.measurements;
  measured.metrics = {"runtime_s"};
  measured.readings.emplace_back();
  std::map<trace::Shape, std::vector<std::uint32_t>> positions;
  for (std::uint32_t i = 0; i < seconds.size(); ++i)
    if (!std::isnan(seconds[i])) positions[run.shapes[i]].push_back(i);
  for (const auto& [shape, count] : timed.selection.run.histogram) {
    const auto found = positions.find(shape);
    if (found == positions.end()) continue;
    timed.selection.points.push_back({.id = std::to_string(timed.selection.points.size()),
                                      .shape = shape,
                                      .weight = {static_cast<std::int64_t>(count) * select::Weight::kUnit},
                                      .iterations = {},
                                      .samples = {}});
    std::vector<profile::Reading>& readings = measured.readings[0].emplace_back();
    readings.reserve(found->second.size());
    for (const std::uint32_t i : found->second) readings.emplace_back(seconds[i], i);
  }
  return timed;
}

}  // namespace seqpoint::project
