/// \file
/// The level of an undisturbed process, from the levels of several processes of which some may have been disturbed
/// (docs/method.md).
#pragma once

#include <span>
#include <vector>

namespace seqpoint::select {

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

/// Which processes may be far from the others: slower ones, or of differences of two processes either.
enum class Tail { slower, both };

/// `logs`: the logarithms of the levels of at least two processes, all finite. `deviation`: the standard deviation of
/// such a level in an undisturbed process, above 0. The density is integrated numerically, to about ten digits.
LevelMoments undisturbed_level(std::span<const double> logs, double deviation, Tail tail = Tail::slower);

/// By process, the probability that it was disturbed. Parameters as of undisturbed_level().
std::vector<double> disturbed_probabilities(std::span<const double> logs, double deviation, Tail tail = Tail::slower);

/// Logarithm of the density of sums of two processes' levels, round by round, on a machine whose speed changes between
/// rounds by 2, 4, 8 or 16 times `deviation`, that of such a sum on a steady machine; each of these is as probable.
double ln_evidence_of_drift(std::span<const double> sums, double deviation);

}  // namespace seqpoint::select
