/// \file
/// From measurements at points to a whole run: weights, figures and their intervals (docs/method.md).
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/project/batch_sizes.hpp"
#include "core/select/point_fit.hpp"
#include "seqpoint/project/projection.hpp"

namespace seqpoint::project {

/// How often something was measured, by point.
struct MeasurementCounts {
  std::vector<std::size_t> points;  ///< positions in Selection::points, ascending; at least one
  std::vector<double> iterations;   ///< number of different iterations, by measured point; effectively fewer where some
                                    ///< were measured more often
  std::vector<double> measurements;  ///< number of measurements, by measured point
  friend auto operator<=>(const MeasurementCounts&, const MeasurementCounts&) = default;
};

/// For the iterations of a point, by number: the mean of its measurements over the mean of all, minus 1.
using Deviations = std::vector<std::pair<std::uint64_t, double>>;

/// The measurements of one metric of one configuration.
struct MeasuredPoints {
  MeasurementCounts counts;
  std::vector<double> values;            ///< mean or median of the measurements, by measured point
  std::vector<Deviations> deviations{};  ///< by measured point, of which an entry may be empty; empty: none are known
};

/// An interval, or the reason why there is none.
struct IntervalOrReason {
  std::optional<Interval> interval;
  std::string reason;
};

/// What measurements say of the scale of disturbances: a sum of squares over their variance at scale 1.
struct ScaleEvidence {
  double degrees = 0;  ///< of freedom
  double squares = 0;
};

/// Projects the run that points were selected from, or another run of the same model, from what was measured at them.
class RunEstimator {
 public:
  /// Projects the run of the selection, or `other` if it is given. Both have to outlive the estimator, and the
  /// estimator its fits.
  explicit RunEstimator(const select::Selection& selection, const trace::RunSummary* other = nullptr,
                        double confidence = 0.95, const select::ModelConstants& constants = {});

  /// Weights of the measured points, and their expected error.
  struct Fit {
    Eigen::VectorXd weights;                   ///< iterations of the projected run, by measured point
    Eigen::VectorXd selected_run_weights;      ///< the same of the run that the points were selected from
    double root_variance = 0;                  ///< sqrt(U)
    select::VarianceParts variance{};          ///< U by where it comes from
    Eigen::VectorXd measured_variances{};      ///< of it the part of each measured point's disturbances
    std::string no_interval_reason;            ///< empty: there is an interval
    std::optional<select::PointFit> points{};  ///< nothing: more than kMostFittedPoints
  };
  /// The selected weights for the selection's run with every point; else the best linear unbiased prediction's.
  Fit fit(const MeasurementCounts&) const;

  double total(const Fit&, const MeasuredPoints&) const;
  IntervalOrReason interval(const Fit&, const MeasuredPoints&) const;
  /// Of the ratio base / other of two totals; a reason where they were measured at different points.
  IntervalOrReason ratio_interval(const Fit&, const MeasuredPoints& base, const MeasuredPoints& other) const;
  /// Of an iteration of the run that the points were selected from.
  double mean_cost(const Fit&, const MeasuredPoints&) const;
  /// Of the interval of what varies by `root_variance` of the mean cost at scale 1, in the measured unit.
  double half_width(const Fit&, double root_variance, const MeasuredPoints&) const;
  /// Of a fit with an interval, to a total that is not 0.
  ScaleEvidence scale_evidence(const Fit&, const MeasuredPoints&) const;
  /// The largest value that any signature of the run is predicted to have, and its interval; at least the largest
  /// measured.
  std::pair<double, IntervalOrReason> largest_value(const Fit&, const MeasuredPoints&) const;
  /// The predicted value at every signature of the run's histogram.
  Eigen::VectorXd curve(const Fit&, const MeasuredPoints&) const;

  /// The distance of a signature from the range of the measured points, as a share of that range, in the dimension
  /// where it is largest; 0 inside.
  double distance_outside(const trace::Signature&, const MeasurementCounts&) const;
  const trace::RunSummary& run() const { return run_; }
  std::optional<std::uint32_t> only_batch_size() const { return batches_.size; }  ///< of points; the run has others
  const select::CostModel& model() const { return model_; }
  const select::ModelSignatures& run_signatures() const { return run_signatures_; }  ///< of the projected run
  const select::TargetCovariances& target() const { return target_; }  ///< the projected run, seen from all points
  /// Of the selection's points; each phase but the first adds a free function.
  const select::ModelSignatures& point_signatures() const { return point_signatures_; }

 private:
  select::ModelSignatures signatures_of(const std::vector<trace::SignatureCount>&) const;
  ScaleEvidence scale_evidence(const select::PointFit&, const Eigen::VectorXd& e, const std::vector<Deviations>&) const;
  /// As a share of the mean cost.
  double half_width(double root_variance, const ScaleEvidence&) const;

  const select::Selection& selection_;
  const trace::RunSummary& run_;
  double confidence_;
  select::CostModel model_;
  MeasuredBatches batches_;                                    ///< of the projected run
  std::vector<trace::SignatureCount> point_histogram_;         ///< the most frequent signature of each point
  select::ModelSignatures point_signatures_, run_signatures_;  ///< of the selection's points; of the projected run
  Eigen::VectorXd shares_;           ///< selected weights, of the iterations of the selection's run
  Eigen::RowVectorXd phase_totals_;  ///< of the free functions of phases, per iteration of any run
  select::TargetCovariances selected_run_target_, target_;  ///< of the selection's run; of the projected run
};

}  // namespace seqpoint::project
