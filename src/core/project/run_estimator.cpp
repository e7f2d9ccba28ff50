#include "core/project/run_estimator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/numbers.hpp"
#include "core/project/estimate.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/stretch.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// The shapes with more diffuse functions after their own: a row of `more` per shape, a column per function.
select::ModelShapes with_free_functions(select::ModelShapes rows, const Eigen::MatrixXd& more) {
  rows.free_functions.conservativeResize(Eigen::NoChange, rows.free_functions.cols() + more.cols());
  rows.free_functions.rightCols(more.cols()) = more;
  return rows;
}

/// Whether the run consists of the weighted shapes only, except for the rounding of weights. `weights`: shares of the
/// run.
bool are_all(const Eigen::VectorXd& weights) { return weights.sum() > 1 - 1e-9; }

/// The share of a run's iterations whose batch size is `size`.
double share_of_batch_size(const trace::RunSummary& run, std::uint32_t size) {
  double iterations = 0;
  for (const auto& [shape, count] : run.histogram)
    if (shape.batch_size == size) iterations += static_cast<double>(count);
  return iterations / static_cast<double>(run.iterations);
}

/// Rescales `run` if the model's runs have one batch size and at most ModelConstants::one_batch_size of the run's
/// iterations have that size; otherwise the histogram is unchanged.
MeasuredBatches at_measured_batch_size(const select::CostModel& model, const trace::RunSummary& run) {
  std::optional<std::uint32_t> size = model.only_batch_size();
  // Short last batches do not count (ModelConstants::one_batch_size).
  if (size && share_of_batch_size(run, *size) > select::kModelConstants.one_batch_size) size.reset();
  MeasuredBatches batches{.size = size, .histogram = run.histogram, .ratios = {}};
  batches.ratios = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(run.histogram.size()));
  for (std::size_t g = 0; size && g < batches.histogram.size(); ++g) {
    std::uint32_t& batch_size = batches.histogram[g].shape.batch_size;
    batches.ratios[static_cast<Eigen::Index>(g)] = static_cast<double>(batch_size) / *size;
    batch_size = *size;
  }
  return batches;
}

/// Differences a - b of two configurations at the same iterations of each point; empty for a point whose iterations
/// differ.
std::vector<Deviations> deviation_differences(const std::vector<Deviations>& a, const std::vector<Deviations>& b) {
  std::vector<Deviations> found(std::min(a.size(), b.size()));
  for (std::size_t p = 0; p < found.size(); ++p) {
    if (!std::ranges::equal(a[p], b[p], {}, &Deviations::value_type::first, &Deviations::value_type::first)) continue;
    for (std::size_t i = 0; i < a[p].size(); ++i) found[p].emplace_back(a[p][i].first, a[p][i].second - b[p][i].second);
  }
  return found;
}

/// The noise observed in `deviations` between iterations of a point, or between two configurations at one iteration.
/// Points with fewer than two iterations do not count.
select::NoiseEvidence noise_evidence(const std::vector<Deviations>& deviations) {
  select::NoiseEvidence found;
  for (const Deviations& of_point : deviations) {
    if (of_point.size() < 2) continue;
    found.degrees += static_cast<double>(of_point.size() - 1);
    for (const auto& [iteration, deviation] : of_point)
      found.squares += deviation * deviation / select::kModelConstants.disturbance_variance(1, 1);
  }
  return found;
}

/// Evidence about levels from the totals of whole runs, one per process, whose only error is the level.
select::LevelEvidence evidence_of(const MeasuredPoints& measured) {
  const std::vector<double>& totals = measured.run_totals;
  select::LevelEvidence found{.degrees = static_cast<double>(totals.size()) - 1, .center = measured.level};
  for (const double total : totals) found.squares += std::pow(total / mean(totals) - 1, 2);
  if (measured.scope != LevelScope::another_process || totals.size() < 2 || std::ranges::min(totals) <= 0) return found;
  for (const double total : totals) found.logs.push_back(std::log(total / mean(totals)));
  if (measured.rounds.size() == totals.size()) found.rounds = measured.rounds;
  return found;
}

/// The levels of processes that measured whole runs.
ProcessLevels levels_of_whole(const MeasuredPoints& measured) {
  ProcessLevels found{.evidence = evidence_of(measured)};
  const std::vector<double>& totals = measured.run_totals;
  for (std::size_t i = 0; i < totals.size(); ++i) found.deviations[i] = totals[i] / mean(totals) - 1;
  return found;
}

