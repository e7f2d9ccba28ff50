#include "seqpoint/project/timed_run.hpp"

#include "core/project/measured_points.hpp"

namespace seqpoint::project {

TimedRun timed_run(const trace::Trace& run, std::span<const std::size_t> positions, std::span<const double> seconds,
                   const std::string& name) {
  trace::Trace part;
  for (const std::size_t i : positions) part.add_signature(run.kind(), run.signature(i));
  TimedRun timed{.selection = {}, .measured = {name, {}}};
  timed.selection.run = trace::summarise(part);
  profile::Measurements& measured = timed.measured.measurements;
  measured.metrics = {"runtime_s"};
  measured.values.emplace_back(timed.selection.run.histogram.size());
  measured.iterations.emplace_back(timed.selection.run.histogram.size());
  std::map<trace::Signature, std::size_t> point_of;
  for (const auto& [signature, count] : timed.selection.run.histogram) {
    const std::size_t p = point_of.size();
    point_of.emplace(signature, p);
    timed.selection.points.push_back({.id = std::to_string(p),
                                      .key = select::full_key(timed.selection.run.kind, signature),
                                      .weight = {static_cast<std::int64_t>(count) * select::Weight::kUnit},
                                      .iterations = {},
                                      .samples = {}});
  }
  for (const std::size_t i : positions) {
    const std::size_t p = point_of.at(run.signature(i));
    measured.values[0][p].push_back(seconds[i]);
    measured.iterations[0][p].emplace_back(i);
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
