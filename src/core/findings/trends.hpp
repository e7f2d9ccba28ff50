/// \file
/// What costs grow with: the order of time, and length, by ranks within strata.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "seqpoint/error.hpp"

namespace seqpoint::findings {

// --- Costs that grow or fall during a run, independent of its lengths

/// A measurement, in the order of time.
struct OrderedTime {
  std::size_t shape;  ///< iterations of one shape should cost the same
  double size;        ///< > 0: by which cost grows from shape to shape
  double seconds;     ///< > 0
};

/// False-alarm rate: every run is tested, so one false warning in a thousand is acceptable.
inline constexpr double kFalseTrends = 0.001;
/// Smaller changes do not affect the usual gates.
inline constexpr double kMinTrend = 0.05;

struct Trend {
  double change;       ///< change of cost from the first to the last, over what it was at first
  double probability;  ///< that times in random order show as large a trend, in either direction
};

/// The trend of costs, if its probability is below kFalseTrends and its change at least kMinTrend; else nothing. Times
/// are compared within their shape; shapes that occur once are compared with those of similar size, and the part of
/// cost and order that is proportional to size is removed. The ranks of the residuals are correlated with the order
/// (Spearman 1904; within strata van Elteren 1960), whose distribution over all orders within the strata is nearly
/// normal and of known variance. The first tenth is left out: slow first iterations are not a trend. Falling costs have
/// to fall in both halves as well. Takes n log n steps.
std::optional<Trend> trend_of(std::span<const OrderedTime>);

/// The finding about a trend of a run, or of the process whose first row has that line.
Finding finding_about(const Trend&, Where);

// --- Whether lengths decide the cost of iterations

/// How much cost grows with size among iterations of nearly one size.
struct LengthEffect {
  double share;        ///< of the growth that the costs of different sizes show
  double probability;  ///< that as little growth is chance if the true share is one half
};

/// The effect of length if it is missing: cost grows from size to size, but among iterations whose sizes differ by a
/// tenth it grows by less than half as much, by a test at kFalseTrends; else nothing. So lengths are not those that
/// decide the cost (tokens before padding, of another rank), or cost comes in steps within which many lengths lie
/// (buckets, tiles). Half of the growth is nearer to none than to all of it. The part of sizes that goes with the order
/// of time is removed, because a sorted run cannot separate the two. Takes n log n steps.
std::optional<LengthEffect> missing_length_effect(std::span<const OrderedTime>);

}  // namespace seqpoint::findings
