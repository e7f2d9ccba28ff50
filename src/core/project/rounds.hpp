/// \file
/// What differs between two builds that measured in rounds, a process of each next to the other (docs/method.md).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/select/select.hpp"

namespace seqpoint::project {

/// Fewer rounds name no cause: two differences say next to nothing about how much they scatter.
inline constexpr std::size_t kMinRoundsOfACause = 3;

/// Seconds of one part of a run, such as a phase or an operator, in each whole round.
struct PartByRound {
  std::vector<double> before,  ///< of the baseline
      after;                   ///< of the other build; as many
};

/// The mean difference of a part, as a share of the baseline's time.
struct PartDifference {
  double change = 0;
  std::optional<double> half_width{};  ///< of the interval of `change`; nothing: too few rounds
  bool is_cause = false;  ///< whether the part makes a difference of kLeastCause or more, by all of its rounds
};

/// A smaller share of the run is no cause. Reason: the precision of runs is 1 to 2 %.
inline constexpr double kLeastCause = 0.01;

/// Compares parts. `seconds`: of the baseline's run, the mean over its processes. `between`: how much processes differ.
/// All intervals together have the confidence. `agree`: whether the processes of both builds do; else there is no
/// cause.
std::vector<PartDifference> differences_by_round(std::span<const PartByRound>, double seconds,
                                                 const select::BetweenProcesses& between, double confidence,
                                                 bool agree);

/// Confidence of each of several intervals that all together have `confidence` (Bonferroni).
double within_all(std::size_t intervals, double confidence);

}  // namespace seqpoint::project
