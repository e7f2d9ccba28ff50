#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/project/measured_points.hpp"
#include "seqpoint/eta/eta.hpp"
#include "seqpoint/project/timed_run.hpp"

namespace seqpoint::eta {
namespace {

using Positions = std::vector<std::size_t>;

/// Part of a run, by position, and what its iterations took.
struct Timed {
  const trace::Trace& run;
  std::span<const double> seconds;
  Positions positions;
};

trace::RunSummary summary_of(const trace::Trace& run, const Positions& positions) {
  trace::Trace part;
  for (const std::size_t i : positions) part.add_signature(run.kind(), run.signature(i));
  return trace::summarise(part);
}

double work_at(const trace::Trace& run, std::size_t i) { return static_cast<double>(run.signature(i).padded_tokens()); }

double work_of_positions(const trace::Trace& run, const Positions& positions) {
  double work = 0;
  for (const std::size_t i : positions) work += work_at(run, i);
  return work;
}

void set_stretches(std::vector<std::vector<project::PointReading>>& readings, const Positions& positions) {
  for (auto& of_point : readings)
    for (project::PointReading& reading : of_point) {
      const auto at = std::ranges::lower_bound(positions, *reading.iteration) - positions.begin();
      reading.process = static_cast<std::size_t>(static_cast<double>(at) / (kLastStretch * static_cast<double>(positions.size())));
    }
}

void refer_to_work(project::RunEstimator::Fit& fit, const project::RunEstimator& estimator, const project::MeasuredPoints& points, double all, bool ratio) {
  const Eigen::VectorXd sizes = estimator.point_signatures().relative_size(points.counts.points);
  Eigen::VectorXd mean(sizes.size());
  for (Eigen::Index i = 0; i < mean.size(); ++i) mean[i] = points.counts.measurements[static_cast<std::size_t>(i)];
  mean /= mean.dot(sizes);
  const auto& left = estimator.run_signatures();
  const double iterations = left.counts.sum(), size = left.counts.dot(left.relative_size) / iterations;
  fit.selected_run_weights = all * mean;
  if (ratio) {
    fit.prediction_weights = size * mean;
    const select::TargetCovariances target = estimator.target().at_points(points.counts.points);
    const auto at = estimator.point_signatures().at(points.counts.points);
    fit.error = fit.points->error_parts(fit.prediction_weights, target);
    fit.error.missed = {};
    const double amount = estimator.model().constants().amount;
    fit.error.amounts = amount * amount * (target.free_totals.transpose() - at.free_functions.transpose() * fit.prediction_weights).squaredNorm();
  }
  fit.weights = iterations * (fit.prediction_weights + (size - fit.prediction_weights.dot(sizes)) * mean);
}

Expected expected_of(const Timed& timed, const Positions& left, double confidence) {
  if (left.empty()) return {};
  auto [selection, named] = project::timed_run(timed.run, timed.positions, timed.seconds, "");
  const trace::RunSummary rest = summary_of(timed.run, left);
  project::MeasuredPoints points = *project::measured_points(named.measurements, 0, false);
  set_stretches(points.readings, timed.positions);
  const project::RunEstimator estimator(selection, &rest, confidence);
  const auto guess = [&](bool ratio) {
    project::RunEstimator::Fit fit = estimator.fit(points.counts);
    fit.no_interval_reason.clear();
    refer_to_work(fit, estimator, points, static_cast<double>(timed.run.size()), ratio);
    const double value = estimator.total(fit, points);
    const auto interval = estimator.interval(fit, points).interval;
    return std::pair(value, interval ? interval->high - value : 0);
  };
  const auto a = guess(false), b = guess(true);
  const std::string mode = std::getenv("ETA_MODE") == nullptr ? "avg" : std::getenv("ETA_MODE");
  double low, high, value;
  if (mode == "hull") {
    value = b.first;
    low = std::min(a.first - a.second, value);
    high = std::max(a.first + a.second, value);
  } else {
    const double wa = 1 / (a.second * a.second), wb = 1 / (b.second * b.second);
    value = std::isfinite(wa) && std::isfinite(wb) ? (wa * a.first + wb * b.first) / (wa + wb) : a.first;
    double half = std::isfinite(wa) && std::isfinite(wb) ? (wa * a.second + wb * b.second) / (wa + wb) : a.second;
    if (mode == "min") half = std::min(a.second, b.second);
    low = value - half;
    high = value + half;
  }
  return {value, {std::max(low, 0.0), high}};
}

/// Of few iterations nothing is told apart from scatter.
std::optional<Stretch> last_stretch(const Timed& timed) {
  constexpr std::size_t kFewest = 10;
  constexpr double kConfidence = 0.99;
  const std::size_t all = timed.positions.size();
  const auto last = static_cast<std::size_t>(std::ceil(kLastStretch * static_cast<double>(all)));
  if (last < kFewest) return {};
  const auto middle = timed.positions.end() - static_cast<std::ptrdiff_t>(last);
  const Positions recent(middle, timed.positions.end());
  Stretch stretch{
      .iterations = last,
      .expected = expected_of({timed.run, timed.seconds, {timed.positions.begin(), middle}}, recent, kConfidence)};
  for (const std::size_t i : recent) stretch.seconds += timed.seconds[i];
  return stretch;
}

}  // namespace

TimeLeft time_left(const trace::Trace& run, std::span<const double> seconds, double confidence) {
  TimeLeft found;
  Timed timed{run, seconds, {}};
  Positions done, left;
  for (std::size_t i = 0; i < run.size(); ++i) (i < seconds.size() ? done : left).push_back(i);
  for (const std::size_t i : done) {
    if (std::isnan(seconds[i])) continue;
    timed.positions.push_back(i);
    found.seconds_done += seconds[i];
  }
  const double work = work_of_positions(run, done), work_left = work_of_positions(run, left);
  found.done = done.size();
  found.timed = timed.positions.size();
  found.left = left.size();
  found.work_done = work / (work + work_left);
  found.expected = expected_of(timed, left, confidence);
  found.stretch = last_stretch(timed);
  return found;
}

}  // namespace seqpoint::eta
