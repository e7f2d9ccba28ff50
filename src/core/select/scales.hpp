/// \file
/// The scales of noise, misfit and levels on the machine at hand: their posterior given measurements, and the
/// resulting intervals (docs/method.md).
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/select/select.hpp"

namespace seqpoint::select {

// --- The level of an undisturbed process, from the levels of several of which some may have been disturbed
// (docs/method.md)

/// How often a process is disturbed, for example by another program on its cores: one process in twenty.
inline constexpr double kDisturbedShare = 0.05;
/// By how much a disturbed process is slower, on the logarithm: an exponential distribution of this mean. Nothing makes
/// a process much faster than it is.
inline constexpr double kMeanDisturbance = 0.3;

/// The level of an undisturbed process, on the logarithm.
struct LevelMoments {
  double ln_evidence = 0;  ///< logarithm of the density of the observed levels
  double mean = 0, variance = 0;
};

/// The level of a process as it was measured, on the logarithm.
struct SeenLevel {
  double log = 0;
  double deviation = 0;  ///< its standard deviation about the true one, in an undisturbed process; above 0
};

/// Which processes may be far from the others: slower ones, or of differences of two processes either.
enum class Tail { slower, both };

/// `logs`: the logarithms of the levels of at least two processes, all finite. `deviation`: the standard deviation of
/// such a level in an undisturbed process, above 0. The density is integrated numerically, to about ten digits.
LevelMoments undisturbed_level(std::span<const double> logs, double deviation, Tail tail = Tail::slower);

/// The same of one process too, which has no other to be compared with: it counts as undisturbed.
LevelMoments level_of(std::span<const double> logs, double deviation, Tail tail = Tail::slower);
/// The same of levels that were measured with different precision. At least one.
LevelMoments level_of(const std::vector<SeenLevel>&, Tail);

/// By process, the probability that it was disturbed. Parameters as of undisturbed_level().
std::vector<double> disturbed_probabilities(std::span<const double> logs, double deviation, Tail tail = Tail::slower);
/// The same of levels that were measured with different precision.
std::vector<double> disturbed_probabilities(const std::vector<SeenLevel>&, Tail);

/// Logarithm of the density of sums of two processes' levels, round by round, on a machine whose speed changes between
/// rounds by 2, 4, 8 or 16 times `deviation`, that of such a sum on a steady machine; each of these is as probable.
double ln_evidence_of_drift(std::span<const double> sums, double deviation);

// --- Points and stretches of the same processes: two measurements of one level (docs/method.md)

/// The bias of a plan, by which its batches cost more than the same ones in a row, on the logarithm: normal, of a
/// standard deviation whose logarithm is normal about that of 0.7 %, with a standard deviation of 1.
inline constexpr double kPlanBias = 0.007, kPlanBiasSpread = 1;

/// Levels by stretches of consecutive batches, beside those by the points of the same processes.
struct StretchLevels {
  std::vector<double> points{};  ///< levels of these processes by their points, on the logarithm
  std::vector<double> ratios{};  ///< ln(took / predicted) of their stretches
  double noise = 0, misfit = 0;  ///< mean variances of a ratio, at scales of 1
  double other = 0;              ///< not scaled
  bool share_levels = false;     ///< whether points and stretch of a process share its level; else they may, or each
                                 ///< has its own

