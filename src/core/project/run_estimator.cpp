#include "core/project/run_estimator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/project/process_levels.hpp"
#include "core/rounding.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

select::ModelSignatures with_free_functions(select::ModelSignatures rows, const Eigen::MatrixXd& more) {
  rows.free_functions.conservativeResize(Eigen::NoChange, rows.free_functions.cols() + more.cols());
  rows.free_functions.rightCols(more.cols()) = more;
  return rows;
}

/// Whether weights, as shares, are all that a run has: but for the rounding of weights.
bool is_whole(const Eigen::VectorXd& weights) { return weights.sum() > 1 - 1e-9; }

bool same_histogram(const trace::RunSummary& a, const trace::RunSummary& b) {
  return &a == &b || std::ranges::equal(a.histogram, b.histogram, [](const auto& x, const auto& y) {
    return x.signature == y.signature && x.count == y.count;
  });
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

/// `deviations` between iterations of a point, or differences of two configurations' such.
select::NoiseEvidence noise_evidence(const std::vector<Deviations>& deviations,
                                     const select::ModelConstants& constants) {
  select::NoiseEvidence found;
  for (const Deviations& of_point : deviations) {
    if (of_point.size() < 2) continue;
    found.degrees += static_cast<double>(of_point.size() - 1);
    for (const auto& [iteration, deviation] : of_point)
      found.squares += deviation * deviation / constants.disturbance_variance(1, 1);
  }
  return found;
}

}  // namespace

std::string text_of(NoInterval why) {
  switch (why) {
    case NoInterval::one_point: return "one point was measured: nothing shows what the run's other lengths cost";
    case NoInterval::many_points:
      return fmt::format("more than {} points were measured, which are not fitted", select::kMostFittedPoints);
    case NoInterval::undetermined:
      return "the measured points are too few, or too much alike, to tell how cost grows with the lengths";
    case NoInterval::one_batch_size: return kOneBatchSize;
    case NoInterval::none:
    case NoInterval::no_ratio: break;
  }
  return {};
}

void require_same_signature(const trace::RunSummary& chosen_from, const trace::RunSummary& other,
                            const std::string& source) {
  if (chosen_from.kind == other.kind) return;
  const bool varlen = chosen_from.kind == trace::SignatureKind::varlen;
  if (varlen || other.kind == trace::SignatureKind::varlen)
    throw InputError({source},
                     std::string("is of a run with") + (varlen ? "" : "out") +
                         " padding, but the points are of one with" + (varlen ? "out" : ""),
                     "both have to be selected with the same `layout`");
  if (chosen_from.kind == trace::SignatureKind::padded_pair)
    throw InputError({source, 0, "tgt_len"}, "is not there, but the points are of a run with source and target lengths",
                     "scan the other run with its target side too (`targets`)");
  throw InputError({source, 0, "tgt_len"}, "is there, but the points are of a run with one length",
                   "select and profile points of a run with both sides (`targets`)");
}

RunEstimator::RunEstimator(const select::Selection& selection, const trace::RunSummary* other, double confidence,
                           const select::ModelConstants& constants)
    : selection_(selection),
      run_(other != nullptr ? *other : selection.run),
      confidence_(confidence),
      model_(selection.run, constants),
      batches_(at_measured_batch_size(model_, run_)),
      shares_(select::weight_shares(selection)) {
  if (same_histogram(selection.run, run_)) selected_run_ = 0;
  // Each phase but the first adds a free function: size within the phase, 0 elsewhere. Every run is taken to have the
  // phases in the proportions of the selection's run.
  const std::size_t phases = std::max<std::size_t>(selection.run.phases.size(), 1);
  Eigen::MatrixXd in_phase = Eigen::MatrixXd::Zero(shares_.rows(), phases - 1);
  std::vector<trace::SignatureCount> measured;
  for (const select::Point& point : selection.points) {
    if (point.phase > 0) in_phase(measured.size(), point.phase - 1) = 1;
    measured.push_back({point.signature, 1});
  }
  point_signatures_ = model_.signatures_of(measured);
  in_phase.array().colwise() *= point_signatures_.relative_size.array();
  phase_totals_ = shares_.col(0).transpose() * in_phase;
  point_signatures_ = with_free_functions(point_signatures_, in_phase);
  run_signatures_ = in_phases(model_.signatures_of(batches_.histogram));
  run_signatures_.counts.array() *= batches_.ratios.array();
  select::ModelSignatures all = model_.signatures();
  if (model_.runs() > 1) all.counts = model_.shares().rowwise().mean();
  model_target_ = select::target_covariances(model_, in_phases(all), point_signatures_);
  target_ = select::target_covariances(model_, run_signatures_, point_signatures_);
}

select::ModelSignatures RunEstimator::in_phases(const select::ModelSignatures& rows) const {
  return with_free_functions(rows, rows.relative_size * phase_totals_);
}