/// The mean of the totals of whole runs; in an undisturbed process, unless processes disagree.
double whole_total(const MeasuredPoints& measured) {
  return mean(measured.run_totals) * (measured.disagreement ? 1 : std::exp(measured.level));
}

/// The prior of levels, by how many of them were measured.
select::BetweenProcesses prior_of(const MeasuredPoints& measured) {
  select::BetweenProcesses prior = measured.between;
  if (!measured.stretches.empty()) prior.spread = prior.spread_with_stretches;
  return prior;
}

/// The stretches of the processes whose levels by points are `logs`, in their order.
select::StretchLevels stretches_of(const MeasuredPoints& measured, const std::vector<std::size_t>& processes,
                                   const std::vector<double>& logs) {
  select::StretchLevels found{.share_levels = measured.between.is_shared_by_stretches};
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto own = std::ranges::find(measured.stretches, processes[i], &profile::StretchEvidence::process);
    if (own == measured.stretches.end()) continue;
    found.points.push_back(logs[i]);
    found.ratios.push_back(own->log_ratio);
    found.noise += own->noise;
    found.misfit += own->misfit;
    found.other += own->other;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(found.ratios.size(), 1));
  for (double* const sum : {&found.noise, &found.misfit, &found.other}) *sum /= count;
  return found;
}

/// Whether a majority of processes, or of rounds, was not disturbed. Of two processes both have to be undisturbed.
bool agree(const select::DisturbedProbabilities& disturbed) {
  const auto count = std::ranges::count_if(disturbed, [](double probability) { return probability > 0.5; });
  return 2 * count < std::ssize(disturbed);
}

/// The largest distance that is usual between two processes whose levels have this standard deviation.
double usual_distance(const select::LevelEvidence& levels, double deviation, double noise_scale) {
  return kTwoSided95 * std::sqrt(2 * deviation * deviation + noise_scale * noise_scale * levels.noise);
}

/// How far levels that disagree lie apart.
Disagreement disagreement_of(const select::LevelEvidence& levels, double usual) {
  std::vector<double> all = levels.logs;
  std::ranges::copy(levels.stretches.levels(), std::back_inserter(all));
  const auto [least, most] = std::ranges::minmax(all);
  const auto gaps = static_cast<double>(levels.logs.size()) - 1;
  return {.least = least, .most = most, .gap = (most - least) / std::max(gaps, 1.0), .usual = usual};
}

/// The standard deviation of the levels of all processes but one, by points and by stretches.
double deviation_of_others(const select::LevelEvidence& levels, std::size_t but) {
  std::vector<double> others;
  const std::vector<double> in_a_row = levels.stretches.levels();
  for (std::size_t i = 0; i < levels.logs.size(); ++i) {
    if (i == but) continue;
    others.push_back(levels.logs[i]);
    if (in_a_row.size() == levels.logs.size()) others.push_back(in_a_row[i]);
  }
  return deviation_of(others);
}

/// Processes of three and more that are farther from the median of the others than is usual: their level over that
/// median. A level is the mean of that of points and that of the stretch, if each process has one. Usual is what the
/// others differ by, and at least `deviation`.
std::map<std::size_t, double> odd_levels(const std::vector<std::size_t>& processes, const select::LevelEvidence& levels,
                                         double deviation, double noise_scale) {
  std::vector<double> logs = levels.logs;
  if (levels.stretches.ratios.size() == logs.size())
    for (std::size_t i = 0; i < logs.size(); ++i) logs[i] += levels.stretches.ratios[i] / 2;
  std::map<std::size_t, double> found;
  for (std::size_t i = 0; i < logs.size() && logs.size() > 2; ++i) {
    std::vector<double> others = logs;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double usual = usual_distance(levels, std::max(deviation, deviation_of_others(levels, i)), noise_scale);
    const double distance = logs[i] - median(others);
    if (std::abs(distance) > usual) found[processes[i]] = std::exp(distance);
  }
  return found;
}

/// The levels that points and stretches say, if these are too far apart for one job.
std::optional<Interval> apart(const select::StretchLevels& stretches) {
  if (stretches.ratios.empty()) return std::nullopt;
  const double distance = mean(stretches.ratios);
  if (std::abs(distance) <= std::log(kFarthestStretch)) return std::nullopt;
  return Interval{std::min(0.0, distance), std::max(0.0, distance)};
}

/// The processes of the levels' logarithms, in their order.
std::vector<std::size_t> processes_with_levels(const ProcessLevels& levels, const MeasuredPoints& measured) {
  std::vector<std::size_t> processes;
  for (const auto& [process, deviation] : levels.deviations) processes.push_back(process);
  if (processes.empty()) processes.push_back(measured.readings.front().front().process);
  return processes;
}

