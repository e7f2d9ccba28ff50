// The best bounds against every choice of bounds there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/forecast/forecast.hpp"
#include "property/draw.hpp"

namespace seqpoint::bounds_property {
namespace {

using forecast::Bounds;
using forecast::LengthCount;
using forecast::LengthCounts;
using testing::Draw;

/// Lengths of at most `most`, half of the time with few sequences each, so that there are ties.
LengthCounts random_lengths(Draw& draw, std::uint32_t most) {
  LengthCounts lengths;
  const std::uint32_t often = draw.below(2) == 0 ? 2 : 1000;
  for (std::uint32_t length = draw.below(3U); length <= most; length += draw.between(1U, 4U))
    lengths.push_back({length, draw.between(std::uint64_t{1}, std::uint64_t{often})});
  return lengths;
}

std::uint64_t tokens_with(const LengthCounts& lengths, const std::vector<std::uint64_t>& upper) {
  std::uint64_t tokens = 0;
  for (const LengthCount& l : lengths) tokens += *std::lower_bound(upper.begin(), upper.end(), l.length) * l.sequences;
  return tokens;
}

/// The bounds of a set of lengths, to which the longest belongs.
std::vector<std::uint64_t> chosen(const LengthCounts& lengths, std::uint32_t set) {
  std::vector<std::uint64_t> upper;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (i + 1 == lengths.size() || (set >> i & 1U) != 0) upper.push_back(lengths[i].length);
  return upper;
}

bool is_before(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

Bounds best_of_all(const LengthCounts& lengths, std::uint64_t most) {
  std::optional<Bounds> best;
  for (std::uint32_t set = 0; set < 1U << (lengths.size() - 1); ++set) {
    const std::vector<std::uint64_t> upper = chosen(lengths, set);
    if (upper.size() != std::min<std::uint64_t>(most, lengths.size())) continue;
    const std::uint64_t tokens = tokens_with(lengths, upper);
    if (!best || tokens < best->tokens || (tokens == best->tokens && is_before(upper, best->upper)))
      best = Bounds{upper, tokens};
  }
  return *best;
}

TEST(BoundsProperty, NoChoiceOfBoundsPadsLess) {
  testing::for_seeds(300, [](Draw& draw) {
    const LengthCounts lengths = random_lengths(draw, draw.between(3U, 24U));
    ASSERT_LE(lengths.size(), 25U);
    const std::uint64_t most = draw.between(std::uint64_t{1}, std::uint64_t{6});
    const Bounds best = forecast::best_bounds(lengths, most), all = best_of_all(lengths, most);
    EXPECT_EQ(best.upper, all.upper) << most;
    EXPECT_EQ(best.tokens, all.tokens) << most;
  });
}

TEST(BoundsProperty, OfEquallyGoodOnesTheLastIsTheSmallest) {
  // Two sequences of each length pad by 2 with the bound at 1 or at 2.
  const LengthCounts lengths{{1, 2}, {2, 2}, {3, 2}};
  EXPECT_EQ(forecast::best_bounds(lengths, 2).upper, (std::vector<std::uint64_t>{1, 3}));
}

TEST(BoundsProperty, ABoundForEachLengthPadsNothing) {
  testing::for_seeds(20, [](Draw& draw) {
    const LengthCounts lengths = random_lengths(draw, 100);
    for (const std::uint64_t more : {0U, 1U, 100U}) {
      const Bounds bounds = forecast::best_bounds(lengths, lengths.size() + more);
      EXPECT_EQ(bounds.tokens, forecast::tokens_of(lengths));
      ASSERT_EQ(bounds.upper.size(), lengths.size());
      for (std::size_t i = 0; i < lengths.size(); ++i) EXPECT_EQ(bounds.upper[i], lengths[i].length);
    }
  });
}

/// Evenly spread lengths 1 to n with K bounds: n / K lengths each, K (m - 1) m / 2 of padding.
TEST(BoundsProperty, EvenLengthsAreCutEvenly) {
  constexpr std::uint32_t kEach = 2000, kBounds = 50;
  LengthCounts lengths;
  for (std::uint32_t length = 1; length <= kEach * kBounds; ++length) lengths.push_back({length, 1});
  const Bounds bounds = forecast::best_bounds(lengths, kBounds);
  EXPECT_EQ(bounds.tokens - forecast::tokens_of(lengths), std::uint64_t{kBounds} * kEach * (kEach - 1) / 2);
  for (std::uint32_t b = 0; b < kBounds; ++b) EXPECT_EQ(bounds.upper[b], std::uint64_t{kEach} * (b + 1));
}

TEST(BoundsProperty, RoundedLengthsAreTheNextOnes) {
  const LengthCounts lengths{{0, 1}, {1, 1}, {2, 5}, {3, 1}, {64, 2}, {65, 1}, {4294967295, 1}};
  const Bounds powers = forecast::powers_of_two(lengths), multiples = forecast::multiples_of(64, lengths);
  EXPECT_EQ(powers.upper, (std::vector<std::uint64_t>{1, 2, 4, 64, 128, 4294967296}));
  EXPECT_EQ(powers.tokens, 1U + 1 + 10 + 4 + 128 + 128 + 4294967296);
  EXPECT_EQ(multiples.upper, (std::vector<std::uint64_t>{0, 64, 128, 4294967296}));
  EXPECT_EQ(multiples.tokens, 0U + 64 + 320 + 64 + 128 + 128 + 4294967296);
}

TEST(BoundsProperty, OfPairsEverySideHasItsOwnAndSamplesGoByTheLonger) {
  const lengths::Lengths pairs{.src = {3, 9, 4}, .tgt = {8, 2, 4}};
  trace::RunSummary run;
  run.kind = trace::ShapeKind::padded_pair;
  run.histogram = {{{.src_len = 4, .tgt_len = 8, .batch_size = 2}, 3},
                   {{.src_len = 9, .tgt_len = 2, .batch_size = 1}, 1}};
  const auto found = forecast::compare_bounds(run, &pairs, 1);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].tokens, 4U * 6 + 9);
  EXPECT_EQ(found[0].best.tokens, 9U * 7);
  EXPECT_EQ(found[1].best.tokens, 8U * 7);
  EXPECT_EQ(found[2].tokens, 8U + 9 + 4);
  EXPECT_EQ(found[2].padded, forecast::Padded::samples);
}

/// What a sampler that sorts durations into buckets sees, bisect_left, is what lengths see.
TEST(BoundsProperty, DurationsFallIntoTheBucketsOfTheirLengths) {
  testing::for_seeds(50, [](Draw& draw) {
    lengths::Lengths samples;
    for (int i = 0; i < 200; ++i) samples.seconds.push_back(0.01 * draw.below(3000));
    for (const double seconds : samples.seconds) samples.src.push_back(static_cast<std::uint32_t>(seconds / 0.04));
    const auto found = forecast::compare_bounds({}, &samples, draw.between(2U, 9U));
    const auto& [upper, tokens] = found.back().best;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto& bins = found.back().seconds;
      EXPECT_EQ(std::lower_bound(bins.begin(), bins.end() - 1, samples.seconds[i]) - bins.begin(),
                std::lower_bound(upper.begin(), upper.end(), samples.src[i]) - upper.begin());
    }
  });
}

}  // namespace
}  // namespace seqpoint::bounds_property
