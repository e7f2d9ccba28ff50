#include "core/project/timed_run.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/project/measured_points.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

/// The largest number up to `most` that fits; with one that fits so do all below it. 0: none.
template <class Fits>
std::uint64_t most_that_fit(std::uint64_t most, Fits fits) {
  std::uint64_t low = 0, high = 1;
  for (; high <= most && fits(high); high *= 2) low = high;
  high = std::min(high, most + 1);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

TimedRun timed_run(const trace::Trace& run, std::span<const double> seconds, const std::string& name) {
  TimedRun timed{.selection = {}, .measured = {name, {}}};
  timed.selection.run = trace::summarise(run);
  profile::Measurements& measured = timed.measured.measurements;
  measured.metrics = {"runtime_s"};
  measured.readings.emplace_back();
  std::map<trace::Signature, std::vector<std::size_t>> positions;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (!std::isnan(seconds[i])) positions[run.signatures[i]].push_back(i);
  for (const auto& [signature, count] : timed.selection.run.histogram) {
    const auto found = positions.find(signature);
    if (found == positions.end()) continue;
    timed.selection.points.push_back({.id = std::to_string(timed.selection.points.size()),
                                      .signature = signature,
                                      .weight = {static_cast<std::int64_t>(count) * select::Weight::kUnit},
                                      .iterations = {},
                                      .samples = {}});
    std::vector<profile::Reading>& readings = measured.readings[0].emplace_back();
    for (const std::size_t i : found->second) readings.emplace_back(seconds[i], i);
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

std::vector<forecast::LargestBatch> largest_batches(const TimedRun& measured, std::span<const std::uint64_t> lengths,
                                                    double limit, std::uint64_t most) {
  constexpr double kConfidence = 0.95;
  const RunEstimator estimator(measured.selection);
  const MeasuredPoints points = *measured_points(measured.measured.measurements, 0, false);
  const RunEstimator::Fit fit = estimator.fit(points.counts);
  const bool one_size = estimator.model().only_batch_size().has_value();
  if (one_size || !fit.points || !fit.points->determines_free_functions())
    throw ParameterError("memory", ": " + (one_size ? kOneBatchSize : text_of(NoInterval::undetermined)),
                         "measure a few batches more: short and long ones, each in several sizes");
  std::vector<forecast::LargestBatch> found;
  for (const std::uint64_t length : lengths) {
    const auto signature = [&](std::uint64_t size) -> trace::Signature {
      return {.src_len = static_cast<std::uint32_t>(length), .batch_size = static_cast<std::uint32_t>(size)};
    };
    const auto largest = [&](double half_widths) {
      return most_that_fit(most, [&](std::uint64_t size) {
        const Estimate needed = estimator.value_at(fit, points, signature(size));
        return needed.value + half_widths * half_width_of(needed, kConfidence) <= limit;
      });
    };
    forecast::LargestBatch& batch =
        found.emplace_back(forecast::LargestBatch{.size = largest(1), .likely = largest(0)});
    const trace::Signature chosen = signature(std::max<std::uint64_t>(batch.size, 1));
    const Estimate needed = estimator.value_at(fit, points, chosen);
    batch.needed = needed.value;
    batch.half_width = half_width_of(needed, kConfidence);
    batch.beyond = estimator.distance_outside(chosen, points.counts);
  }
  return found;
}

}  // namespace seqpoint::project