/// By stretch, the probability that its process was disturbed meanwhile.
select::DisturbedProbabilities disturbed_stretches(const MeasuredPoints& measured,
                                                   const select::LevelEvidence& levels) {
  const select::StretchLevels& stretches = levels.stretches;
  const select::LevelEvidence own{.degrees = static_cast<double>(stretches.ratios.size()) - 1,
                                  .noise = stretches.noise,
                                  .logs = stretches.levels()};
  return select::posterior_of_levels(std::span(&own, 1), measured.between)->disturbed(own);
}

/// Sets which processes were disturbed, which are odd, and whether they disagree: neither points nor stretches have a
/// majority that was not disturbed, or one is faster than the others. Nothing makes a process faster than it is, so it
/// ran another job, or all others were disturbed.
/// `scales`: by points alone, whose prior was made for such levels.
void compare_processes(MeasuredPoints& measured, const ProcessLevels& levels, const select::ScalesPosterior& scales) {
  const select::LevelEvidence& evidence = levels.evidence;
  const std::vector<std::size_t> processes = processes_with_levels(levels, measured);
  const select::DisturbedProbabilities disturbed = scales.disturbed(evidence);
  for (std::size_t i = 0; i < processes.size(); ++i) measured.disturbed[processes[i]] = disturbed[i];
  const double noise = scales.scales().noise, median = measured.between.median;
  const double usual = usual_distance(evidence, median, noise);
  // The processes of a busy machine differ more than usual, here by one spread of the prior: they are not odd.
  measured.odd = odd_levels(processes, evidence, median * std::exp(measured.between.spread), noise);
  const bool stretches_agree = evidence.stretches.ratios.size() > 1 && agree(disturbed_stretches(measured, evidence)),
             one_is_faster = std::ranges::any_of(measured.odd, [](const auto&level) { return level.second < 1; });
  if (one_is_faster || !(agree(disturbed) || stretches_agree)) measured.disagreement = disagreement_of(evidence, usual);
}

/// The distances, on logarithms, by which a figure may be larger and smaller than that of an undisturbed process.
Interval distances_beyond(const MeasuredPoints& side) {
  if (!side.disagreement) return {};
  const Disagreement& apart = *side.disagreement;
  return {std::max(0.0, side.level - (apart.least - apart.gap)), std::max(0.0, apart.most + apart.gap - side.level)};
}

/// Divides the levels of processes out of the values of points, and multiplies by that of an undisturbed process unless
/// processes disagree.
void set_values(MeasuredPoints& measured, const ProcessLevels& levels) {
  for (std::size_t p = 0; p < measured.values.size(); ++p) {
    double raw = 0, level = 0;
    for (const profile::Reading& reading : measured.readings[p]) {
      raw += reading.value;
      level += levels.levelled(reading);
    }
    if (raw != 0) measured.values[p] *= level / raw;
    if (!measured.disagreement) measured.values[p] *= std::exp(measured.level);
  }
}

}  // namespace

std::string text_of(NoInterval why) {
  switch (why) {
    case NoInterval::one_point: return "one measured point does not show what other lengths cost";
    case NoInterval::many_points:
      return fmt::format("more than {} points were measured, which are not fitted", select::kMaxFittedPoints);
    case NoInterval::undetermined: return "the measured points do not determine how cost grows with length";
    case NoInterval::one_batch_size: return kOneBatchSize;
    case NoInterval::none:
    case NoInterval::no_ratio: break;
  }
  return {};
}

void require_same_shape(const trace::RunSummary& chosen_from, const trace::RunSummary& other,
                        const std::string& source) {
  if (chosen_from.kind == other.kind) return;
  const bool varlen = chosen_from.kind == trace::ShapeKind::varlen;
  if (varlen || other.kind == trace::ShapeKind::varlen)
    throw InputError({source},
                     std::string("is of a run with") + (varlen ? "" : "out") +
                         " padding, but the points are of one with" + (varlen ? "out" : ""),
                     "both have to be selected with the same `signature`");
  if (chosen_from.kind == trace::ShapeKind::padded_pair)
    throw InputError({source, 0, "tgt_len"}, "is not there, but the points are of a run with source and target lengths",
                     "scan the other run with its target side too (`tgt`)");
  throw InputError({source, 0, "tgt_len"}, "is there, but the points are of a run with one length",
                   "select and profile points of a run with both sides (`tgt`)");
}

