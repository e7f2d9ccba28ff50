/// \file
/// From measurements at points to a whole run: weights, figures and their intervals (docs/method.md).
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/project/estimate.hpp"
#include "core/project/projection.hpp"
#include "core/select/cost_model.hpp"
#include "core/select/point_fit.hpp"

namespace seqpoint::project {

/// How often each point was measured.
struct MeasurementCounts {
  std::vector<std::size_t> points;  ///< positions in Selection::points, ascending; at least one
  std::vector<double> iterations;   ///< number of different iterations, by measured point; effectively fewer where some
                                    ///< were measured more often
  std::vector<double> measurements;  ///< number of measurements, by measured point
  friend auto operator<=>(const MeasurementCounts&, const MeasurementCounts&) = default;
};

/// The process levels that separate the measurements from the figure.
enum class LevelScope {
  own_run,         ///< none: the measurements are a part of the run itself
  measured,        ///< those of the measuring processes
  another_process  ///< these, and that of the run, which is another process
};

/// Processes that disagree: no majority shows which of them were disturbed (docs/method.md). All are logarithms; levels
/// are relative to the mean of all processes.
struct Disagreement {
  double least = 0, most = 0;  ///< levels of the fastest and of the slowest process
  double gap = 0;              ///< mean distance between neighbours: another process may lie so far beyond them
  double usual = 0;            ///< half-width of what is usual between two processes, noise included
};

/// The measurements of one metric of one configuration.
struct MeasuredPoints {
  MeasurementCounts counts;
  std::vector<double> values;                             ///< mean or median of the measurements, by measured point
  std::vector<std::vector<profile::Reading>> readings{};  ///< by measured point, one process per process; empty: not
                                                          ///< known
  /// Totals of the selection's run in processes that measured every iteration of it; else empty.
  std::vector<double> run_totals{};
  LevelScope scope = LevelScope::own_run;
  select::BetweenProcesses between = select::kHostBound;  ///< prior of their levels
  std::vector<std::uint64_t> rounds{};  ///< by process, its round among those of several configurations; see
                                        ///< select::LevelEvidence::rounds
  /// Logarithm of the level of an undisturbed process over the mean of all. After RunEstimator::compared() `values`
  /// include it, unless processes disagree.
  double level = 0;
  std::optional<Disagreement> disagreement{};  ///< set by RunEstimator::compared()
  /// By process, the probability that it was disturbed; empty: one process, or not a time. Set by
  /// RunEstimator::compared().
  std::map<std::size_t, double> disturbed{};
  std::vector<profile::StretchEvidence> stretches{};  ///< a second measurement of the same processes
  /// If stretches are farther from the points than kFarthestStretch: the levels that points and stretches say, on the
  /// logarithm and relative to `values`. Set by RunEstimator::compared().
  std::optional<Interval> apart{};
  /// Processes that are farther from the others than usual, by number: their level over the median of the others. Set
  /// by RunEstimator::compared() for three and more.
  std::map<std::size_t, double> odd{};
};

inline constexpr auto kOneBatchSize = "the points have one batch size, which does not show what another costs";
/// The reason as a text for the user; "" for none and no_ratio.
std::string text_of(NoInterval);

struct ProcessLevels;  // core/project/measured_points.hpp

/// Throws InputError (with `source` as the file) if another run has shapes of another kind than the run that the points
/// were chosen from.
void require_same_shape(const trace::RunSummary& chosen_from, const trace::RunSummary& other,
                        const std::string& source);

/// A run rescaled to the batch size of the model's runs, if they have only one: a batch is assumed to cost in
/// proportion to its size.
struct MeasuredBatches {
  std::optional<std::uint32_t> size;         ///< the measured batch size; nothing: nothing is rescaled
  std::vector<trace::ShapeCount> histogram;  ///< histogram of the run, with the measured size
  Eigen::VectorXd ratios;                    ///< by entry: its own batch size over the measured one; else 1
};

/// Projects a run that points were selected for, or another run of the same model, from measurements at the points.
class RunEstimator {
 public:
  /// Projects the run of the selection, or the target run if given. Both have to outlive the estimator, and the
  /// estimator its fits.
  explicit RunEstimator(const select::Selection& selection, const trace::RunSummary* target = nullptr);
  /// Sets ProjectParams::other_draws, which is a part of the error of totals from then on.
  void set_other_draws(std::optional<double> tokens) { draws_ = tokens; }

