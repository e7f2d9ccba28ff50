/// \file
/// Which faults explain the values, and how certain that is.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/checks/faults.hpp"
#include "core/checks/remainder.hpp"

namespace seqpoint::checks {

/// Which signs of a pattern's amount count as a fault.
enum class Amount { any, above_zero, below_zero };

/// The effect of a fault on the values, up to a factor.
struct Pattern {
  Fault fault;
  std::size_t subject = 0;  ///< index of the fault's subject, as the caller numbers subjects
  Eigen::VectorXd values{};
  Amount amount = Amount::any;
};

struct FoundPattern {
  std::size_t pattern = 0;  ///< position in the patterns
  double probability = 0;   ///< FoundFault::probability
};

/// The probability of a score at least as far from 0 as the pattern's, on the sides on which it is a fault.
using PatternTest = std::function<double(const Remainder&, const Pattern&)>;

/// The accepted false-alarm rate of a fault, over all tests of one series together.
using AlarmLevel = std::function<double(Fault)>;

/// For each fault, finds the pattern that explains the largest sum of squares; among those, takes the one that explains
/// most and whose probability, times the number of distinguishable patterns of its fault (Bonferroni), is below the
/// level of that fault. Removes it and repeats, at most ten times.
std::vector<FoundPattern> find_patterns(Remainder values, std::span<const Pattern>, const PatternTest&,
                                        const AlarmLevel&);

/// The smallest amount of a pattern that the test would detect at `level`, if the values were otherwise unchanged: to
/// one part in a thousand, for `most` up to ten million times `least`. Nothing if not even `most` would be detected;
/// `least`, which is above 0, if that already would be.
std::optional<double> least_found(const Remainder&, const Pattern&, const PatternTest&, double level, double least,
                                  double most);

/// The amounts of all found patterns in the values, fitted together, in their order; empty if none was found. No
/// pattern is a combination of the others.
Eigen::VectorXd amounts_of(const Remainder&, std::span<const Pattern>, const std::vector<FoundPattern>&);

}  // namespace seqpoint::checks
