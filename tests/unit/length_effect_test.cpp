// Costs that lengths do not decide: how often costs that they do decide look like it, and which costs are found.
#include "core/findings/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "property/draw.hpp"

namespace seqpoint {
namespace {

using findings::missing_length_effect;
using findings::OrderedTime;
using testing::Draw;

/// Sizes in no order, from 100 on, and what each costs.
template <class Cost>
std::vector<OrderedTime> times_of(Draw& draw, std::size_t iterations, const Cost& cost) {
  std::vector<OrderedTime> times;
  for (std::size_t i = 0; i < iterations; ++i) {
    const double size = 100 + static_cast<double>(draw.below(400));
    times.push_back({i, size, cost(size)});
  }
  return times;
}

/// Of padded sizes 100, 200, 300 and 400 the tokens before padding, up to a tenth less; cost is of the padded size and
/// grows with the tokens as (tokens / padded size)^power.
std::vector<OrderedTime> before_padding(Draw& draw, double power) {
  std::vector<OrderedTime> times;
  for (std::size_t i = 0; i < 200; ++i) {
    const double padded = 100 * static_cast<double>(1 + draw.below(4)), share = 1 - 0.09 * draw.uniform();
    times.push_back({i, padded * share, padded * std::pow(share, power) * std::exp(0.01 * draw.normal())});
  }
  return times;
}

TEST(LengthEffect, IsRarelyMissedWhereLengthsDecide) {
  constexpr int kDraws = 4000;
  for (const double noise : {0.02, 0.3}) {
    Draw draw(7);
    int found = 0;
    for (int d = 0; d < kDraws; ++d) {
      const auto cost = [&](double s) {
        const double slow = draw.below(20) == 0 ? 4 : 1;
        return (20 + s + s * s / 1000) * slow * std::exp(noise * draw.normal());
      };
      found += missing_length_effect(times_of(draw, 120, cost)) ? 1 : 0;
    }
    // The level is of a share of one half; the true one is 1.
    EXPECT_LE(found, static_cast<int>(2 * findings::kFalseTrends * kDraws)) << noise;
  }
}

TEST(LengthEffect, IsNoneOfTilesThatLengthsFill) {
  Draw draw(3);
  for (const double tile : {8.0, 32.0})
    EXPECT_FALSE(missing_length_effect(
        times_of(draw, 1000, [&](double s) { return tile * std::ceil(s / tile) * std::exp(0.02 * draw.normal()); })));
}

TEST(LengthEffect, IsMissingInTokensBeforePadding) {
  Draw draw(5);
  const auto none = missing_length_effect(before_padding(draw, 0));
  ASSERT_TRUE(none);
  EXPECT_NEAR(none->share, 0, 0.1);
  EXPECT_LT(none->probability, 1e-9);
  const auto falls = missing_length_effect(before_padding(draw, -1));
  ASSERT_TRUE(falls);
  EXPECT_NEAR(falls->share, -1, 0.2);
  EXPECT_FALSE(missing_length_effect(before_padding(draw, 1)));
}

/// Without noise cost is constant within each of four windows, so none of its growth is left there.
TEST(LengthEffect, IsOfNoGrowthExactlyZero) {
  std::vector<OrderedTime> times;
  for (const double padded : {400.0, 100.0, 300.0, 200.0})
    for (const double below : {3.0, 0.0, 5.0, 1.0, 4.0, 2.0, 3.5, 0.5, 5.5, 1.5, 4.5, 2.5})
      times.push_back({0, padded - below, padded / 1000});
  const auto found = missing_length_effect(times);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->share, 0, 1e-9);
}

/// A run that is sorted by length cannot separate length from the order of time, and two lengths are no growth.
TEST(LengthEffect, NeedsLengthsInNoOrderAndThreeOfThem) {
  Draw draw(5);
  std::vector<OrderedTime> sorted = before_padding(draw, 0), two;
  for (const OrderedTime& time : sorted)
    if (time.size <= 200) two.push_back(time);
  std::ranges::sort(sorted, {}, &OrderedTime::size);
  EXPECT_FALSE(missing_length_effect(sorted));
  EXPECT_FALSE(missing_length_effect(two));
}

/// Cost that lengths do not change at all, as where the host is the bottleneck, is decided by nothing that is looked
/// for.
TEST(LengthEffect, IsNotLookedForWhereCostIsFlat) {
  Draw draw(5);
  EXPECT_FALSE(missing_length_effect(times_of(draw, 200, [&](double) { return std::exp(0.01 * draw.normal()); })));
}

}  // namespace
}  // namespace seqpoint