  /// Weights of the measured points, and their expected error.
  struct Fit {
    Eigen::VectorXd weights;               ///< iterations of the projected run, by measured point
    Eigen::VectorXd mean_weights;          ///< weights of the measured points in the model's mean cost
    Eigen::VectorXd prediction_weights{};  ///< the same in the mean cost of the projected run, without the part that
                                           ///< the model's prior adds
    select::ErrorParts error{};            ///< error of the mean cost, without levels
    Eigen::VectorXd measured_variances{};  ///< the part of its noise that each measured point has
    NoInterval no_interval = NoInterval::none;
    std::optional<select::PointFit> points{};  ///< nothing: more than kMaxFittedPoints
  };
  /// The selected weights, if the selection's run is projected and the measured points have all of its weight; else
  /// those of the best linear prediction. Above kMaxFittedPoints points: the selected weights, scaled up to the run,
  /// without an interval.
  Fit fit(const MeasurementCounts&) const;

  /// The measurements after their processes are compared, if several measured a time: with the values that an
  /// undisturbed process has or, if processes disagree, with the mean of all. Otherwise the measurements themselves.
  MeasuredPoints compared(const Fit&, MeasuredPoints) const;

  /// Whether every iteration of the run was measured, and the projected run is the selection's: then only
  /// between-process variation is uncertain.
  bool is_whole(const MeasuredPoints& measured) const { return is_selected_run_ && !measured.run_totals.empty(); }
  /// The projected total of the run: the mean of the measured totals if is_whole(), else the weighted sum over the
  /// points.
  double total(const Fit&, const MeasuredPoints&) const;
  /// The total with its uncertainty; without an interval for the reason of the fit, or if the total is zero.
  Estimate estimate(const Fit&, const MeasuredPoints&) const;
  /// The ratio base / other of two totals; without an interval if they were measured at different points, for the
  /// reason of the fit, or if a total is not above zero. If both measured every iteration, the fit is not used.
  Estimate ratio(const Fit&, const MeasuredPoints& base, const MeasuredPoints& other) const;
  /// The ratio of two configurations, from ratio() or ratio_to_whole(), if processes of one of them disagree: its
  /// interval is wider by the distances of their extremes. If the machine drifted, rounds have to agree instead.
  Estimate beside_disagreement(Estimate ratio, const MeasuredPoints& base, const MeasuredPoints& other) const;
  /// The ratio base / other if exactly one of the two measured every iteration. `fit`: of the one that did not.
  Estimate ratio_to_whole(const Fit& fit, const MeasuredPoints& base, const MeasuredPoints& other) const;
  /// The mean cost of an iteration of the run that the points were selected for.
  double mean_cost(const Fit&, const MeasuredPoints&) const;
  /// The largest predicted value of any shape of the run; at least the largest measured value, which is also the value
  /// without an interval if the fit has none. Without an interval if only a part of the run's lengths are known.
  Estimate largest_value(const Fit&, const MeasuredPoints&) const;
  /// The predicted value at every shape of the run's histogram, scaled to its own batch size; empty if there are more
  /// points than can be fitted.
  Eigen::VectorXd curve(const Fit&, const MeasuredPoints&) const;
  /// The standard deviation of the total between the runs that starts of the job draw, as a share; nothing if they have
  /// one run, or all of it was measured.
  std::optional<double> spread_of_draws(const Fit&, const MeasuredPoints&) const;