RunEstimator::Fit RunEstimator::fit(const MeasurementCounts& counts) const {
  const Eigen::VectorXd mean = shares_.rowwise().mean()(counts.points),
                        selected = selected_run_ ? shares_(counts.points, *selected_run_) : mean;
  if (counts.points.size() > select::kMostFittedPoints)
    // Too many to fit: the selected weights, scaled up to the run.
    return {.weights = run_signatures_.counts.sum() / selected.sum() * selected,
            .mean_weights = mean / mean.sum(),
            .no_interval = NoInterval::many_points};
  const select::ModelSignatures points = point_signatures_.at(counts.points);
  Eigen::VectorXd disturbance = points.relative_size.cwiseAbs2();
  for (std::size_t i = 0; i < counts.points.size(); ++i)
    disturbance[i] *= model_.constants().disturbance_variance(counts.iterations[i], counts.measurements[i]);
  Fit fit;
  fit.points.emplace(model_, points, disturbance);
  const select::TargetCovariances target = target_.at_points(counts.points);
  fit.mean_weights = mean;
  if (!is_whole(mean)) set_prediction(fit, model_target_.at_points(counts.points), true);
  const bool whole = selected_run_ && is_whole(selected);
  if (whole) {
    fit.prediction_weights = selected;
    fit.error = fit.points->error_parts(selected, target);
    fit.weights = run_signatures_.counts.sum() * selected;
  } else if (model_.runs() > 1 || !selected_run_) {
    set_prediction(fit, target, false);
  }
  fit.measured_variances = disturbance.cwiseProduct(fit.prediction_weights.cwiseAbs2());
  const bool determined = whole || fit.points->determines_free_functions();
  fit.no_interval = counts.points.size() < 2 ? NoInterval::one_point
                    : !determined            ? NoInterval::undetermined
                    : batches_.size          ? NoInterval::one_batch_size
                                             : NoInterval::none;
  return fit;
}

/// `own`: of the model's mean cost, which is the unit of the prior and is itself what is predicted.
void RunEstimator::set_prediction(Fit& fit, const select::TargetCovariances& target, bool own) const {
  const select::Prediction found = fit.points->predict(target);
  const double scale = own ? 1 / (1 - found.prior_share) : 1;
  fit.prediction_weights = scale * found.weights;
  fit.error = found.error;
  for (double* const part : {&fit.error.misfit, &fit.error.noise, &fit.error.amounts}) *part *= scale * scale;
  if (own) fit.mean_weights = fit.prediction_weights;
  fit.weights = run_signatures_.counts.sum() * fit.prediction_weights;
  if (!own) fit.weights += run_signatures_.counts.sum() * found.prior_share * fit.mean_weights;
}

double RunEstimator::total(const Fit& fit, const MeasuredPoints& measured) const {
  return fit.weights.dot(vector_of(measured.values));
}

/// mu: mean cost of an iteration of the runs that the points were selected for.
double RunEstimator::mean_cost(const Fit& fit, const MeasuredPoints& measured) const {
  return fit.mean_weights.dot(vector_of(measured.values));
}

ProcessLevels RunEstimator::levels(const Fit& fit, const MeasuredPoints& measured) const {
  return process_levels(measured, fit.mean_weights, point_signatures_.relative_size(measured.counts.points),
                        model_.constants());
}

select::ScalesPosterior RunEstimator::posterior(const Fit& fit, const MeasuredPoints& measured) const {
  const ProcessLevels levels = this->levels(fit, measured);
  const std::size_t sides = measured.scope == LevelScope::own_run ? 0 : 1;
  return {fit.points->scales(), vector_of(measured.values) / mean_cost(fit, measured),
          noise_evidence(deviations_of(measured, levels), model_.constants()), std::span(&levels.evidence, sides)};
}

double RunEstimator::level_part(const Fit& fit, const MeasuredPoints& measured) const {
  if (measured.scope == LevelScope::own_run) return 0;
  return levels(fit, measured).shares + (measured.scope == LevelScope::another_process ? 1 : 0);
}

select::ErrorParts RunEstimator::total_error(const Fit& fit, const MeasuredPoints& measured) const {
  select::ErrorParts error = fit.error;
  const double relative = total(fit, measured) / (static_cast<double>(run_.iterations) * mean_cost(fit, measured));
  error.level = relative * relative * level_part(fit, measured);
  return error;
}

double RunEstimator::half_width(const Fit& fit, const select::ErrorParts& error, const MeasuredPoints& measured) const {
  return std::abs(mean_cost(fit, measured)) * zero_if_rounding(posterior(fit, measured).half_width(error, confidence_));
}

VarianceParts RunEstimator::variance(const Fit& fit, const MeasuredPoints& measured) const {
  const select::ErrorParts error = total_error(fit, measured);
  const select::Scales at = posterior(fit, measured).scales();
  const double s2 = at.noise * at.noise, g2 = at.misfit * at.misfit, t = at.level.value_or(0);
  const auto missed = fit.points->scales().missed_variances(error.missed, Eigen::ArrayXd::Constant(1, s2),
                                                            Eigen::ArrayXd::Constant(1, g2));
  const double levels = s2 * t * t * error.level;
  const double own = measured.scope == LevelScope::another_process ? 1 / level_part(fit, measured) : 0;
  return {.between = g2 * error.misfit,
          .measured = s2 * fit.measured_variances.sum(),
          .missed = error.amounts + missed[0],
          .own = s2 * target_.own_disturbance_variance,
          .processes = levels * (1 - own),
          .own_process = levels * own};
}