RunEstimator::RunEstimator(const select::Selection& selection, const trace::RunSummary* target)
    : run_(target != nullptr ? *target : selection.run),
      model_(selection.run),
      batches_(at_measured_batch_size(model_, run_)),
      is_selected_run_(&selection.run == &run_ || selection.run.histogram == run_.histogram),
      shares_(select::weight_shares(selection)) {
  // Each phase but the first adds a diffuse function: size within the phase, 0 elsewhere. Every run is assumed to have
  // the phases in the proportions of the selection's run.
  const std::size_t phases = std::max<std::size_t>(selection.run.phases.size(), 1);
  Eigen::MatrixXd in_phase = Eigen::MatrixXd::Zero(shares_.size(), phases - 1);
  std::vector<trace::ShapeCount> measured;
  for (const select::Point& point : selection.points) {
    if (point.phase > 0) in_phase(measured.size(), point.phase - 1) = 1;
    measured.push_back({point.shape, 1});
  }
  point_shapes_ = model_.shapes_of(measured);
  in_phase.array().colwise() *= point_shapes_.relative_size.array();
  phase_totals_ = shares_.transpose() * in_phase;
  point_shapes_ = with_free_functions(point_shapes_, in_phase);
  run_shapes_ = in_phases(model_.shapes_of(batches_.histogram));
  run_shapes_.counts.array() *= batches_.ratios.array();
  model_target_ = select::target_covariances(model_, in_phases(model_.shapes()), point_shapes_);
  target_ = select::target_covariances(model_, run_shapes_, point_shapes_);
}

select::ModelShapes RunEstimator::in_phases(const select::ModelShapes& rows) const {
  return with_free_functions(rows, rows.relative_size * phase_totals_);
}

RunEstimator::Fit RunEstimator::fit(const MeasurementCounts& counts) const {
  const Eigen::VectorXd selected = shares_(counts.points);
  if (counts.points.size() > select::kMaxFittedPoints)
    // Too many to fit: the selected weights, scaled up to the run.
    return {.weights = run_shapes_.counts.sum() / selected.sum() * selected,
            .mean_weights = selected / selected.sum(),
            .no_interval = NoInterval::many_points};
  const select::ModelShapes points = point_shapes_.at(counts.points);
  Eigen::VectorXd disturbance = points.relative_size.cwiseAbs2();
  for (std::size_t i = 0; i < counts.points.size(); ++i)
    disturbance[i] *= select::kModelConstants.disturbance_variance(counts.iterations[i], counts.measurements[i]);
  Fit fit;
  fit.points.emplace(model_, points, disturbance);
  const select::TargetCovariances target = target_.at_points(counts.points);
  fit.mean_weights = selected;
  if (!are_all(selected)) set_prediction(fit, model_target_.at_points(counts.points), true);
  const bool whole = is_selected_run_ && are_all(selected);
  if (whole) {
    fit.prediction_weights = selected;
    fit.error = fit.points->error_parts(selected, target);
    fit.weights = run_shapes_.counts.sum() * selected;
  } else if (!is_selected_run_) {
    set_prediction(fit, target, false);
  }
  fit.measured_variances = disturbance.cwiseProduct(fit.prediction_weights.cwiseAbs2());
  const bool determined = whole || fit.points->determines_free_functions();
  const bool one_of_many = counts.points.size() < 2 && !(whole && model_.size() == 1);
  fit.no_interval = one_of_many     ? NoInterval::one_point
                    : !determined   ? NoInterval::undetermined
                    : batches_.size ? NoInterval::one_batch_size
                                    : NoInterval::none;
  return fit;
}

/// Sets weights and error to those of the best linear prediction. `own`: predicts the run that the points came
/// from. Its mean cost is also the prior's unit, so the prior's share is divided out; sets mean_weights.
void RunEstimator::set_prediction(Fit& fit, const select::TargetCovariances& target, bool own) const {
  const select::Prediction found = fit.points->predict(target);
  const double scale = own ? 1 / (1 - found.prior_share) : 1;
  fit.prediction_weights = scale * found.weights;
  fit.error = found.error;
  for (double* const part : {&fit.error.misfit, &fit.error.measured, &fit.error.own, &fit.error.amounts})
    *part *= scale * scale;
  if (own) fit.mean_weights = fit.prediction_weights;
  fit.weights = run_shapes_.counts.sum() * fit.prediction_weights;
  if (!own) fit.weights += run_shapes_.counts.sum() * found.prior_share * fit.mean_weights;
}

