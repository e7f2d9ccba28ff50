// What two shards share, beside every place tried one by one; lengths that repeat themselves take no longer.
#include "core/lengths/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "property/draw.hpp"

namespace seqpoint {
namespace {

using lengths::Lengths;

Lengths lengths_of(std::vector<std::uint32_t> src) {
  Lengths lengths;
  lengths.src = std::move(src);
  return lengths;
}

/// By trying every place of `first`.
std::size_t tried_one_by_one(const Lengths& first, const Lengths& second) {
  for (std::size_t at = 0; at < first.size(); ++at) {
    const std::size_t most = std::min(first.size() - at, second.size());
    if (std::equal(second.src.begin(), second.src.begin() + static_cast<std::ptrdiff_t>(most),
                   first.src.begin() + static_cast<std::ptrdiff_t>(at)) &&
        lengths::is_telling(second, 0, most))
      return most;
  }
  return 0;
}

TEST(Overlap, IsThatOfEveryPlaceTried) {
  testing::Draw draw(3);
  std::size_t found = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint32_t> all;
    const std::size_t period = 1 + draw.below(std::size_t{40});
    for (std::size_t i = 0; i < 400; ++i)
      all.push_back(i < period || draw.below(50) == 0 ? 1 + draw.below(9U) : all[i - period]);
    const auto part = [&](std::size_t begin, std::size_t end) {
      return lengths_of(
          {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)});
    };
    const Lengths first = part(draw.below(50), 150 + draw.below(150)),
                  second = part(draw.below(200), 250 + draw.below(150));
    const std::size_t shared = lengths::shared_samples(first, second);
    EXPECT_EQ(shared, tried_one_by_one(first, second));
    found += shared > 0 ? 1 : 0;
  }
  EXPECT_GT(found, 30U);
}

TEST(Overlap, OfLengthsThatRepeatThemselvesIsLinear) {
  std::vector<std::uint32_t> src(400'000);
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = 1 + i % 2;
  std::vector<std::uint32_t> other = src;
  src.push_back(9);
  other.insert(other.end(), {7, 7});
  EXPECT_EQ(lengths::shared_samples(lengths_of(src), lengths_of(other)), 0U);  // place by place: minutes
}

}  // namespace
}  // namespace seqpoint
