// Levels of points compared with the values that the model fits to the others: outlying points, files that measured
// points of their own.
#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/averages.hpp"
#include "core/checks/misplaced_times.hpp"
#include "core/checks/noise_posterior.hpp"
#include "core/checks/series_readings.hpp"

namespace seqpoint::checks {
namespace {

/// For each point the median of its measurements, without outliers and with other faults removed, and the number of
/// measurements whose mean would be as precise.
struct Levels {
  Eigen::VectorXd values, measurements;
};

Levels levels_of(const SeriesReadings& series, const WithinPoints& within) {
  std::vector<std::vector<double>> logs(series.points.size());
  for (std::size_t i = 0; i < series.readings.size(); ++i)
    if (!within.strays.contains(i)) logs[series.point_of[i]].push_back(within.logs[i]);
  Levels levels{Eigen::VectorXd(logs.size()), Eigen::VectorXd(logs.size())};
  for (std::size_t p = 0; p < logs.size(); ++p) {
    levels.values[p] = std::exp(median(logs[p]));
    levels.measurements[p] = static_cast<double>(logs[p].size()) / (logs[p].size() > 2 ? std::numbers::pi / 2 : 1);
  }
  return levels;
}

/// The covariance of the levels as shares of themselves: misfit at scale 1, and noise at the scale observed within the
/// points.
Eigen::MatrixXd covariance_of(const Levels& levels, const SeriesReadings& series, const select::CostModel& model,
                              const select::ModelShapes& points, double scale) {
  const std::size_t size = series.points.size();
  Eigen::MatrixXd covariance(size, size);
  for (std::size_t p = 0; p < size; ++p)
    for (std::size_t q = 0; q < size; ++q)
      covariance(p, q) =
          model.misfit_covariance(points, p, points, q) / (points.relative_size[p] * points.relative_size[q]);
  for (std::size_t p = 0; p < size; ++p)
    covariance(p, p) +=
        scale * scale *
        model.constants().disturbance_variance(static_cast<double>(series.iterations[p]), levels.measurements[p]);
  return covariance;
}

/// Patterns of single points, if there are more than two, and of groups of readings that share no point with the other
/// readings: at least two points on either side. A group of one point is that point.
std::vector<Pattern> patterns_of(const SeriesReadings& series) {
  const Eigen::Index size = series.points.size();
  std::vector<Pattern> patterns;
  for (std::size_t p = 0; p < series.points.size() && series.points.size() > 2; ++p)
    patterns.push_back({Fault::stray_point, p, Eigen::VectorXd::Unit(size, p)});
  for (std::size_t g = 0; g < series.groups.size(); ++g) {
    Eigen::VectorXd with = Eigen::VectorXd::Zero(size), without = with;
    for (std::size_t i = 0; i < series.readings.size(); ++i)
      (series.groups[g].has[i] ? with : without)[series.point_of[i]] = 1;
    if (with.dot(without) == 0 && with.sum() > 1 && without.sum() > 1)
      patterns.push_back({Fault::disagreement, g, with});
  }
  return patterns;
}

/// The prior of times at these points, with the noise of one measurement; values are not set.
PlacedTimes times_at(const select::GroupIndices& points, const select::Selection& selection,
                     const project::RunEstimator& estimator) {
  const auto size = static_cast<Eigen::Index>(points.size());
  PlacedTimes times{.at = estimator.point_shapes().at(points),
                    .values = Eigen::VectorXd(size),
                    .variance = Eigen::VectorXd(size),
                    .weights = Eigen::VectorXd(size)};
  for (Eigen::Index i = 0; i < size; ++i) {
    times.variance[i] = times.at.relative_size[i] * times.at.relative_size[i] *
                        estimator.model().constants().disturbance_variance(1, 1);
    times.weights[i] = selection.points[points[static_cast<std::size_t>(i)]].weight.iterations();
  }
  return times;
}

/// The median times of points: most powerful if repeats have little noise.
PlacedTimes times_of_points(const SeriesReadings& series, const Levels& levels, const WithinPoints& within,
                            const select::Selection& selection, const project::RunEstimator& estimator) {
  const select::ModelConstants& constants = estimator.model().constants();
  PlacedTimes times = times_at(series.points, selection, estimator);
  times.values = levels.values;
  times.within = within.evidence;
  for (std::size_t p = 0; p < series.points.size(); ++p)
    times.variance[p] *=
        constants.disturbance_variance(static_cast<double>(series.iterations[p]), levels.measurements[p]) /
        constants.disturbance_variance(1, 1);
  return times;
}

/// Single measurements without outliers: if rows were mixed up, each is at another point.
PlacedTimes times_of_measurements(const SeriesReadings& series, const WithinPoints& within,
                                  const select::Selection& selection, const project::RunEstimator& estimator) {
  select::GroupIndices points;
  std::vector<double> values;
  for (std::size_t i = 0; i < series.readings.size(); ++i) {
    if (within.strays.contains(i)) continue;
    points.push_back(series.readings[i].point);
    values.push_back(series.readings[i].value);
  }
  PlacedTimes times = times_at(points, selection, estimator);
  times.values = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  return times;
}

/// Whether there are enough points to recognise misplaced times, and not too many to compare.
bool has_places(const SeriesReadings& series) {
  return series.points.size() > 2 && series.points.size() <= kMaxOrdered;
}

/// The file of all readings; empty: they are from several files.
std::string one_file_of(const SeriesReadings& series) {
  const auto& first = series.readings.front();
  const bool one = std::ranges::all_of(series.readings, [&](const auto& of) { return of.file == first.file; });
  return one ? first.file->source : "";
}

/// Adds a fault if times are assigned to other points than they were measured at, by two tests at half the level each:
/// of the points' medians, and of single measurements unless there are more than kMaxOrdered. Does nothing unless
/// has_places().
void examine_places(const SeriesReadings& series, const Levels& levels, const WithinPoints& within,
                    const select::Selection& selection, const project::RunEstimator& estimator, double level,
                    std::vector<FoundFault>& findings) {
  if (!has_places(series)) return;
  std::vector<PlacedTimes> all{times_of_points(series, levels, within, selection, estimator)};
  if (series.readings.size() <= kMaxOrdered) all.push_back(times_of_measurements(series, within, selection, estimator));
  double probability = 1;
  for (const PlacedTimes& times : all)
    probability = std::min(probability, 2 * probability_of_misplaced(estimator.model(), times, level / 2));
  if (probability < level)
    findings.push_back({.fault = Fault::misplaced, .place = {one_file_of(series)}, .probability = probability});
}

/// The PatternTest of levels: two-sided, with the scale of the residuals estimated without the pattern.
double probability_of_pattern(const Remainder& left, const Pattern& pattern, const select::ModelConstants& constants) {
  const double score = left.score(pattern.values).value();
  // Misfit has the wider prior of the two, and the noise is known from within the points.
  const select::NoiseEvidence others{left.degrees() - 1, std::max(left.squares() - score * score, 0.0)};
  const NoisePosterior posterior(constants.misfit_spread, others);
  // A point is occasionally an outlier, like a measurement.
  return pattern.fault == Fault::stray_point ? posterior.probability_beyond(std::abs(score), constants.noise_spread)
                                             : posterior.probability_beyond(std::abs(score));
}

/// A pattern that was found, with its amount as a share of the level; the level that the others predict is at least a
/// thousandth of it, because a level of 0 or less has no ratio.
FoundFault finding_of(const Pattern& pattern, double amount, double probability, const SeriesReadings& series,
                      const Levels& levels, const select::Selection& selection) {
  constexpr double kMinShare = 1e-3;
  FoundFault finding{.fault = pattern.fault};
  finding.change = 1 / std::max(1 - amount, kMinShare) - 1;
  finding.probability = probability;
  if (pattern.fault == Fault::disagreement) {
    finding.group = series.groups[pattern.subject].name;
  } else {
    finding.point = selection.points[series.points[pattern.subject]].id;
    finding.value = levels.values[pattern.subject];
  }
  return finding;
}

}  // namespace

void examine_levels(const SeriesReadings& series, const WithinPoints& within, const select::Selection& selection,
                    const project::RunEstimator& estimator, const AlarmLevel& level, Depth depth,
                    std::vector<FoundFault>& findings, std::set<Fault>& seen) {
  const Levels levels = levels_of(series, within);
  const select::ModelShapes points = estimator.point_shapes().at(series.points);
  const select::ModelConstants& constants = estimator.model().constants();
  const auto look_at_places = [&] {
    examine_places(series, levels, within, selection, estimator, level(Fault::misplaced), findings);
  };
  if (has_places(series)) seen.insert(Fault::misplaced);
  const double scale = NoisePosterior(constants.noise_spread, within.evidence).median();
  const Eigen::LLT<Eigen::MatrixXd> root(covariance_of(levels, series, estimator.model(), points, scale));
  const auto whitened = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd { return root.matrixL().solve(x); };
  // Shares of the levels: 1 is the sum of the basis functions and of relative noise.
  Remainder values(whitened(Eigen::VectorXd::Ones(levels.values.size())));
  for (Eigen::Index c = 0; c < points.free_functions.cols() && values.degrees() > 1; ++c)
    values.take_out(whitened(points.free_functions.col(c).cwiseQuotient(levels.values)));
  const std::vector<Pattern> patterns = patterns_of(series);
  std::vector<Pattern> scaled = patterns;
  for (Pattern& pattern : scaled) {
    pattern.values = whitened(pattern.values);
    if (values.own_part(pattern.values)) seen.insert(pattern.fault);
  }
  if (depth == Depth::what_could_be_found) return;
  const auto test = [&](const Remainder& left, const Pattern& pattern) {
    return probability_of_pattern(left, pattern, constants);
  };
  const std::vector<FoundPattern> named = find_patterns(values, scaled, test, level);
  const Eigen::VectorXd amounts = amounts_of(values, scaled, named);
  for (std::size_t f = 0; f < named.size(); ++f)
    findings.push_back(
        finding_of(patterns[named[f].pattern], amounts[f], named[f].probability, series, levels, selection));
  // An outlying point also suggests that its times are misplaced.
  if (std::ranges::find(findings, Fault::stray_point, &FoundFault::fault) == findings.end()) look_at_places();
}

}  // namespace seqpoint::checks
