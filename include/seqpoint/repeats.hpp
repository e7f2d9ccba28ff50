/// \file
/// How often to profile each SeqPoint, and how many SeqPoints a budget is best spent on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/cost_curve.hpp"
#include "seqpoint/selection.hpp"

namespace seqpoint {

/// What may be spent on profiling: iterations, or seconds of an estimated cost.
struct ProfilingBudget {
  double amount = 0;  ///< iterations, or seconds; > 0
  bool seconds = false;
};

/// "24" iterations; "90s", "15min" or "2h" of time. Throws UsageError.
ProfilingBudget parse_budget(const std::string& text);

/// As often as a point may be measured: by then its mean is a hundred times less noisy than one measurement.
inline constexpr std::uint64_t kMostRepeats = 10'000;

/// How often to measure each of some points, for the smallest noise of the projected total that the budget buys. The noise of
/// one measurement is taken to be in proportion to its cost, so point p adds (weight x cost)^2 / repeats: Neyman's
/// allocation (1934), repeats in proportion to weight x cost / sqrt(price), in whole measurements: one each, then one more
/// where it takes most off per price, the first of equals, while the budget lasts; at most kMostRepeats. All of one length,
/// >= 1 point; costs and prices > 0. Nothing where one measurement each is more than the budget.
std::optional<std::vector<std::uint64_t>> allocate_repeats(std::span<const double> weights, std::span<const double> costs,
                                                           std::span<const double> prices, double budget);

/// Root of sum (share of the total)^2 / repeats: the noise of the total, in units of that of one measurement.
double relative_noise(std::span<const double> weights, std::span<const double> costs, std::span<const std::uint64_t> repeats);

/// What an iteration costs, as far as that is known before it is profiled.
class ExpectedCost {
 public:
  /// In proportion to its padded tokens, or to its tokens in a run without padding.
  ExpectedCost() = default;
  /// Seconds, off a curve through the iterations of a measured run: its column runtime_s, else the first whose name ends in
  /// _s as those of seconds do. Throws InputError where `source` has none, or where one is not above zero.
  ExpectedCost(const Trace& measured, const std::string& source);

  /// Above zero.
  double operator()(const Signature&) const;
  bool in_seconds() const { return seconds_.has_value(); }
  /// Throws InputError where the measured run's signatures are of another kind than the run's.
  void require_like(const Trace& run) const;

 private:
  std::optional<CostCurve> seconds_;
  double least_ = 1;  ///< of what was measured: a curve beyond it may reach zero
  bool paired_ = false, varlen_ = false;
  std::string source_;
};

struct RepeatParams {
  std::optional<ProfilingBudget> budget;  ///< nothing: three iterations for every point
  double noise = 0.03;                    ///< relative standard deviation of one measurement, 0 to 1
  ExpectedCost cost{};
};

/// What select_with_repeats asks for whatever the run is; `calibrated`: whether seconds will be known. Throws UsageError.
void require_valid(const SelectParams&, const RepeatParams&, bool calibrated);

/// So many measurements, at least one a point, shared out over the points of a selection of this run, as select_with_repeats
/// does where nothing but the padded tokens of an iteration are known of its cost.
std::vector<std::uint64_t> shared_out(const Selection&, const Trace& run, std::uint64_t measurements);

/// As `select`, with the repeats of every point and MethodRecord::repeats. Where there is a budget, and the method can judge its
/// sizes and was not told how many points to take, it takes the size whose expected error is least:
/// root of (error of representation)^2 + (noise of the total)^2, the noise being that of the best allocation.
/// Throws as `select`; UsageError where the budget does not buy one iteration of every point.
Selection select_with_repeats(const Trace&, const SelectParams&, const RepeatParams&, std::string_view source = "trace");

}  // namespace seqpoint
