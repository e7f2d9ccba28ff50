#include "core/project/run_estimator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rounding.hpp"

namespace seqpoint::project {
namespace {

const char* const kUndetermined =
    "the measured points are too few, or too much alike, to tell how cost grows with the lengths";

Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

select::ModelSignatures with_free_functions(select::ModelSignatures rows, const Eigen::MatrixXd& more) {
  rows.free_functions.conservativeResize(Eigen::NoChange, rows.free_functions.cols() + more.cols());
  rows.free_functions.rightCols(more.cols()) = more;
  return rows;
}

/// Differences of two configurations at the same iterations of each point; empty where the iterations differ.
std::vector<Deviations> deviation_differences(const std::vector<Deviations>& a, const std::vector<Deviations>& b) {
  std::vector<Deviations> found(std::min(a.size(), b.size()));
  for (std::size_t p = 0; p < found.size(); ++p) {
    if (!std::ranges::equal(a[p], b[p], {}, &Deviations::value_type::first, &Deviations::value_type::first)) continue;
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
      batches_(at_measured_batch_size(selection.run, run_, constants)),
      shares_(selection.points.size()) {
  // Each phase but the first adds a free function: size within the phase, 0 elsewhere. Every run is taken to have the
  // phases in the proportions of the selection's run.
  const std::size_t phases = std::max<std::size_t>(selection.run.phases.size(), 1);
  Eigen::MatrixXd in_phase = Eigen::MatrixXd::Zero(shares_.size(), phases - 1);
  for (const select::Point& point : selection.points) {
    const std::size_t p = point_histogram_.size();
    point_histogram_.push_back(select::most_frequent_signature(point.key, selection.run));
    shares_[p] = point.weight.iterations() / static_cast<double>(selection.run.iterations);
    if (point.phase > 0) in_phase(p, point.phase - 1) = 1;
  }
  point_signatures_ = model_.signatures_of(point_histogram_);
  in_phase.array().colwise() *= point_signatures_.relative_size.array();
  phase_totals_ = shares_.transpose() * in_phase;
  point_signatures_ = with_free_functions(point_signatures_, in_phase);
  run_signatures_ = signatures_of(batches_.histogram);
  run_signatures_.counts.array() *= batches_.ratios.array();
  selected_run_target_ = select::target_covariances(model_, signatures_of(selection.run.histogram), point_signatures_);
  target_ = select::target_covariances(model_, run_signatures_, point_signatures_);
}

select::ModelSignatures RunEstimator::signatures_of(const std::vector<trace::SignatureCount>& histogram) const {
  const select::ModelSignatures rows = model_.signatures_of(histogram);
  return with_free_functions(rows, rows.relative_size * phase_totals_);
}

RunEstimator::Fit RunEstimator::fit(const MeasurementCounts& counts) const {
  const bool complete = counts.points.size() == selection_.points.size(), own = &run_ == &selection_.run;
  const auto own_iterations = static_cast<double>(selection_.run.iterations);
  const double iterations = run_signatures_.counts.sum();
  const Eigen::VectorXd selected = shares_(counts.points);
  if (counts.points.size() > select::kMostFittedPoints) {
    // Too many to fit: the selected weights, scaled up to the run.
    const Eigen::VectorXd v = selected / selected.sum();
    return {.weights = v * iterations,
            .selected_run_weights = v * own_iterations,
            .no_interval_reason =
                fmt::format("more than {} points were measured, which are not fitted", select::kMostFittedPoints)};
  }
  const select::ModelSignatures points = point_signatures_.at(counts.points);
  Eigen::VectorXd disturbance = points.relative_size.cwiseAbs2();
  for (std::size_t i = 0; i < counts.points.size(); ++i)
    disturbance[i] *= model_.constants().disturbance_variance(counts.iterations[i], counts.measurements[i]);
  Fit fit;
  fit.points.emplace(model_, points, disturbance);
  bool known = true;
  const auto predicted = [&](const select::TargetCovariances& target) {
    const Eigen::VectorXd v = fit.points->predictor(target);
    known = fit.points->meets_free_totals(v, target);
    return known ? v : fit.points->regularised_predictor(target);
  };
  const select::TargetCovariances target = target_.at_points(counts.points);
  const Eigen::VectorXd own_v = complete ? selected : predicted(selected_run_target_.at_points(counts.points));
  const Eigen::VectorXd v = own ? own_v : predicted(target);
  fit.selected_run_weights = own_v * own_iterations;
  fit.weights = v * iterations;
  fit.variance = fit.points->variance(v, target);
  fit.measured_variances = disturbance.cwiseProduct(v.cwiseAbs2());
  fit.root_variance = std::sqrt(fit.variance.total());
  if (counts.points.size() < 2)
    fit.no_interval_reason = "one point was measured: nothing shows what the run's other lengths cost";
  else if (!known)
    fit.no_interval_reason = kUndetermined;
  else if (batches_.size)
    fit.no_interval_reason = kOneBatchSize;
  return fit;
}

double RunEstimator::total(const Fit& fit, const MeasuredPoints& measured) const {
  return fit.weights.dot(vector_of(measured.values));
}

/// mu: mean cost of an iteration of the run that the points were selected from.
double RunEstimator::mean_cost(const Fit& fit, const MeasuredPoints& measured) const {
  return fit.selected_run_weights.dot(vector_of(measured.values)) / static_cast<double>(selection_.run.iterations);
}

/// `e`: relative costs at the points, or differences of two configurations' costs; `deviations`: the same between
/// iterations of a point.
ScaleEvidence RunEstimator::scale_evidence(const select::PointFit& points, const Eigen::VectorXd& e,
                                           const std::vector<Deviations>& deviations) const {
  ScaleEvidence found{points.degrees_of_freedom(), points.residual_squares(e)};
  for (const Deviations& of_point : deviations) {
    if (of_point.size() < 2) continue;
    found.degrees += static_cast<double>(of_point.size() - 1);
    for (const auto& [iteration, deviation] : of_point)
      found.squares += deviation * deviation / model_.constants().disturbance_variance(1, 1);
  }
  return found;
}

ScaleEvidence RunEstimator::scale_evidence(const Fit& fit, const MeasuredPoints& measured) const {
  return scale_evidence(*fit.points, vector_of(measured.values) / mean_cost(fit, measured), measured.deviations);
}

double RunEstimator::half_width(double root_variance, const ScaleEvidence& evidence) const {
  const select::ScalePosterior scale(model_.constants(), evidence.degrees, evidence.squares);
  return zero_if_rounding(root_variance * scale.half_width(confidence_));
}

double RunEstimator::half_width(const Fit& fit, double root_variance, const MeasuredPoints& measured) const {
  return std::abs(mean_cost(fit, measured)) * half_width(root_variance, scale_evidence(fit, measured));
}

IntervalOrReason RunEstimator::interval(const Fit& fit, const MeasuredPoints& measured) const {
  if (!fit.no_interval_reason.empty()) return {{}, fit.no_interval_reason};
  const double value = total(fit, measured);
  if (mean_cost(fit, measured) == 0 || value == 0) return {{}, "the total is zero"};
  const double half = static_cast<double>(run_.iterations) * half_width(fit, fit.root_variance, measured);
  // A total of values that are not negative is not negative, unless it was extrapolated so.
  const bool negative = vector_of(measured.values).minCoeff() < 0;
  const double least = negative ? -std::numeric_limits<double>::infinity() : std::min(0.0, value);
  return {Interval{std::max(value - half, least), value + half}, ""};
}

IntervalOrReason RunEstimator::ratio_interval(const Fit& fit, const MeasuredPoints& base,
                                              const MeasuredPoints& other) const {
  if (base.counts.points != other.counts.points) return {{}, "the two were measured at different points"};
  if (!fit.no_interval_reason.empty()) return {{}, fit.no_interval_reason};
  const double above = total(fit, base), below = total(fit, other);
  const double mean_above = mean_cost(fit, base), mean_below = mean_cost(fit, other);
  if (!(above / below > 0) || mean_above == 0 || mean_below == 0) return {{}, "a total is not above zero"};
  const Eigen::VectorXd e = vector_of(base.values) / mean_above - vector_of(other.values) / mean_below;
  // Mean cost of an iteration in the selection's run over that in the projected run, averaged over both totals.
  const double relative =
      static_cast<double>(run_.iterations) * (std::abs(mean_above / above) + std::abs(mean_below / below)) / 2;
  const std::vector<Deviations> deviations = deviation_differences(base.deviations, other.deviations);
  const double half = relative * half_width(fit.root_variance, scale_evidence(*fit.points, e, deviations));
  return {Interval{above / below * std::exp(-half), above / below * std::exp(half)}, ""};
}

Eigen::VectorXd RunEstimator::curve(const Fit& fit, const MeasuredPoints& measured) const {
  if (!fit.points) return {};
  return fit.points->curve(vector_of(measured.values), run_signatures_).cwiseProduct(batches_.ratios);
}

std::pair<double, IntervalOrReason> RunEstimator::largest_value(const Fit& fit, const MeasuredPoints& measured) const {
  const double most = vector_of(measured.values).maxCoeff();
  if (!fit.no_interval_reason.empty()) return {most, {{}, fit.no_interval_reason}};
  Eigen::Index where = 0;
  const double predicted = curve(fit, measured).maxCoeff(&where);
  select::ModelSignatures one = run_signatures_.at({static_cast<std::size_t>(where)});
  one.counts[0] = 1;
  const select::TargetCovariances target =
      select::target_covariances(model_, one, point_signatures_).at_points(measured.counts.points);
  const Eigen::VectorXd v = fit.points->predictor(target);
  if (!fit.points->meets_free_totals(v, target) || mean_cost(fit, measured) == 0) return {most, {{}, kUndetermined}};
  const double half = half_width(fit, std::sqrt(fit.points->variance(v, target).total()), measured);
  return {std::max(most, predicted),
          {Interval{std::max(predicted - half, most), std::max(predicted + half, most)}, ""}};
}

double RunEstimator::distance_outside(const trace::Signature& at, const MeasurementCounts& counts) const {
  double farthest = 0;
  for (const trace::Dimension d : trace::dimensions_of(run_.kind)) {
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const std::size_t p : counts.points) {
      low = std::min(low, static_cast<double>(point_histogram_[p].signature[d]));
      high = std::max(high, static_cast<double>(point_histogram_[p].signature[d]));
    }
    const double position = static_cast<double>(at[d]), range = high > low ? high - low : std::max(high, 1.0);
    farthest = std::max(farthest, std::max(low - position, position - high) / range);
  }
  return farthest;
}

}  // namespace seqpoint::project
