#include "seqpoint/project/timed_run.hpp"

#include <cmath>

#include "core/project/measured_points.hpp"

namespace seqpoint::project {

TimedRun timed_run(const trace::Trace& run, std::span<const double> seconds, const std::string& name) {
  TimedRun timed{.selection = {}, .measured = {name, {}}};
  timed.selection.run = trace::summarise(run);
  profile::Measurements& measured = timed.measured.measurements;
  measured.metrics = {"runtime_s"};
  measured.values.emplace_back();
  measured.iterations.emplace_back();
  std::map<trace::Signature, std::vector<std::size_t>> positions;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (!std::isnan(seconds[i])) positions[run.signature(i)].push_back(i);
  for (const auto& [signature, count] : timed.selection.run.histogram) {
    const auto found = positions.find(signature);
    if (found == positions.end()) continue;
    timed.selection.points.push_back({.id = std::to_string(timed.selection.points.size()),
                                      .key = select::full_key(timed.selection.run.kind, signature),
                                      .weight = {static_cast<std::int64_t>(count) * select::Weight::kUnit},
                                      .iterations = {},
                                      .samples = {}});
    measured.values[0].emplace_back();
    measured.iterations[0].emplace_back();
    for (const std::size_t i : found->second) {
      measured.values[0].back().push_back(seconds[i]);
      measured.iterations[0].back().emplace_back(i);
    }
  }
  return timed;
}

std::map<trace::Signature, double> predicted_seconds(const TimedRun& timed,
                                                     const std::vector<trace::SignatureCount>& at) {
  const trace::RunSummary grid{
      .iterations = at.size(), .tokens = {}, .kind = timed.selection.run.kind, .histogram = at};
  const RunEstimator estimator(timed.selection, &grid);
  const MeasuredPoints points = *measured_points(timed.measured.measurements, 0, false);
  const Eigen::VectorXd costs = estimator.curve(estimator.fit(points.counts), points);
  std::map<trace::Signature, double> seconds;
  for (std::size_t g = 0; g < at.size(); ++g) seconds.emplace(at[g].signature, costs[static_cast<Eigen::Index>(g)]);
  return seconds;
}

}  // namespace seqpoint::project
