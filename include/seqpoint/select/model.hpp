/// \file
/// The constants of the one statistical model that chooses points, weighs them and states intervals (docs/method.md).
#pragma once

#include <algorithm>
#include <array>

namespace seqpoint::select {

/// With x the signature of an iteration and mu the run's mean cost, its cost is taken to be
///
///     y(x) = mu [ sum_j a_j f_j(x) + z(x) (g(x) + e) ]
///
/// f_j: shapes, each divided by its mean over the run; z: size, divided likewise; g: a Gaussian process; e: a
/// disturbance. Round numbers, chosen before any error was looked at; docs/evaluation.md shows what comes of half and
/// twice each.
struct ModelConstants {
  /// Variance of a_j of the free shapes, which any network's cost may contain in any amount; their totals are made
  /// exact in the end. Share of the mean cost, squared. Reason: a hundred times the mean cost is "any amount".
  double free = 1e4;
  /// Variance of a_j of the possible shapes, which hardware is known to have. Share of the mean cost, squared. Reason:
  /// all of the cost may be of one such shape (a_j = 1), and parts of it may cancel others.
  double possible = 3;
  /// Standard deviation of g, a share of a signature's cost. Reason: neighbouring lengths that take other kernels
  /// differ by some percent.
  double jag = 0.03;
  /// Padded lengths over which g stays alike: g has a third of its variance at each. Reason: powers of four from the
  /// smallest tile's half to the half of the largest.
  std::array<double, 3> scales{4, 16, 64};
  /// Standard deviation of what one iteration differs by from others of its signature, a share of its cost; measuring
  /// the same iteration again does not average it out. Reason: a few percent, as timings of training steps scatter.
  double iteration = 0.03;
  /// Standard deviation of what one measurement adds, a share of the cost. Reason: as above.
  double measurement = 0.025;
  /// Median of the scale s that multiplies jag and both disturbances on the machine at hand. Reason: machines that are
  /// shared disturb more than the quiet one the figures above are of, and few disturb less.
  double scale_median = 1.5;
  /// Standard deviation of ln s. Reason: a quiet machine has half of the usual, a shared one three times.
  double scale_spread = 0.5;
  /// Batch sizes vary where no more than this share of the iterations has the largest. Reason: short last batches of
  /// buckets and epochs are fewer than one iteration in ten.
  double one_batch_size = 0.9;

  /// Variance of the mean of `measurements` at up to so many different iterations of a signature, a share of its cost
  /// squared.
  double disturbance_variance(double iterations, double measurements) const {
    return iteration * iteration / std::min(iterations, measurements) + measurement * measurement / measurements;
  }
  friend bool operator==(const ModelConstants&, const ModelConstants&) = default;
};

/// Sides of the tiles that matrix kernels pad lengths to.
inline constexpr std::array<double, 5> kLengthTiles{8, 16, 32, 64, 128};
/// The same of the rows of a matrix that all tokens of a batch without padding make (thread blocks of up to 256 rows).
inline constexpr std::array<double, 2> kTokenTiles{128, 256};
/// Without padding, tokens of a batch that count as one unit of ModelConstants::scales: token tiles are 16 times as
/// large.
inline constexpr double kTokensPerUnit = 16;

}  // namespace seqpoint::select
