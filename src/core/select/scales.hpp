/// \file
/// The scales of disturbances, misfit and levels on the machine at hand: what measurements tell of them, and the
/// intervals that follow (docs/method.md).
#pragma once

#include <Eigen/Core>

#include <memory>
#include <optional>
#include <span>

#include "core/select/select.hpp"

namespace seqpoint::select {

/// Squares that were seen: their sum, and in how many degrees of freedom.
struct NoiseEvidence {
  double degrees = 0;
  double squares = 0;  ///< over their variance at scale 1
};

/// What the processes that measured one configuration tell of levels, by their own projections about their mean.
struct LevelEvidence {
  double degrees = 0;  ///< one less than there are processes
  double squares = 0;  ///< of relative deviations
  double noise = 0;    ///< variance of such a projection by disturbances, at scale 1
};

/// The variance of an error in named parts, as shares of the mean cost squared. Each is for scales of 1.
struct ErrorParts {
  double misfit = 0;         ///< times g^2: of lengths between those that were measured
  double measured = 0;       ///< times s^2: disturbances of the measurements
  double own = 0;            ///< times s^2: disturbances of the run's own iterations
  Eigen::VectorXd missed{};  ///< d: totals of the estimated free functions that the weights miss; empty: none
  double amounts = 0;        ///< as it is: amounts of free functions that a prior tells
  double processes = 0;      ///< times tau^2: levels of the processes that measured
  double own_process = 0;    ///< times tau^2: the level of the run's own process, where it is another

  double noise() const { return measured + own; }           ///< E
  double level() const { return processes + own_process; }  ///< of all levels
};

/// The scales as costs leave them: exp of the posterior means of their logarithms.
struct Scales {
  double noise = 1, misfit = 1;  ///< s, g
  std::optional<double> level;   ///< tau; nothing where levels are not looked for
};

/// Points whose costs have the covariance g^2 K + s^2 D about free functions F. What F leaves of them has in one basis
/// a diagonal covariance for every s and g.
class PointScales {
 public:
  /// `misfit`: K. `disturbance`: the diagonal of D. `free_functions`: F, linearly independent columns.
  PointScales(const ModelConstants&, const Eigen::MatrixXd& misfit, const Eigen::VectorXd& disturbance,
              const Eigen::MatrixXd& free_functions);
  /// Costs at the points that are as usual: what is left of each without free functions is one standard deviation.
  Eigen::VectorXd usual_costs() const;
  /// d'G d of such totals d, G being the covariance of the amounts of free functions, for each s^2 and g^2.
  Eigen::ArrayXd missed_variances(const Eigen::VectorXd& missed, const Eigen::ArrayXd& s2,
                                  const Eigen::ArrayXd& g2) const;

 private:
  friend class ScalesPosterior;
  ModelConstants constants_;
  Eigen::MatrixXd misfit_;          ///< D^-1/2 K D^-1/2
  Eigen::MatrixXd free_functions_;  ///< D^-1/2 F
  Eigen::VectorXd eigenvalues_;     ///< of the misfit where F leaves something
  Eigen::MatrixXd basis_;           ///< takes costs at the points to there
};

/// What is known of the scales once costs were seen: prior times restricted likelihood, on a grid.
class ScalesPosterior {
 public:
  /// `costs`: e at the points, relative; with two `sides` the differences of two such, which have twice D. `levels`: of
  /// each configuration in the figure; empty: it has no part of levels. `between`: what is usual of them.
  ScalesPosterior(std::shared_ptr<const PointScales> points, const Eigen::VectorXd& costs, const NoiseEvidence&,
                  std::span<const LevelEvidence> levels = {}, const BetweenProcesses& between = kHostBound,
                  int sides = 1);

  /// The half-width of the interval that holds an error of these parts with `confidence`: the errors are a mixture of
  /// normal ones over the grid.
  double half_width(const ErrorParts&, double confidence) const;
  Scales scales() const;
  /// d'G d at these scales.
  double missed_variance(const Eigen::VectorXd& missed, const Scales&) const;

 private:
  std::shared_ptr<const PointScales> points_;
  int sides_;
  Eigen::ArrayXXd weight_;               ///< a row per s and g, a column per tau; they add up to 1
  Eigen::ArrayXd ln_s_, ln_g_, ln_tau_;  ///< of these; no tau: levels are not looked for
};

}  // namespace seqpoint::select
