/// \file
/// Whether lengths decide the cost of iterations.
#pragma once

#include <optional>
#include <span>

#include "core/checks/trend.hpp"

namespace seqpoint::checks {

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

}  // namespace seqpoint::checks
