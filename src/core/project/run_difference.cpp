#include "core/project/run_difference.hpp"

#include <cmath>

namespace seqpoint::project {
namespace {

double iterations_per_epoch(const trace::RunSummary& run) {
  return static_cast<double>(run.iterations) / static_cast<double>(run.epochs);
}

/// The target that is `ratio` times the mean cost of one run less the mean cost of the other.
select::TargetCovariances difference_target(double ratio, const RunEstimator& run, const RunEstimator& less) {
  const select::TargetCovariances &more = run.target(), &off = less.target();
  const Eigen::VectorXd counts = run.run_signatures().counts;
  const double covariance =
      select::target_covariances(less.model(), less.run_signatures(), run.run_signatures()).with_points.dot(counts) /
      counts.sum();
  return {.with_points = ratio * more.with_points - off.with_points,
          .variance = ratio * ratio * more.variance - 2 * ratio * covariance + off.variance,
          .free_totals = ratio * more.free_totals - off.free_totals,
          .own_disturbance_variance = ratio * ratio * more.own_disturbance_variance + off.own_disturbance_variance};
}

/// The variance of the totals of free functions that weights miss, where amounts are as in predictions.
double amounts_variance(const Eigen::VectorXd& missed, const select::ModelConstants& constants) {
  return constants.amount * constants.amount * missed.squaredNorm();
}

}  // namespace

Estimate difference_of(const ProjectedRun& run, const ProjectedRun& less, const MeasuredPoints& measured) {
  for (const ProjectedRun* const one : {&less, &run})
    if (one->fit.no_interval != NoInterval::none) return estimate_without(0, one->fit.no_interval);
  if (&run.estimator == &less.estimator) return estimate_without(0, Interval{0, 0});
  const double mean = less.estimator.mean_cost(less.fit, measured);
  if (mean == 0) return estimate_without(0, std::string("the total is zero"));
  // Over the iterations of an epoch of `less`, and so as shares of one mean cost.
  const trace::RunSummary &of_run = run.estimator.run(), &of_less = less.estimator.run();
  const double iterations = iterations_per_epoch(of_less);
  const double ratio = iterations_per_epoch(of_run) / iterations;
  const select::TargetCovariances target =
      difference_target(ratio, run.estimator, less.estimator).at_points(measured.counts.points);
  const Eigen::VectorXd weights = ratio * run.fit.prediction_weights - less.fit.prediction_weights;
  select::ErrorParts parts = less.fit.points->error_parts(weights, target);
  parts.amounts = amounts_variance(parts.missed, less.estimator.model().constants());
  parts.missed = {};
  const double difference = less.estimator.total(run.fit, measured) / static_cast<double>(of_run.epochs) -
                            less.estimator.total(less.fit, measured) / static_cast<double>(of_less.epochs);
  less.estimator.set_levels(parts, difference / (iterations * mean), less.fit, measured);
  return less.estimator.estimate_of(difference, iterations, std::move(parts), less.fit, measured);
}

}  // namespace seqpoint::project
