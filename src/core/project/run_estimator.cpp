#include "core/project/run_estimator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace seqpoint::project {
namespace {

/// Half-widths below this are rounding: none at all, rather than one that differs from machine to machine.
constexpr double kRounding = 1e-12;

const char* const kUndetermined =
    "the measured points are too few, or too much alike, to tell how cost grows with the lengths";

Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

select::ModelRows with_shapes(select::ModelRows rows, const Eigen::MatrixXd& more) {
  rows.free.conservativeResize(Eigen::NoChange, rows.free.cols() + more.cols());
  rows.free.rightCols(more.cols()) = more;
  return rows;
}

/// What two configurations differ by at the same iterations of a point; nothing where they are others.
std::vector<Deviations> differences(const std::vector<Deviations>& a, const std::vector<Deviations>& b) {
  std::vector<Deviations> found(std::min(a.size(), b.size()));
  for (std::size_t p = 0; p < found.size(); ++p) {
    const auto same = [](const auto& x, const auto& y) { return x.first == y.first; };
    if (!std::equal(a[p].begin(), a[p].end(), b[p].begin(), b[p].end(), same)) continue;
    for (std::size_t i = 0; i < a[p].size(); ++i) found[p].emplace_back(a[p][i].first, a[p][i].second - b[p][i].second);
  }
  return found;
}

}  // namespace

RunEstimator::RunEstimator(const select::Selection& selection, const trace::RunSummary* other, double confidence,
                           const select::ModelConstants& constants)
    : selection_(selection),
      run_(other != nullptr ? *other : selection.run),
      confidence_(confidence),
      model_(selection.run, constants),
      shares_(selection.points.size()) {
  // Each phase but the first adds a free shape, its size within the phase. Any run is taken to have as much of each.
  const std::size_t phases = std::max<std::size_t>(selection.run.phases.size(), 1);
  Eigen::MatrixXd in_phase = Eigen::MatrixXd::Zero(shares_.size(), phases - 1);
  for (const select::Point& point : selection.points) {
    const std::size_t p = signatures_.size();
    signatures_.push_back(select::usual_signature(point.key, selection.run));
    shares_[p] = point.weight.iterations() / static_cast<double>(selection.run.iterations);
    if (point.phase > 0) in_phase(p, point.phase - 1) = 1;
  }
  points_ = model_.rows_of(signatures_);
  in_phase.array().colwise() *= points_.size.array();
  const Eigen::RowVectorXd phase_totals = shares_.transpose() * in_phase;
  const auto with_phases = [&](const select::ModelRows& rows) { return with_shapes(rows, rows.size * phase_totals); };
  points_ = with_shapes(points_, in_phase);
  rows_ = with_phases(model_.rows_of(run_.histogram));
  own_target_ = select::target_run(model_, with_phases(model_.rows()), points_);
  target_ = select::target_run(model_, rows_, points_);
}

RunEstimator::Fit RunEstimator::fit(const MeasuredWhere& where) const {
  const bool complete = where.point.size() == selection_.points.size(), own = &run_ == &selection_.run;
  const auto own_iterations = static_cast<double>(selection_.run.iterations);
  const auto iterations = static_cast<double>(run_.iterations);
  const Eigen::VectorXd selected = shares_(where.point);
  if (where.point.size() > select::kMostFittedPoints) {
    // All that is left is to scale what was measured up to the run.
    const Eigen::VectorXd v = selected / selected.sum();
    return {v * iterations, v * own_iterations, 0,
            "more than " + std::to_string(select::kMostFittedPoints) + " points were measured, which are not fitted"};
  }
  const select::ModelRows points = points_.at(where.point);
  Eigen::VectorXd disturbance = points.size.cwiseAbs2();
  for (std::size_t i = 0; i < where.point.size(); ++i)
    disturbance[i] *= model_.constants().disturbance(where.iterations[i], where.measurements[i]);
  Fit fit;
  fit.points.emplace(model_, points, disturbance);
  bool known = true;
  const auto predicted = [&](const select::TargetRun& target) {
    const Eigen::VectorXd v = fit.points->predictor(target);
    known = fit.points->determines(v, target);
    return known ? v : fit.points->soft_predictor(target);
  };
  const select::TargetRun target = target_.from(where.point);
  const Eigen::VectorXd own_v = complete ? selected : predicted(own_target_.from(where.point));
  const Eigen::VectorXd v = own ? own_v : predicted(target);
  fit.own_weights = own_v * own_iterations;
  fit.weights = v * iterations;
  fit.root_variance = std::sqrt(fit.points->variance(v, target));
  if (where.point.size() < 2)
    fit.reason = "one point was measured: nothing shows what the run's other lengths cost";
  else if (!known)
    fit.reason = kUndetermined;
  return fit;
}

double RunEstimator::total(const Fit& fit, const MeasuredPoints& measured) const {
  return fit.weights.dot(vector_of(measured.value));
}

