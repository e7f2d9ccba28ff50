#include "core/project/run_estimator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace seqpoint {
namespace {

/// Half-widths below this are rounding: none at all, rather than one that differs from machine to machine.
constexpr double kRounding = 1e-12;

const char* const kOnePoint = "one point was measured: nothing shows what the run's other lengths cost";
const char* const kUndetermined = "the measured points are too few, or too much alike, to tell how cost grows with the lengths";
const char* const kZero = "the total is zero";

std::vector<SignatureCount> signatures_of(const Selection& selection) {
  std::vector<SignatureCount> signatures;
  for (const Point& point : selection.points) signatures.push_back(usual_signature(point.key, selection.run));
  return signatures;
}

Eigen::VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

std::vector<double> times(const Eigen::VectorXd& v, double factor) {
  std::vector<double> out;
  for (const double x : v) out.push_back(x * factor);
  return out;
}

/// What measurements of different iterations of a point show of the scale: degrees of freedom, and squares over `variance`.
struct Scatter {
  double degrees = 0, squares = 0;

  void add(const std::vector<double>& deviations, double variance) {
    if (deviations.size() < 2) return;
    degrees += static_cast<double>(deviations.size() - 1);
    for (const double deviation : deviations) squares += deviation * deviation / variance;
  }
};

std::vector<double> deviations_of(const MeasuredPoints& points, std::size_t p) {
  std::vector<double> found;
  if (points.deviations.empty()) return found;
  for (const auto& [iteration, deviation] : points.deviations[p]) found.push_back(deviation);
  return found;
}

/// Of the same iterations; none where they are others.
std::vector<double> differences_of(const MeasuredPoints& a, const MeasuredPoints& b, std::size_t p) {
  std::vector<double> found;
  if (a.deviations.empty() || b.deviations.empty() || a.deviations[p].size() != b.deviations[p].size()) return found;
  for (std::size_t i = 0; i < a.deviations[p].size(); ++i) {
    if (a.deviations[p][i].first != b.deviations[p][i].first) return {};
    found.push_back(a.deviations[p][i].second - b.deviations[p][i].second);
  }
  return found;
}

bool none_below_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; });
}

double dot(const std::vector<double>& weights, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t p = 0; p < weights.size(); ++p) sum += weights[p] * values[p];
  return sum;
}

}  // namespace

RunEstimator::RunEstimator(const Selection& selection, const RunSummary* other, double confidence, const ModelConstants& constants)
    : selection_(selection),
      run_(other != nullptr ? *other : selection.run),
      confidence_(confidence),
      model_(selection.run, constants),
      signatures_(signatures_of(selection)),
      points_(fitted_points(model_, signatures_)) {
  const auto phases = static_cast<Eigen::Index>(selection.run.phases.size());
  if (phases < 2) return;
  // Each phase has a level of its own: one more free shape, its size within the phase and 0 outside.
  phase_totals_ = Eigen::VectorXd::Zero(phases - 1);
  for (std::size_t p = 0; p < points_.size(); ++p) {
    Eigen::RowVectorXd& free = points_[p].free;
    const Eigen::Index shapes = free.size(), phase = static_cast<Eigen::Index>(selection.points[p].phase);
    free.conservativeResize(shapes + phases - 1);
    free.tail(phases - 1).setZero();
    if (phase == 0) continue;
    free[shapes + phase - 1] = points_[p].place.size;
    phase_totals_[phase - 1] += selection.points[p].weight.iterations() / static_cast<double>(selection.run.iterations) * points_[p].place.size;
  }
}

std::vector<FittedPoint> RunEstimator::fitted(const MeasuredWhere& where) const {
  std::vector<FittedPoint> points;
  for (std::size_t i = 0; i < where.point.size(); ++i) {
    FittedPoint& point = points.emplace_back(points_[where.point[i]]);
    point.disturbance = point.place.size * point.place.size * model_.relative_disturbance(where.iterations[i], where.measurements[i]);
  }
  return points;
}