  /// The levels by the stretches.
  std::vector<double> levels() const;
};

/// The level that points and stretches say together. Points have the bias of their plan.
LevelMoments without_plan_bias(const LevelMoments& points, const LevelMoments& stretches);
/// The same where stretches share the levels of the processes; `ratios`: their distance from the points.
LevelMoments without_shared_bias(const LevelMoments& points, const LevelMoments& ratios);

// --- Scales

/// Observed sum of squares, with its degrees of freedom.
struct NoiseEvidence {
  double degrees = 0;
  double squares = 0;  ///< divided by their variance at scale 1
};

/// Evidence about levels from the processes that measured one configuration: their own projections about the mean.
struct LevelEvidence {
  double degrees = 0;  ///< number of processes minus 1
  double squares = 0;  ///< sum of squared relative deviations; not used beside `logs`
  double noise = 0;    ///< noise variance of such a projection, at scale 1
  /// Logarithms of the processes' levels: some may have been disturbed. Empty: none was.
  std::vector<double> logs{};
  double center = 0;  ///< logarithm of the level that the figure is stated for
  /// For each of `logs`, the round of turns that its process measured in, from 1; 0: none. Empty: there are no rounds.
  std::vector<std::uint64_t> rounds{};
  StretchLevels stretches{};  ///< not used without `logs`
};

/// Two configurations that took turns need this many whole rounds before a drift of the machine can be told.
inline constexpr std::size_t kMinRounds = 3;

/// Whether processes were disturbed: by process, or by round, the probability that it was.
using DisturbedProbabilities = std::vector<double>;

/// The variance of an error by source, as shares of the mean cost squared. Each is for scales of 1.
struct ErrorParts {
  double misfit = 0;         ///< times g^2: interpolation between measured lengths
  double measured = 0;       ///< times s^2: noise of the measurements
  double own = 0;            ///< times s^2: noise of the run's own iterations
  Eigen::VectorXd missed{};  ///< d: totals of the estimated diffuse functions that the weights miss; empty: none
  double amounts = 0;        ///< not scaled: amounts of diffuse functions with an informative prior
  double lengths = 0;        ///< not scaled: lengths of the run, if only those of a part are known
  double processes = 0;      ///< times tau^2: levels of the measuring processes
  double own_process = 0;    ///< times tau^2: the level of the run's own process, if it is another one

  double noise() const { return measured + own; }           ///< E
  double level() const { return processes + own_process; }  ///< of all levels
};

/// Point estimates of the scales given costs: exp of the posterior means of their logarithms.
struct Scales {
  double noise = 1, misfit = 1;  ///< s, g
  std::optional<double> level;   ///< tau; nothing if levels are not modelled
};

/// Points whose costs have the covariance g^2 K + s^2 D about diffuse functions F. In one basis the residuals of F have
/// a diagonal covariance for every s and g.
class PointScales {
 public:
  /// `misfit`: K. `disturbance`: the diagonal of D. `free_functions`: F, linearly independent columns.
  PointScales(const ModelConstants&, const Eigen::MatrixXd& misfit, const Eigen::VectorXd& disturbance,
              const Eigen::MatrixXd& free_functions);
  /// Typical costs at the points: the residual in each direction outside of the diffuse functions is one standard
  /// deviation, at scales of 1.
  Eigen::VectorXd usual_costs() const;
  /// d'G d of missed totals d, with the covariance G of the estimated amounts of the diffuse functions, for each pair
  /// of s^2 and g^2. 0 if d is empty or rounding.
  Eigen::ArrayXd missed_variances(const Eigen::VectorXd& missed, const Eigen::ArrayXd& s2,
                                  const Eigen::ArrayXd& g2) const;

 private:
  friend class ScalesPosterior;
  /// What all posteriors at these points have in common, for each pair of s and g.
  struct Grid {
    Eigen::ArrayXd ln_s, ln_g;
    Eigen::ArrayXXd variances,
        logarithms;                   ///< of the eigenvectors' coordinates (rows): g^2 of each + noise, and its log
    Eigen::VectorXd missed;           ///< the latest argument of missed_on_grid()
    Eigen::ArrayXd missed_variances;  ///< its result
  };
  /// The grid for that many sides, 1 or 2: made when it is first used. Not for several threads at once.
  Grid& grid(int sides) const;
  /// The deviance of relative costs on that grid, -2 times the logarithm of the restricted likelihood, but for a
  /// constant.
  Eigen::ArrayXd deviances(const Eigen::VectorXd& costs, int sides) const;
  /// missed_variances() on that grid; the latest result is kept, because draws of one fit miss the same totals.
  const Eigen::ArrayXd& missed_on_grid(const Eigen::VectorXd& missed, int sides) const;

  ModelConstants constants_;
  Eigen::MatrixXd misfit_;                            ///< D^-1/2 K D^-1/2
  Eigen::MatrixXd free_functions_;                    ///< D^-1/2 F
  Eigen::VectorXd eigenvalues_;                       ///< eigenvalues of the misfit in the complement of F
  Eigen::MatrixXd basis_;                             ///< maps costs at the points to that complement
  mutable std::array<std::optional<Grid>, 2> grids_;  ///< by sides - 1
};

/// Posterior of the scales given costs: prior times restricted likelihood, on a grid.
class ScalesPosterior {
 public:
  /// `costs`: e at the points, relative; with two `sides` the differences of two such, which have twice D. The evidence
  /// is about s. `levels`: of each configuration in the figure; empty: levels have no part in it. `between`: their
  /// prior.
  ScalesPosterior(std::shared_ptr<const PointScales> points, const Eigen::VectorXd& costs, const NoiseEvidence&,
                  std::span<const LevelEvidence> levels = {}, const BetweenProcesses& between = kHostBound,
                  int sides = 1);

