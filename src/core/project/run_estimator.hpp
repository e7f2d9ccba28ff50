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

#include "core/select/point_fit.hpp"
#include "seqpoint/project/projection.hpp"

namespace seqpoint::project {

/// At which of a selection's points something was measured, and how often.
struct MeasurementCounts {
  std::vector<std::size_t> points;   ///< positions in Selection::points, ascending; at least one
  std::vector<double> iterations;    ///< different ones that were measured; less where some were measured more often
  std::vector<double> measurements;  ///< in all
  friend auto operator<=>(const MeasurementCounts&, const MeasurementCounts&) = default;
};

/// Iterations of a point by their numbers, and each one's mean over the mean of them, less 1.
using Deviations = std::vector<std::pair<std::uint64_t, double>>;

/// A metric of one configuration where it was measured.
struct MeasuredPoints {
  MeasurementCounts counts;
  std::vector<double> values;            ///< by point: the mean, or median, of its measurements
  std::vector<Deviations> deviations{};  ///< by point, where several iterations were told apart; or empty
};

/// An interval, or the reason why there is none.
struct IntervalOrReason {
  std::optional<Interval> interval;
  std::string reason;
};

/// Projects the run that points were selected from, or another run of the same model, from what was measured at them.
class RunEstimator {
 public:
  /// The run of the selection; with `other` that one. All have to outlive the estimator, and that its fits.
  explicit RunEstimator(const select::Selection& selection, const trace::RunSummary* other = nullptr,
                        double confidence = 0.95, const select::ModelConstants& constants = {});

  /// Weights of the points that were measured, and what decides how far off they are.
  struct Fit {
    Eigen::VectorXd weights;                   ///< iterations of the projected run, by measured point
    Eigen::VectorXd own_weights;               ///< the same of the run that the points were selected from
    double root_variance = 0;                  ///< sqrt(U)
    std::string no_interval_reason;            ///< why there is no interval; empty: there is one
    std::optional<select::PointFit> points{};  ///< nothing where there are too many to be fitted
  };
  /// The selected weights for the selection's run with every point; else the best linear unbiased prediction's.
  Fit fit(const MeasurementCounts&) const;

  double total(const Fit&, const MeasuredPoints&) const;
  IntervalOrReason interval(const Fit&, const MeasuredPoints&) const;
  /// Of the ratio of two totals that were measured at the same points.
  IntervalOrReason ratio_interval(const Fit&, const MeasuredPoints& base, const MeasuredPoints& other) const;
  /// Of the signature of the run whose predicted value is largest; never below the largest measured.
  std::pair<double, IntervalOrReason> largest_value(const Fit&, const MeasuredPoints&) const;
  /// The predicted value at every signature of the run's histogram.
  Eigen::VectorXd curve(const Fit&, const MeasuredPoints&) const;

  /// How far a signature lies beyond the measured points in any dimension, as a share of their range; 0 inside.
  double distance_outside(const trace::Signature&, const MeasurementCounts&) const;
  const trace::RunSummary& run() const { return run_; }

 private:
  double mean_cost(const Fit&, const MeasuredPoints&) const;
  double half_width(const select::PointFit&, double root_variance, const Eigen::VectorXd& e,
                    const std::vector<Deviations>& = {}) const;

  const select::Selection& selection_;
  const trace::RunSummary& run_;
  double confidence_;
  select::CostModel model_;
  std::vector<trace::SignatureCount> point_histogram_;  ///< of the points: the most frequent that each stands for
  select::ModelSignatures point_signatures_, run_signatures_;  ///< of the selection; of the run
  Eigen::VectorXd shares_;                         ///< selected weights, of the iterations of the selection's run
  select::TargetCovariances own_target_, target_;  ///< the selection's run and the run, seen from the points
};

}  // namespace seqpoint::project
