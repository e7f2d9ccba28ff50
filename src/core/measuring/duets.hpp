/// \file
/// The ratio of two builds from duets: processes that ran the same batches in turns, batch by batch (docs/method.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/project/projection.hpp"
#include "core/select/select.hpp"

namespace seqpoint::measuring {

/// A point that both processes of a duet have measured.
struct Pair {
  double weight = 0;           ///< iterations that it stands for
  double base = 0, other = 0;  ///< seconds of a batch in each build, means over its executions; above 0
};

/// Seconds of an epoch that pairs do not show, because a process waits meanwhile: its loader works ahead.
struct UnseenWait {
  double base = 0, other = 0;  ///< of each build
  double variance = 0;         ///< of the logarithm of the ratio, by these
};

/// What one duet says.
struct Duet {
  double log_ratio = 0;  ///< of the other build's time to the baseline's
  double variance = 0;   ///< of it: of pairs, and of waits
};

/// The ratio of the weighted sums over the pairs; its variance by jackknife over points. At least two pairs.
Duet duet_of(std::span<const Pair>, const UnseenWait& = {});

/// How much ratios of duets differ for good, as two processes differ in memory, clocks and compiled code.
inline constexpr select::BetweenProcesses kBetweenDuets{0.01, 0.8};

/// The ratio of two builds by all of their duets. The levels of duets are normal with a standard deviation kappa, whose
/// logarithm is normal (kBetweenDuets); one in twenty was disturbed, either way (select::Tail::both). The posterior is
/// a mixture of normals over kappa.
class RatioOfDuets {
 public:
  /// At least one.
  explicit RatioOfDuets(std::span<const Duet>);
  /// The other build's time over the baseline's.
  double value() const;
  /// The interval of value(), with one-sided bounds. If duets do not agree(), it contains what each of them says.
  project::IntervalOrReason interval(double confidence) const;
  /// Whether most duets, and three where there are as many, are more probably undisturbed than not. If not, no limit is
  /// decided.
  bool agree() const { return agree_; }

 private:
  struct Normal {
    double weight = 0, mean = 0, deviation = 0;
  };
  double quantile(double share) const;

  std::vector<Normal> parts_;
  bool agree_ = true;
  project::Interval extremes_{};  ///< of the duets' own ratios, with two standard deviations
};

/// Sets the speedup of the second configuration in that metric over the first one, and makes totals agree with it.
/// `ratio`: of their times.
void set_ratio(project::Projection&, std::string_view metric, const RatioOfDuets& ratio);

/// Sets Check::more_processes of inconclusive regressions: as many duets as make the bound that decides as narrow as it
/// has to be, with the same ratio. `duets`: that were measured.
void add_advice(std::vector<project::Check>&, std::uint64_t duets);

}  // namespace seqpoint::measuring