IntervalOrReason::IntervalOrReason(NoInterval none) : reason(text_of(none)), why(none) {}

IntervalOrReason RunEstimator::interval(const Fit& fit, const MeasuredPoints& measured) const {
  if (fit.no_interval != NoInterval::none) return fit.no_interval;
  const double value = total(fit, measured);
  if (mean_cost(fit, measured) == 0 || value == 0) return std::string("the total is zero");
  const double half = static_cast<double>(run_.iterations) * half_width(fit, total_error(fit, measured), measured);
  // A total of values that are not negative is not negative, unless it was extrapolated so.
  const bool negative = vector_of(measured.values).minCoeff() < 0;
  const double least = negative ? -std::numeric_limits<double>::infinity() : std::min(0.0, value);
  return Interval{std::max(value - half, least), value + half};
}

IntervalOrReason RunEstimator::ratio_interval(const Fit& fit, const MeasuredPoints& base,
                                              const MeasuredPoints& other) const {
  if (base.counts.points != other.counts.points) return std::string("the two were measured at different points");
  if (fit.no_interval != NoInterval::none) return fit.no_interval;
  const double above = total(fit, base), below = total(fit, other);
  const double mean_above = mean_cost(fit, base), mean_below = mean_cost(fit, other);
  if (!(above / below > 0) || mean_above == 0 || mean_below == 0) return std::string("a total is not above zero");
  const Eigen::VectorXd e = vector_of(base.values) / mean_above - vector_of(other.values) / mean_below;
  // Mean cost of an iteration in the selection's run over that in the projected run, averaged over both totals.
  const double relative =
      static_cast<double>(run_.iterations) * (std::abs(mean_above / above) + std::abs(mean_below / below)) / 2;
  const ProcessLevels of_base = levels(fit, base), of_other = levels(fit, other);
  const std::array evidence{of_base.evidence, of_other.evidence};
  const bool levelled = base.scope != LevelScope::own_run;
  const select::ScalesPosterior posterior(
      fit.points->scales(), e,
      noise_evidence(deviation_differences(deviations_of(base, of_base), deviations_of(other, of_other)),
                     model_.constants()),
      std::span(evidence).first(levelled ? 2 : 0), 2);
  select::ErrorParts error = fit.error;
  error.noise = 2 * fit.measured_variances.sum();
  error.level = levelled ? (of_base.shares + of_other.shares) / (relative * relative) : 0;
  const double half = relative * zero_if_rounding(posterior.half_width(error, confidence_));
  return Interval{above / below * std::exp(-half), above / below * std::exp(half)};
}

Eigen::VectorXd RunEstimator::curve(const Fit& fit, const MeasuredPoints& measured) const {
  if (!fit.points) return {};
  return fit.points->curve(vector_of(measured.values), mean_cost(fit, measured), run_signatures_)
      .cwiseProduct(batches_.ratios);
}

std::pair<double, double> RunEstimator::value_at(const Fit& fit, const MeasuredPoints& measured,
                                                 const trace::Signature& at) const {
  const trace::SignatureCount one{at, 1};
  const select::ModelSignatures rows = in_phases(model_.signatures_of(std::span(&one, 1)));
  const select::TargetCovariances target =
      select::target_covariances(model_, rows, point_signatures_).at_points(measured.counts.points);
  return {fit.points->curve(vector_of(measured.values), mean_cost(fit, measured), rows)[0],
          half_width(fit, fit.points->predict(target).error, measured)};
}

std::pair<double, IntervalOrReason> RunEstimator::largest_value(const Fit& fit, const MeasuredPoints& measured) const {
  const double most = vector_of(measured.values).maxCoeff();
  if (fit.no_interval != NoInterval::none) return {most, fit.no_interval};
  Eigen::Index where = 0;
  const double predicted = curve(fit, measured).maxCoeff(&where);
  if (!fit.points->determines_free_functions() || mean_cost(fit, measured) == 0)
    return {most, NoInterval::undetermined};
  const double half = value_at(fit, measured, run_signatures_.signatures[static_cast<std::size_t>(where)]).second;
  return {std::max(most, predicted), Interval{std::max(predicted - half, most), std::max(predicted + half, most)}};
}

double RunEstimator::distance_outside(const trace::Signature& at, const MeasurementCounts& counts) const {
  double farthest = 0;
  for (const trace::Dimension d : trace::dimensions_of(run_.kind)) {
    const auto by_size = [&](std::size_t p) { return static_cast<double>(point_signatures_.signatures[p][d]); };
    const auto [shortest, longest] = std::ranges::minmax(counts.points, {}, by_size);
    const double low = by_size(shortest), high = by_size(longest), position = static_cast<double>(at[d]);
    const double range = high > low ? high - low : std::max(high, 1.0);
    farthest = std::max({farthest, (low - position) / range, (position - high) / range});
  }
  return farthest;
}

}  // namespace seqpoint::project