TargetRun RunEstimator::target(std::span<const FittedPoint> points, const MeasuredWhere& where, bool own) const {
  std::vector<std::size_t> groups;
  for (const std::size_t p : where.point) groups.push_back(model_.find(signatures_[p].signature));
  const bool all_of_the_run = std::find(groups.begin(), groups.end(), model_.size()) == groups.end();
  return with_phases(own && all_of_the_run ? own_run(model_, groups) : other_run(model_, own ? selection_.run.histogram : run_.histogram, points));
}

/// Another run is taken to have as much of every phase.
TargetRun RunEstimator::with_phases(TargetRun target) const {
  const Eigen::Index shapes = target.totals.size();
  target.totals.conservativeResize(shapes + phase_totals_.size());
  target.totals.tail(phase_totals_.size()) = target.mean_size * phase_totals_.transpose();
  return target;
}

Eigen::VectorXd RunEstimator::selected(const MeasuredWhere& where) const {
  Eigen::VectorXd v(static_cast<Eigen::Index>(where.point.size()));
  for (std::size_t i = 0; i < where.point.size(); ++i)
    v[static_cast<Eigen::Index>(i)] = selection_.points[where.point[i]].weight.iterations() / static_cast<double>(selection_.run.iterations);
  return v;
}

RunEstimator::Fit RunEstimator::fit(const MeasuredWhere& where) const {
  const bool complete = where.point.size() == selection_.points.size(), own = &run_ == &selection_.run;
  const auto own_iterations = static_cast<double>(selection_.run.iterations), iterations = static_cast<double>(run_.iterations);
  Fit fit;
  if (where.point.size() > kMostFittedPoints) {
    // All that is left is to scale what was measured up to the run.
    const Eigen::VectorXd v = selected(where) / selected(where).sum();
    fit.weights = times(v, iterations);
    fit.own_weights = times(v, own_iterations);
    fit.reason = "more than " + std::to_string(kMostFittedPoints) + " points were measured, which are not fitted";
    return fit;
  }
  const std::vector<FittedPoint> points = fitted(where);
  fit.points.emplace(model_.jagged(), points);
  const auto predicted = [&](const TargetRun& target) -> std::pair<Eigen::VectorXd, bool> {
    Eigen::VectorXd v = fit.points->predictor(target);
    if (fit.points->determines(v, target)) return {v, true};
    return {fit.points->soft_predictor(target, model_.constants().free), false};
  };
  const TargetRun of_own = target(points, where, true);
  const auto [own_v, own_known] = complete ? std::pair(selected(where), true) : predicted(of_own);
  fit.own_weights = times(own_v, own_iterations);
  const TargetRun of_run = own ? of_own : target(points, where, false);
  const auto [v, known] = own ? std::pair(own_v, own_known) : predicted(of_run);
  fit.weights = times(v, iterations);
  fit.root_variance = std::sqrt(fit.points->variance(v, of_run));
  if (where.point.size() < 2)
    fit.reason = kOnePoint;
  else if (!known)
    fit.reason = kUndetermined;
  return fit;
}

double RunEstimator::total(const Fit& fit, const MeasuredPoints& measured) const { return dot(fit.weights, measured.value); }

/// mu: of an iteration of the run that the points were selected from.
double RunEstimator::mean_cost(const Fit& fit, const MeasuredPoints& measured) const {
  return dot(fit.own_weights, measured.value) / static_cast<double>(selection_.run.iterations);
}

double RunEstimator::half_width(const PointFit& points, double root_variance, const Eigen::VectorXd& e, double degrees, double squares) const {
  const double half = root_variance * mixture_half_width(model_.constants(), degrees + points.degrees_of_freedom(),
                                                         squares + points.squares_left(e), confidence_);
  return half < kRounding ? 0 : half;
}

IntervalOrReason RunEstimator::interval(const Fit& fit, const MeasuredPoints& measured) const {
  if (!fit.reason.empty()) return {{}, fit.reason};
  const double mean = mean_cost(fit, measured), value = total(fit, measured);
  if (mean == 0 || value == 0) return {{}, kZero};
  Scatter scatter;
  for (std::size_t p = 0; p < measured.value.size(); ++p) scatter.add(deviations_of(measured, p), model_.relative_disturbance(1, 1));
  const double half = std::abs(mean) * static_cast<double>(run_.iterations) * half_width(*fit.points, fit.root_variance, vector_of(measured.value) / mean, scatter.degrees, scatter.squares);
  // What is never below zero adds up to no less.
  return {Interval{none_below_zero(measured.value) ? std::max(value - half, 0.0) : value - half, value + half}, ""};
}

