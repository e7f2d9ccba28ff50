/// \file
/// From measurements at points to a whole run: weights, figures and their intervals (docs/method.md).
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/project/batch_sizes.hpp"
#include "core/project/estimate.hpp"
#include "core/project/projection.hpp"
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
};

std::string text_of(NoInterval);

struct ProcessLevels;  // core/project/process_levels.hpp

/// Throws InputError (with `source` as the file) if another run has shapes of another kind than the run that the points
/// were chosen from.
void require_same_shape(const trace::RunSummary& chosen_from, const trace::RunSummary& other,
                        const std::string& source);

/// Projects a run that points were selected for, or another run of the same model, from measurements at the points.
class RunEstimator {
 public:
  /// Projects the first run of the selection, or `other` if given. Both have to outlive the estimator, and the
  /// estimator its fits.
  explicit RunEstimator(const select::Selection& selection, const trace::RunSummary* other = nullptr,
                        const select::ModelConstants& constants = {});

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
  /// The selected weights of a run of the selection, if all its points were measured; else those of the best linear
  /// prediction.
  Fit fit(const MeasurementCounts&) const;

  /// Whether every iteration of the run was measured: then only between-process variation is uncertain.
  bool is_whole(const MeasuredPoints& measured) const { return selected_run_ == 0 && !measured.run_totals.empty(); }
  double total(const Fit&, const MeasuredPoints&) const;
  /// The total with its uncertainty.
  Estimate estimate(const Fit&, const MeasuredPoints&) const;
  /// The ratio base / other of two totals; without an interval if they were measured at different points.
  Estimate ratio(const Fit&, const MeasuredPoints& base, const MeasuredPoints& other) const;
  /// The same if one of the two measured every iteration. `fit`: of the other.
  Estimate ratio_to_whole(const Fit& fit, const MeasuredPoints& base, const MeasuredPoints& other) const;
  /// A figure with this error of the mean cost, times `iterations`.
  Estimate estimate_of(double value, double iterations, select::ErrorParts, const Fit&, const MeasuredPoints&) const;
  /// The mean cost of an iteration of the runs that the points were selected for, with equal weights.
  double mean_cost(const Fit&, const MeasuredPoints&) const;
  /// Sets the variance parts of levels for a figure of `relative` mean costs.
  void set_levels(select::ErrorParts&, double relative, const Fit&, const MeasuredPoints&) const;
  /// The largest predicted value of any shape of the run; at least the largest measured value.
  Estimate largest_value(const Fit&, const MeasuredPoints&) const;
  /// The predicted value of one iteration of any shape. Requires a fit that determines the free functions.
  Estimate value_at(const Fit&, const MeasuredPoints&, const trace::Shape&) const;
  /// The predicted value at every shape of the run's histogram.
  Eigen::VectorXd curve(const Fit&, const MeasuredPoints&) const;

  /// The distance of a shape from the range of the measured points, as a share of that range, in the dimension where it
  /// is largest; 0 inside.
  double distance_outside(const trace::Shape&, const MeasurementCounts&) const;
  const trace::RunSummary& run() const { return run_; }
  /// The index of the projected run among the selection's.
  std::optional<std::size_t> selected_run() const { return selected_run_; }
  /// The only batch size of the points, if the run has others.
  std::optional<std::uint32_t> only_batch_size() const { return batches_.size; }
  /// The cost model of the run that the points were chosen from, even if another run is projected.
  const select::CostModel& model() const { return model_; }
  /// The projected run and its covariances with all points.
  const select::TargetCovariances& target() const { return target_; }
  /// The shapes of the selection's points; each phase but the first adds a free function.
  const select::ModelShapes& point_shapes() const { return point_shapes_; }

 private:
  select::ModelShapes in_phases(const select::ModelShapes&) const;
  Estimate estimate_of_whole(const MeasuredPoints&) const;
  Estimate ratio_of_whole(const MeasuredPoints& base, const MeasuredPoints& other) const;
  std::shared_ptr<const select::ScalesPosterior> posterior(const Fit&, const MeasuredPoints&) const;
  ProcessLevels levels(const Fit&, const MeasuredPoints&) const;
  void set_prediction(Fit&, const select::TargetCovariances&, bool own) const;

  const select::Selection& selection_;
  const trace::RunSummary& run_;
  select::CostModel model_;
  MeasuredBatches batches_;  ///< batches of the projected run
  select::ModelShapes point_shapes_,
      run_shapes_;  ///< at the most frequent shape of each point; of the projected run
  std::optional<std::size_t> selected_run_;
  Eigen::MatrixXd shares_;           ///< selected weights, as shares of the iterations of each run of the selection
  Eigen::RowVectorXd phase_totals_;  ///< totals of the free functions of phases, per iteration of any run
  select::TargetCovariances model_target_, target_;  ///< for the model's mean cost; for the projected run
};

}  // namespace seqpoint::project