double RunEstimator::total(const Fit& fit, const MeasuredPoints& measured) const {
  if (is_whole(measured)) return whole_total(measured);
  return fit.weights.dot(vector_of(measured.values));
}

/// mu: mean cost of an iteration of the run that the points were selected for.
double RunEstimator::mean_cost(const Fit& fit, const MeasuredPoints& measured) const {
  return fit.mean_weights.dot(vector_of(measured.values));
}

ProcessLevels RunEstimator::levels(const Fit& fit, const MeasuredPoints& measured) const {
  ProcessLevels levels =
      process_levels(measured, fit.mean_weights, point_shapes_.relative_size(measured.counts.points));
  levels.evidence.center = measured.level;
  if (measured.scope != LevelScope::another_process) levels.evidence.logs.clear();
  if (levels.deviations.empty() && !measured.stretches.empty() && processes_of(measured) == 1) {
    levels.evidence.logs = {0};  // the stretch is what this level is compared with
    levels.evidence.noise = fit.error.measured;
  }
  if (levels.evidence.logs.empty()) return levels;
  const std::vector<std::size_t> processes = processes_with_levels(levels, measured);
  levels.evidence.stretches = stretches_of(measured, processes, levels.evidence.logs);
  if (measured.rounds.empty()) return levels;
  for (const std::size_t process : processes)
    levels.evidence.rounds.push_back(process < measured.rounds.size() ? measured.rounds[process] : 0);
  return levels;
}

MeasuredPoints RunEstimator::compared(const Fit& fit, MeasuredPoints measured) const {
  const bool whole = is_whole(measured);
  if (!whole && (!fit.points || mean_cost(fit, measured) == 0)) return measured;
  const ProcessLevels levels = whole ? levels_of_whole(measured) : this->levels(fit, measured);
  if (levels.evidence.logs.empty()) return measured;
  const auto scales = whole ? estimate_of_whole(measured).scales : posterior(fit, measured);
  if (levels.evidence.logs.size() > 1) {
    MeasuredPoints by_points = measured;
    by_points.stretches.clear();
    compare_processes(measured, levels, whole ? *scales : *posterior(fit, by_points));
  }
  measured.level = scales->undisturbed_level();
  if (!whole) set_values(measured, levels);
  measured.apart = apart(levels.evidence.stretches);
  if (measured.apart && !measured.disagreement)
    for (double* const level : {&measured.apart->low, &measured.apart->high}) *level -= measured.level;
  return measured;
}

std::shared_ptr<const select::ScalesPosterior> RunEstimator::posterior(const Fit& fit,
                                                                       const MeasuredPoints& measured) const {
  const ProcessLevels levels = this->levels(fit, measured);
  const std::size_t sides = measured.scope == LevelScope::own_run ? 0 : 1;
  return std::make_shared<const select::ScalesPosterior>(
      fit.points->scales(), vector_of(measured.values) / mean_cost(fit, measured),
      noise_evidence(deviations_of(measured, levels)), std::span(&levels.evidence, sides), prior_of(measured));
}

void RunEstimator::set_levels(select::ErrorParts& parts, double relative, const Fit& fit,
                              const MeasuredPoints& measured) const {
  if (measured.scope == LevelScope::own_run) return;
  parts.processes = relative * relative * levels(fit, measured).shares;
  parts.own_process = measured.scope == LevelScope::another_process ? relative * relative : 0;
}

Estimate RunEstimator::estimate_of(double value, double iterations, select::ErrorParts parts, const Fit& fit,
                                   const MeasuredPoints& measured) const {
  return {.value = value,
          .unit = iterations * mean_cost(fit, measured),
          .parts = std::move(parts),
          .scales = posterior(fit, measured)};
}

IntervalOrReason::IntervalOrReason(NoInterval none) : reason(text_of(none)), why(none) {}

Estimate RunEstimator::estimate_of_whole(const MeasuredPoints& measured) const {
  const double value = whole_total(measured);
  const select::LevelEvidence levels = evidence_of(measured);
  Estimate found{.value = value, .unit = value};
  if (measured.scope != LevelScope::own_run)
    found.parts.processes = 1 / static_cast<double>(measured.run_totals.size());
  if (measured.scope == LevelScope::another_process) found.parts.own_process = 1;
  found.scales = select::posterior_of_levels(std::span(&levels, 1), measured.between);
  return found;
}