IntervalOrReason RunEstimator::ratio_interval(const Fit& fit, const MeasuredPoints& base, const MeasuredPoints& other) const {
  if (base.where.point != other.where.point) return {{}, "the two were measured at different points"};
  if (!fit.reason.empty()) return {{}, fit.reason};
  const double above = total(fit, base), below = total(fit, other), mean_above = mean_cost(fit, base), mean_below = mean_cost(fit, other);
  if (!(above / below > 0) || mean_above == 0 || mean_below == 0) return {{}, "a total is not above zero"};
  Scatter scatter;
  for (std::size_t p = 0; p < base.value.size(); ++p) scatter.add(differences_of(base, other, p), model_.relative_disturbance(1, 1));
  const Eigen::VectorXd e = vector_of(base.value) / mean_above - vector_of(other.value) / mean_below;
  // How much more an iteration of the projected run costs than one that the points are of: nearly the same on both sides.
  const double relative = static_cast<double>(run_.iterations) * (mean_above / above + mean_below / below) / 2;
  const double half = relative * half_width(*fit.points, fit.root_variance, e, scatter.degrees, scatter.squares);
  return {Interval{above / below * std::exp(-half), above / below * std::exp(half)}, ""};
}

std::vector<double> RunEstimator::curve(const Fit& fit, const MeasuredPoints& measured) const {
  if (!fit.points) return {};
  const PointFit::Curve curve = fit.points->curve(vector_of(measured.value));
  const Shapes free = model_.free_of(run_.histogram);
  std::vector<double> costs;
  for (std::size_t g = 0; g < run_.histogram.size(); ++g) {
    const CostCoordinates place = model_.place_of(run_.histogram[g].signature);
    Eigen::RowVectorXd at(free.cols() + phase_totals_.size());
    at << free.row(static_cast<Eigen::Index>(g)), place.size * phase_totals_.transpose();
    costs.push_back(fit.points->at(curve, model_.jagged(), place, at));
  }
  return costs;
}

LargestCost RunEstimator::largest(const Fit& fit, const MeasuredPoints& measured) const {
  const double most = *std::max_element(measured.value.begin(), measured.value.end());
  LargestCost largest{most, {{}, fit.reason}};
  const std::vector<double> costs = curve(fit, measured);
  if (!fit.reason.empty() || costs.empty()) return largest;
  const auto where = std::max_element(costs.begin(), costs.end());
  const SignatureCount one{run_.histogram[static_cast<std::size_t>(where - costs.begin())].signature, 1};
  const std::vector<FittedPoint> points = fitted(measured.where);
  const TargetRun target = with_phases(other_run(model_, std::span(&one, 1), points));
  const Eigen::VectorXd v = fit.points->predictor(target);
  const double mean = mean_cost(fit, measured);
  if (!fit.points->determines(v, target) || mean == 0) return {most, {{}, kUndetermined}};
  const double half = std::abs(mean) * half_width(*fit.points, std::sqrt(fit.points->variance(v, target)), vector_of(measured.value) / mean);
  largest.value = std::max(most, *where);
  largest.interval = {Interval{std::max(*where - half, most), std::max(*where + half, most)}, ""};
  return largest;
}

double RunEstimator::beyond(const Signature& at, const MeasuredWhere& where) const {
  const auto coordinates = [](const Signature& s) { return std::array{static_cast<double>(s.src_len), s.second(), static_cast<double>(s.batch_size)}; };
  const auto position = coordinates(at);
  double most = 0;
  for (std::size_t d = 0; d < position.size(); ++d) {
    double low = coordinates(signatures_[where.point.front()].signature)[d], high = low;
    for (const std::size_t p : where.point) {
      low = std::min(low, coordinates(signatures_[p].signature)[d]);
      high = std::max(high, coordinates(signatures_[p].signature)[d]);
    }
    const double range = high > low ? high - low : std::max(high, 1.0);
    most = std::max(most, std::max({low - position[d], position[d] - high, 0.0}) / range);
  }
  return most;
}

}  // namespace seqpoint
