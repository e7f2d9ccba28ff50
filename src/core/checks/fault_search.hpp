/// \file
/// Which faults explain values, and how sure that is.
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

/// Which amounts of a pattern are a fault.
enum class Amount { any, above_zero, below_zero };

/// What a fault adds to values, in some amount.
struct Pattern {
  Fault fault;
  std::size_t subject = 0;  ///< of the fault, as its maker counts them
  Eigen::VectorXd values{};
  Amount amount = Amount::any;
};

struct FoundPattern {
  std::size_t pattern = 0;  ///< position in the patterns
  double probability = 0;   ///< FoundFault::probability
};

/// The probability of a score as far from 0 as the pattern's, on the sides on which it is a fault.
using PatternTest = std::function<double(const Remainder&, const Pattern&)>;

/// How often a fault may be found in one series where there is none, by all tests of it together.
using AlarmLevel = std::function<double(Fault)>;

/// For each fault, the pattern that explains most of the values' squares; of those, the one that explains most and
/// whose probability, times the patterns of its fault that can be told (Bonferroni), is below the level of that fault.
/// It is taken out, and so on, at most ten times.
std::vector<FoundPattern> find_patterns(Remainder values, std::span<const Pattern>, const PatternTest&,
                                        const AlarmLevel&);

/// The least amount of a pattern of which the test would say so with a probability below `level`, were the values
/// otherwise as they are; nothing where not even `most` would do, and `least` > 0 where less than that would. To one
/// part in a thousand, where `most` is up to ten million times `least`.
std::optional<double> least_found(const Remainder&, const Pattern&, const PatternTest&, double level, double least,
                                  double most);

/// The amounts of patterns in values, all of them together. None is a combination of the others.
Eigen::VectorXd amounts_of(const Remainder&, std::span<const Pattern>, const std::vector<FoundPattern>&);

}  // namespace seqpoint::checks