Estimate RunEstimator::ratio_of_whole(const MeasuredPoints& base, const MeasuredPoints& other) const {
  const std::array levels{evidence_of(base), evidence_of(other)};
  Estimate found{.value = whole_total(base) / whole_total(other), .unit = 1, .is_ratio = true};
  if (base.scope != LevelScope::own_run)
    found.parts.processes =
        1 / static_cast<double>(base.run_totals.size()) + 1 / static_cast<double>(other.run_totals.size());
  found.scales = select::posterior_of_levels(levels, select::wider(base.between, other.between));
  return found;
}

Estimate RunEstimator::ratio_to_whole(const Fit& fit, const MeasuredPoints& base, const MeasuredPoints& other) const {
  const bool base_is_whole = is_whole(base);
  const MeasuredPoints &whole = base_is_whole ? base : other, &points = base_is_whole ? other : base;
  Estimate found = undisturbed_estimate(fit, points);
  const double of_points = found.value, of_whole = whole_total(whole);
  found.value = base_is_whole ? of_whole / of_points : of_points / of_whole;
  if (!found.scales) return estimate_without(found.value, found.without);
  if (!(found.value > 0)) return estimate_without(found.value, std::string("a total is not above zero"));
  const double in_units = of_points / found.unit;
  found.unit /= of_points;
  found.is_ratio = true;
  found.parts.own = found.parts.own_process = 0;
  if (points.scope != LevelScope::own_run)
    found.parts.processes += in_units * in_units / static_cast<double>(whole.run_totals.size());
  return found;
}

Estimate RunEstimator::estimate(const Fit& fit, const MeasuredPoints& measured) const {
  Estimate found = undisturbed_estimate(fit, measured);
  if (!found.scales || !(found.value > 0)) return found;
  const double all = found.value;
  if (measured.apart) found.also = Interval{all * std::exp(measured.apart->low), all * std::exp(measured.apart->high)};
  if (!measured.disagreement) return found;
  const Disagreement& apart = *measured.disagreement;
  const double undisturbed = std::exp(measured.level), beyond = apart.usual + apart.gap;
  const Interval levels{all * std::exp(apart.least - beyond), all * std::exp(apart.most + beyond)};
  const Interval also = found.also.value_or(levels);
  found.stated = all;
  found.also = Interval{std::min(levels.low, also.low), std::max(levels.high, also.high)};
  found.value *= undisturbed;
  found.unit *= undisturbed;
  return found;
}

Estimate RunEstimator::beside_disagreement(Estimate ratio, const MeasuredPoints& base,
                                           const MeasuredPoints& other) const {
  if (!ratio.scales) return ratio;
  const double of_all = ratio.value, drift = ratio.scales->drift();
  double center = ratio.scales->has_own_ratio() ? ratio.scales->undisturbed_level() : 0;
  if (base.disagreement) center += base.level;
  if (other.disagreement) center -= other.level;
  ratio.value *= std::exp(center);
  ratio.processes_agree =
      drift > 0.5 ? agree(ratio.scales->disturbed_rounds()) : !base.disagreement && !other.disagreement;
  ratio.processes_agree = ratio.processes_agree && !base.apart && !other.apart;
  if (ratio.processes_agree) return ratio;
  const Interval of_base = distances_beyond(base), of_other = distances_beyond(other);
  ratio.stated = of_all;
  ratio.beyond = {of_base.low + of_other.high, of_base.high + of_other.low};
  return ratio;
}

RunEstimator::Moments RunEstimator::moments_of(const Eigen::VectorXd& costs) const {
  const auto all = static_cast<double>(run_.iterations);
  Moments found;
  for (std::size_t g = 0; g < run_.histogram.size(); ++g) {
    const double share = static_cast<double>(run_.histogram[g].count) / all, cost = costs[static_cast<Eigen::Index>(g)],
                 tokens = static_cast<double>(run_.histogram[g].shape.padded_tokens());
    found.cost += share * cost;
    found.tokens += share * tokens;
    found.cost_squared += share * cost * cost;
    found.tokens_squared += share * tokens * tokens;
    found.product += share * cost * tokens;
  }
  return found;
}

double RunEstimator::variance_of_part(const Eigen::VectorXd& costs) const {
  if (run_.loaded == 0 || costs.size() == 0) return 0;
  const auto all = static_cast<double>(run_.iterations), loaded = static_cast<double>(run_.loaded);
  return run_.loaded_variance.value_or(1) * moments_of(costs).variance_of_cost() / loaded * (1 - loaded / all);
}

