/// \file
/// Costs that grow or fall along a run, whatever its lengths.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "seqpoint/error.hpp"

namespace seqpoint::checks {

/// What was measured, in the order of time.
struct OrderedTime {
  std::size_t shape;  ///< those of one shape should cost the same
  double size;        ///< > 0: by which cost grows from shape to shape
  double seconds;     ///< > 0
};

/// How often times in random order show a trend: a warning of every run, which one in a thousand may be for nothing.
inline constexpr double kFalseTrends = 0.001;
/// Changes below what gates usually allow decide nothing.
inline constexpr double kMinTrend = 0.05;
/// Fewer times show none.
inline constexpr std::size_t kMinOrdered = 10;

struct Trend {
  double change;       ///< of cost from the first to the last, over what it was at first
  double probability;  ///< that times in random order show as much, in either direction
};

/// The trend of costs, where it is surer than kFalseTrends and larger than kMinTrend. Times are compared with those
/// of their own shape; of shapes that come once with those of near sizes, and what both cost and order have in common
/// with size is taken out. Of what is left the ranks are correlated with the order (Spearman 1904; within strata van
/// Elteren 1960), whose distribution over all orders within the strata is nearly normal and of known variance. The
/// first tenth is left out: slow first iterations are no trend. Falling costs have to fall in both halves as well.
/// Takes n log n steps.
std::optional<Trend> trend_of(std::span<const OrderedTime>);

/// What is said of a trend.
Finding finding_about(const Trend&, Where);

}  // namespace seqpoint::checks