/// mu: of an iteration of the run that the points were selected from.
double RunEstimator::mean_cost(const Fit& fit, const MeasuredPoints& measured) const {
  return fit.own_weights.dot(vector_of(measured.value)) / static_cast<double>(selection_.run.iterations);
}

/// As a share of the mean cost. `e`: relative costs at the points, or differences of two; `seen`: those of iterations.
double RunEstimator::half_width(const select::PointFit& points, double root_variance, const Eigen::VectorXd& e,
                                const std::vector<Deviations>& seen) const {
  double degrees = points.degrees_of_freedom(), squares = points.squares_left(e);
  for (const Deviations& of_point : seen) {
    if (of_point.size() < 2) continue;
    degrees += static_cast<double>(of_point.size() - 1);
    for (const auto& [iteration, deviation] : of_point)
      squares += deviation * deviation / model_.constants().disturbance(1, 1);
  }
  const double half = root_variance * select::mixture_half_width(model_.constants(), degrees, squares, confidence_);
  return half < kRounding ? 0 : half;
}

IntervalOrReason RunEstimator::interval(const Fit& fit, const MeasuredPoints& measured) const {
  if (!fit.reason.empty()) return {{}, fit.reason};
  const double mean = mean_cost(fit, measured), value = total(fit, measured);
  if (mean == 0 || value == 0) return {{}, "the total is zero"};
  const auto values = vector_of(measured.value);
  const double half = std::abs(mean) * static_cast<double>(run_.iterations) *
                      half_width(*fit.points, fit.root_variance, values / mean, measured.deviations);
  // What is never below zero adds up to no less.
  const double least = values.minCoeff() >= 0 ? 0 : -std::numeric_limits<double>::infinity();
  return {Interval{std::max(value - half, least), value + half}, ""};
}

IntervalOrReason RunEstimator::ratio_interval(const Fit& fit, const MeasuredPoints& base,
                                              const MeasuredPoints& other) const {
  if (base.where.point != other.where.point) return {{}, "the two were measured at different points"};
  if (!fit.reason.empty()) return {{}, fit.reason};
  const double above = total(fit, base), below = total(fit, other);
  const double mean_above = mean_cost(fit, base), mean_below = mean_cost(fit, other);
  if (!(above / below > 0) || mean_above == 0 || mean_below == 0) return {{}, "a total is not above zero"};
  const Eigen::VectorXd e = vector_of(base.value) / mean_above - vector_of(other.value) / mean_below;
  // How much more an iteration of the projected run costs than one that the points are of, on average of both sides.
  const double relative = static_cast<double>(run_.iterations) * (mean_above / above + mean_below / below) / 2;
  const double half =
      relative * half_width(*fit.points, fit.root_variance, e, differences(base.deviations, other.deviations));
  return {Interval{above / below * std::exp(-half), above / below * std::exp(half)}, ""};
}

Eigen::VectorXd RunEstimator::curve(const Fit& fit, const MeasuredPoints& measured) const {
  if (!fit.points) return {};
  return fit.points->curve(vector_of(measured.value), rows_);
}

std::pair<double, IntervalOrReason> RunEstimator::largest(const Fit& fit, const MeasuredPoints& measured) const {
  const auto values = vector_of(measured.value);
  const double most = values.maxCoeff();
  if (!fit.reason.empty()) return {most, {{}, fit.reason}};
  Eigen::Index where = 0;
  const double predicted = curve(fit, measured).maxCoeff(&where);
  select::ModelRows one = rows_.at({static_cast<std::size_t>(where)});
  one.counts[0] = 1;
  const select::TargetRun target = select::target_run(model_, one, points_).from(measured.where.point);
  const Eigen::VectorXd v = fit.points->predictor(target);
  const double mean = mean_cost(fit, measured);
  if (!fit.points->determines(v, target) || mean == 0) return {most, {{}, kUndetermined}};
  const double half =
      std::abs(mean) * half_width(*fit.points, std::sqrt(fit.points->variance(v, target)), values / mean);
  return {std::max(most, predicted),
          {Interval{std::max(predicted - half, most), std::max(predicted + half, most)}, ""}};
}

double RunEstimator::beyond(const trace::Signature& at, const MeasuredWhere& where) const {
  const auto coordinates = [](const trace::Signature& s) {
    return Eigen::Array3d(s.src_len, s.second(), s.batch_size);
  };
  const Eigen::Array3d position = coordinates(at);
  Eigen::Array3d low = coordinates(signatures_[where.point.front()].signature), high = low;
  for (const std::size_t p : where.point) {
    low = low.min(coordinates(signatures_[p].signature));
    high = high.max(coordinates(signatures_[p].signature));
  }
  const Eigen::Array3d range = (high > low).select(high - low, high.max(1.0));
  return ((low - position).max(position - high).max(0.0) / range).maxCoeff();
}

}  // namespace seqpoint::project