double RunEstimator::variance_of_draws(const Eigen::VectorXd& costs) const {
  if (!draws_ || costs.size() == 0) return 0;
  const Moments m = moments_of(costs);
  if (*draws_ == 0) return m.variance_of_cost() / static_cast<double>(run_.iterations);
  const double variance = m.tokens_squared - m.tokens * m.tokens;
  if (variance <= 0) return 0;
  const double of_token = (m.product - m.cost * m.tokens) / variance;
  return std::pow(of_token * m.tokens * *draws_, 2);
}

double RunEstimator::variance_of_lengths(const Eigen::VectorXd& costs) const {
  return variance_of_part(costs) + variance_of_draws(costs);
}

std::optional<double> RunEstimator::spread_of_draws(const Fit& fit, const MeasuredPoints& measured) const {
  if (!draws_ || is_whole(measured)) return {};
  const double mean = total(fit, measured) / static_cast<double>(run_.iterations);
  const Eigen::VectorXd costs = curve(fit, measured);
  if (mean == 0 || costs.size() == 0) return {};
  return std::sqrt(variance_of_draws(costs / mean));
}

Estimate RunEstimator::undisturbed_estimate(const Fit& fit, const MeasuredPoints& measured) const {
  if (is_whole(measured)) return estimate_of_whole(measured);
  const double value = total(fit, measured), mean = mean_cost(fit, measured);
  if (fit.no_interval != NoInterval::none) return estimate_without(value, fit.no_interval);
  if (mean == 0 || value == 0) return estimate_without(value, std::string("the total is zero"));
  const auto iterations = static_cast<double>(run_.iterations);
  select::ErrorParts parts = fit.error;
  parts.lengths = variance_of_lengths(curve(fit, measured) / mean);
  set_levels(parts, value / (iterations * mean), fit, measured);
  Estimate found = estimate_of(value, iterations, std::move(parts), fit, measured);
  // A total of non-negative values is not negative, unless extrapolation made it so.
  if (vector_of(measured.values).minCoeff() >= 0) found.least = std::min(0.0, value);
  return found;
}

Estimate RunEstimator::ratio(const Fit& fit, const MeasuredPoints& base, const MeasuredPoints& other) const {
  if (is_whole(base) && is_whole(other)) return ratio_of_whole(base, other);
  const double above = total(fit, base), below = total(fit, other), ratio = above / below;
  const double mean_above = mean_cost(fit, base), mean_below = mean_cost(fit, other);
  if (base.counts.points != other.counts.points)
    return estimate_without(ratio, std::string("the two were measured at different points"));
  if (fit.no_interval != NoInterval::none) return estimate_without(ratio, fit.no_interval);
  if (!(ratio > 0) || mean_above == 0 || mean_below == 0)
    return estimate_without(ratio, std::string("a total is not above zero"));
  // Mean cost of an iteration in the selection's run over that in the projected run, averaged over both totals.
  const double relative =
      static_cast<double>(run_.iterations) * (std::abs(mean_above / above) + std::abs(mean_below / below)) / 2;
  Estimate found{.value = ratio, .unit = relative, .parts = fit.error, .is_ratio = true};
  found.parts.measured *= 2;
  found.parts.own = 0;
  const double per_iteration = static_cast<double>(run_.iterations);
  found.parts.lengths = variance_of_lengths((curve(fit, base) / above - curve(fit, other) / below) * per_iteration) /
                        (relative * relative);
  const ProcessLevels of_base = levels(fit, base), of_other = levels(fit, other);
  const std::array evidence{of_base.evidence, of_other.evidence};
  const bool levelled = base.scope != LevelScope::own_run;
  if (levelled) found.parts.processes = (of_base.shares + of_other.shares) / (relative * relative);
  found.scales = std::make_shared<const select::ScalesPosterior>(
      fit.points->scales(), vector_of(base.values) / mean_above - vector_of(other.values) / mean_below,
      noise_evidence(deviation_differences(deviations_of(base, of_base), deviations_of(other, of_other))),
      std::span(evidence).first(levelled ? 2 : 0), select::wider(prior_of(base), prior_of(other)), 2);
  return found;
}

Eigen::VectorXd RunEstimator::curve(const Fit& fit, const MeasuredPoints& measured) const {
  if (!fit.points) return {};
  return fit.points->curve(vector_of(measured.values), mean_cost(fit, measured), run_shapes_)
      .cwiseProduct(batches_.ratios);
}