  /// The distance of a shape from the range of the measured points, as a share of that range, in the dimension where it
  /// is largest; 0 inside. If all points have one value in a dimension, a share of that value.
  double distance_outside(const trace::Shape&, const MeasurementCounts&) const;
  const trace::RunSummary& run() const { return run_; }
  /// Whether the projected run has the histogram of shapes of the selection's.
  bool is_selected_run() const { return is_selected_run_; }
  /// The points' only batch size, if at most ModelConstants::one_batch_size of the projected iterations have it; else
  /// nothing.
  std::optional<std::uint32_t> only_batch_size() const { return batches_.size; }

 private:
  /// A figure with this error of the mean cost, times `iterations`. Requires a fit with points and a mean cost other
  /// than 0.
  Estimate estimate_of(double value, double iterations, select::ErrorParts, const Fit&, const MeasuredPoints&) const;
  /// Sets the variance parts of levels for a figure of `relative` mean costs; leaves them if the scope is own_run.
  void set_levels(select::ErrorParts&, double relative, const Fit&, const MeasuredPoints&) const;
  /// The predicted value of one iteration of any shape. Requires a fit that determines the diffuse functions.
  Estimate value_at(const Fit&, const MeasuredPoints&, const trace::Shape&) const;
  /// The shapes of a run with the diffuse functions of phases: size times the share of each phase but the first.
  select::ModelShapes in_phases(const select::ModelShapes&) const;
  /// The mean of the totals of whole runs. Only between-process variation makes it uncertain.
  Estimate estimate_of_whole(const MeasuredPoints&) const;
  /// Ratio base / other of two fully measured runs. Only between-process variation makes it uncertain.
  Estimate ratio_of_whole(const MeasuredPoints& base, const MeasuredPoints& other) const;
  /// The posterior of the scales, given the measurements.
  std::shared_ptr<const select::ScalesPosterior> posterior(const Fit&, const MeasuredPoints&) const;
  /// The levels of the measuring processes, in the mean cost.
  ProcessLevels levels(const Fit&, const MeasuredPoints&) const;
  void set_prediction(Fit&, const select::TargetCovariances&, bool own) const;
  /// Means over the iterations of the run, of a cost and of padded tokens.
  struct Moments {
    double cost = 0, tokens = 0, cost_squared = 0, tokens_squared = 0, product = 0;
    double variance_of_cost() const { return std::max(cost_squared - cost * cost, 0.0); }
  };
  /// `costs`: by shape of the histogram.
  Moments moments_of(const Eigen::VectorXd& costs) const;
  /// The variance of the mean of a cost over the run if only a part of its iterations have known length: that of the
  /// costs / K (1 - K / N), times RunSummary::loaded_variance. `costs`: by shape of the histogram; empty: 0.
  double variance_of_part(const Eigen::VectorXd& costs) const;
  /// The variance of the mean of a cost between the runs that starts of the job draw: that of their padded tokens,
  /// times the cost of a token. If that of the tokens is not known: as if iterations were drawn one by one, which
  /// is more, because a draw without replacement varies less. `costs`: as above.
  double variance_of_draws(const Eigen::VectorXd& costs) const;
  /// The sum of both.
  double variance_of_lengths(const Eigen::VectorXd& costs) const;
  /// The estimate of an undisturbed process, whether or not processes disagree.
  Estimate undisturbed_estimate(const Fit&, const MeasuredPoints&) const;

  const trace::RunSummary& run_;
  select::CostModel model_;
  MeasuredBatches batches_;  ///< batches of the projected run
  select::ModelShapes point_shapes_,
      run_shapes_;  ///< at the most frequent shape of each point; of the projected run
  bool is_selected_run_;
  std::optional<double> draws_{};    ///< ProjectParams::other_draws
  Eigen::VectorXd shares_;           ///< selected weights, as shares of the iterations of the selection's run
  Eigen::RowVectorXd phase_totals_;  ///< totals of the diffuse functions of phases, per iteration of any run
  select::TargetCovariances model_target_, target_;  ///< for the model's mean cost; for the projected run
};

}  // namespace seqpoint::project
