/// \file
/// How often to profile each SeqPoint.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/cost_curve.hpp"
#include "seqpoint/selection.hpp"

namespace seqpoint {

/// What may be spent on profiling: iterations, or seconds of an estimated cost.
struct ProfilingBudget {
  double amount = 0;     ///< iterations, or seconds; > 0
  bool seconds = false;
};

/// "24" iterations; "90s", "15min" or "2h" of time. Throws UsageError.
ProfilingBudget parse_budget(const std::string& text);

/// How often to measure each of some points, for the smallest noise of the projected total that the budget buys. The noise of
/// one measurement is taken to be in proportion to its cost, so point p adds (weight x cost)^2 / repeats: Neyman's
/// allocation (1934), repeats in proportion to weight x cost / sqrt(price), in whole measurements: one each, then one more
/// where it takes most off per price, the first of equals, while the budget lasts. All of one length, >= 1 point; costs and
/// prices > 0. Nothing where one measurement each is more than the budget.
std::optional<std::vector<std::uint64_t>> allocate_repeats(std::span<const double> weights, std::span<const double> costs,
                                                           std::span<const double> prices, double budget);

/// Root of sum (share of the total)^2 / repeats: the noise of the total, in units of that of one measurement.
double relative_noise(std::span<const double> weights, std::span<const double> costs, std::span<const std::uint64_t> repeats);

}  // namespace seqpoint
