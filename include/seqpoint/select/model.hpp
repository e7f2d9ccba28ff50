/// \file
/// The constants of the one statistical model that chooses points, weighs them and states intervals (docs/method.md).
#pragma once

#include <algorithm>
#include <array>

namespace seqpoint::select {

/// The constants of the model, with their defaults.
///
/// With x the signature of an iteration and mu the run's mean cost, its cost is taken to be
///
///     y(x) = mu L [ sum_j a_j f_j(x) + z(x) (g(x) + e) ]
///
/// f_j: known functions of a signature ("shapes" in docs/method.md), each divided by its mean over the run; z: size,
/// divided likewise; g: misfit, a Gaussian process; e: a disturbance; L: the level of the process that runs or
/// measures. On a machine at hand, misfit, disturbances and levels are the scales g, s and t times what is said here.
/// The constants are round numbers; docs/evaluation.md shows the effect of halving and doubling each.
struct ModelConstants {
  /// Variance of a_j of the free functions, which the cost of any network may contain in any amount; weights meet their
  /// totals exactly. Share of the mean cost, squared. Reason: a hundred times the mean cost is "any amount".
  double free = 1e4;
  /// Variance of a_j of the possible functions, which some hardware is known to cost. Share of the mean cost, squared.
  /// Reason: one of them may be the whole cost (a_j = 1), and parts of the cost may cancel others.
  double possible = 3;
  /// Standard deviation of a_j of the free functions about a cost in proportion to size, in predictions: of another
  /// run, or where a point is missing. Share of the mean cost. Reason: half of the cost may be of another kind.
  double amount = 0.5;
  /// Standard deviation of the misfit, a share of a signature's cost. Reason: neighbouring lengths that use different
  /// kernels differ by some percent; as large as what disturbs an iteration, as nothing is known of either.
  double jag = 0.045;
  /// Correlation lengths of the misfit, in padded lengths; each has a third of what lengths share. Reason: powers of
  /// four, from half of the smallest tile to half of the largest.
  std::array<double, 3> scales{4, 16, 64};
  /// Share of the misfit's variance that is of a signature alone, as where a kernel is chosen for that very shape.
  /// Reason: half, as nothing is known.
  double nugget = 0.5;
  /// Standard deviation between the iterations of a signature, a share of its cost; measuring the same iteration again
  /// does not average it out. Reason: a few percent, as timings of training iterations on shared machines scatter.
  double iteration = 0.045;
  /// Standard deviation between measurements of one iteration, a share of its cost. Reason: as above.
  double measurement = 0.04;
  /// Standard deviation of ln s. Reason: a quiet machine has half of the usual scale, a busy one three times.
  double noise_spread = 0.5;
  /// Standard deviation of ln g. Reason: a factor of e, as is usual of what is not known; some networks have no misfit
  /// to speak of, others a cliff.
  double misfit_spread = 1;
  /// Standard deviation of the level of a process, as a share of s. Reason: the usual differences between processes on
  /// one machine are about half of those between iterations.
  double session = 0.02;
  /// Standard deviation of ln t. Reason: as of g.
  double session_spread = 1;
  /// The model takes batch sizes to vary where at most this share of the iterations has the largest one. Reason: short
  /// last batches of buckets and epochs are fewer than one iteration in ten.
  double one_batch_size = 0.9;

  /// Variance of the mean of so many measurements, at `iterations` different iterations of a signature if there are as
  /// many measurements. Share of its cost, squared.
  double disturbance_variance(double iterations, double measurements) const {
    return iteration * iteration / std::min(iterations, measurements) + measurement * measurement / measurements;
  }
  /// Member by member.
  friend bool operator==(const ModelConstants&, const ModelConstants&) = default;
};

/// Sides of the tiles that matrix kernels pad lengths to, in tokens or frames.
inline constexpr std::array<double, 5> kLengthTiles{8, 16, 32, 64, 128};
/// The same without padding, in tokens: all tokens of a batch are rows of one matrix (thread blocks of up to 256 rows).
inline constexpr std::array<double, 2> kTokenTiles{128, 256};
/// Without padding, ModelConstants::scales are in units of so many tokens: the smallest token tile is 16 times the
/// smallest length tile.
inline constexpr double kTokensPerUnit = 16;

}  // namespace seqpoint::select