Estimate RunEstimator::value_at(const Fit& fit, const MeasuredPoints& measured, const trace::Shape& at) const {
  const trace::ShapeCount one{at, 1};
  const select::ModelShapes rows = in_phases(model_.shapes_of(std::span(&one, 1)));
  const select::TargetCovariances target =
      select::target_covariances(model_, rows, point_shapes_).at_points(measured.counts.points);
  const double mean = mean_cost(fit, measured), value = fit.points->curve(vector_of(measured.values), mean, rows)[0];
  select::ErrorParts parts = fit.points->predict(target).error;
  set_levels(parts, value / mean, fit, measured);
  return estimate_of(value, 1, std::move(parts), fit, measured);
}

Estimate RunEstimator::largest_value(const Fit& fit, const MeasuredPoints& measured) const {
  const double most = vector_of(measured.values).maxCoeff();
  if (fit.no_interval != NoInterval::none) return estimate_without(most, fit.no_interval);
  if (measured.values.size() < 2) return estimate_without(most, NoInterval::one_point);  // a run of one shape
  Eigen::Index where = 0;
  curve(fit, measured).maxCoeff(&where);
  if (!fit.points->determines_free_functions() || mean_cost(fit, measured) == 0)
    return estimate_without(most, NoInterval::undetermined);
  Estimate largest = value_at(fit, measured, run_shapes_.shapes[static_cast<std::size_t>(where)]);
  largest.least = most;
  if (run_.loaded > 0)
    return estimate_without(largest.figure(), fmt::format("it is of the {} of {} batches whose lengths are known",
                                                          run_.loaded, run_.iterations));
  return largest;
}

double RunEstimator::distance_outside(const trace::Shape& at, const MeasurementCounts& counts) const {
  double farthest = 0;
  for (const trace::Dimension d : trace::dimensions_of(run_.kind)) {
    const auto by_size = [&](std::size_t p) { return static_cast<double>(point_shapes_.shapes[p][d]); };
    const auto [shortest, longest] = std::ranges::minmax(counts.points, {}, by_size);
    const double low = by_size(shortest), high = by_size(longest), position = static_cast<double>(at[d]);
    const double range = high > low ? high - low : std::max(high, 1.0);
    farthest = std::max({farthest, (low - position) / range, (position - high) / range});
  }
  return farthest;
}

// --- Figures with their uncertainty

namespace {

/// The two-sided interval that covers the figure with probability `confidence`. For an estimate with scales.
Interval within(const Estimate& estimate, double confidence) {
  const double half = half_width_of(estimate, confidence);
  if (!estimate.is_ratio) {
    const Interval also = estimate.also.value_or(Interval{estimate.value, estimate.value});
    return {std::max(std::min(estimate.value - half, also.low), estimate.least),
            std::max(std::max(estimate.value + half, also.high), estimate.least)};
  }
  // The part that both sides have exactly scales both ends alike.
  const double steady = (estimate.value - estimate.exact_share) / (1 - estimate.exact_share);
  const auto with_exact = [&](double ratio) { return estimate.exact_share + (1 - estimate.exact_share) * ratio; };
  return {with_exact(steady * std::exp(-half - estimate.beyond.low)),
          with_exact(steady * std::exp(half + estimate.beyond.high))};
}

}  // namespace

Estimate estimate_without(double value, IntervalOrReason why) {
  Estimate estimate{.value = value};
  estimate.without = std::move(why);
  return estimate;
}

double half_width_of(const Estimate& estimate, double confidence) {
  return std::abs(estimate.unit) * zero_if_rounding(estimate.scales->half_width(estimate.parts, confidence));
}

IntervalOrReason interval_of(const Estimate& estimate, double confidence) {
  IntervalOrReason interval = two_sided_interval_of(estimate, confidence);
  if (estimate.scales) interval.bounds = within(estimate, 2 * confidence - 1);
  return interval;
}

IntervalOrReason two_sided_interval_of(const Estimate& estimate, double confidence) {
  if (!estimate.scales) return estimate.without;
  return within(estimate, confidence);
}

VarianceParts variance_of(const Estimate& estimate) {
  const select::ErrorParts& parts = estimate.parts;
  const select::Scales at = estimate.scales->scales();
  const double s2 = at.noise * at.noise, level = std::pow(at.level.value_or(0), 2);
  return {.between = at.misfit * at.misfit * parts.misfit,
          .measured = s2 * parts.measured,
          .missed = parts.amounts + estimate.scales->missed_variance(parts.missed, at),
          .own = s2 * parts.own + parts.lengths,
          .processes = std::max(level * parts.processes + estimate.scales->excess(parts.processes), 0.0),
          .own_process = level * parts.own_process};
}

}  // namespace seqpoint::project