  /// The half-width of the interval that covers an error of these parts with `confidence`: the error is a mixture of
  /// normal distributions over the grid.
  double half_width(const ErrorParts&, double confidence) const;
  Scales scales() const;
  /// The mean logarithm of the level of an undisturbed process, minus LevelEvidence::center; of two sides the
  /// difference of the first from the second. 0 without logs.
  double undisturbed_level() const;
  /// Whether the ratio of two sides is not that of their figures: rounds or stretches then say more of it than of each.
  bool has_own_ratio() const { return has_own_ratio_; }
  /// By process of one side, whose evidence the posterior was made from, the probability that it was disturbed.
  DisturbedProbabilities disturbed(const LevelEvidence&) const;
  /// The probability that the machine drifted, so that only the processes of a round can be compared; 0 without rounds.
  double drift() const;
  /// By round, the probability that one of its processes was disturbed. Empty without rounds.
  DisturbedProbabilities disturbed_rounds() const;
  /// The mean variance of levels of the measuring processes beyond what it is if none was disturbed, for
  /// ErrorParts::processes of this many.
  double excess(double processes) const;
  /// d'G d at these scales.
  double missed_variance(const Eigen::VectorXd& missed, const Scales&) const;

 private:
  std::shared_ptr<const PointScales> points_;
  int sides_;
  /// A row per s and g, a column per tau, and one more per tau if the machine may have drifted; they add up to 1.
  Eigen::ArrayXXd weight_;
  Eigen::ArrayXd ln_s_, ln_g_, ln_tau_;  ///< grid values of each, of columns; no tau: levels are not modelled
  /// Variance of the error that levels cause beyond that of normal levels; 0 if no process can have been disturbed.
  Eigen::ArrayXXd excess_;
  Eigen::ArrayXXd off_;  ///< undisturbed_level() of each cell
  bool has_own_ratio_ = false;
  double inverse_processes_ = 0;            ///< sum over the sides of 1 / number of processes
  std::vector<double> distances_;           ///< by whole round, the level of the first side's process minus the other's
  Eigen::ArrayXXd deviations_of_distance_;  ///< standard deviations of such a distance, by cell without drift
  Eigen::ArrayXd misfits_;                  ///< mean of g², by row
  bool uses_stretches_ = false;             ///< whether levels are also those of stretches
  bool compares_stretches_ = false;         ///< whether all processes of two sides have one

  void add_levels(const LevelEvidence&);
  void add_disturbed_levels(const LevelEvidence&, double sign);
  void add_rounds(const LevelEvidence& a, const LevelEvidence& b);
  /// What points and stretches say of a level at the scales of a cell.
  LevelMoments level_at(Eigen::Index row, Eigen::Index column, const LevelEvidence&) const;
  /// The standard deviation of the mean of a level by points and by its stretch; without stretches of the points'.
  double deviation_of_mean(Eigen::Index row, Eigen::Index column, const LevelEvidence&) const;
  /// The standard deviation of a level, at the scales of a cell; `noise`: variance of its measurement, at scale 1.
  double deviation(Eigen::Index row, Eigen::Index column, double levels, double noise) const;
  /// The variance of ln(took / predicted) of a stretch, without levels.
  double variance_of_stretch(Eigen::Index row, const StretchLevels&) const;
  LevelMoments of_own_levels(const LevelMoments& points, const LevelMoments& stretches) const;
  LevelMoments of_shared_levels(const LevelMoments& points, const LevelMoments& ratios) const;
  void set_misfits();
  /// The mean over the cells from column `first` on of what `of_cell` gives for a row and a column.
  template <class OfCell>
  DisturbedProbabilities mean_over(Eigen::Index first, std::size_t count, OfCell of_cell) const;
};

/// Posterior of levels alone, for figures without points: the other scales follow their priors.
std::shared_ptr<const ScalesPosterior> posterior_of_levels(std::span<const LevelEvidence> levels,
                                                           const BetweenProcesses& between);

}  // namespace seqpoint::select
