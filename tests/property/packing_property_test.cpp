// Packing against bins that are searched one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "core/batching/bin_packing.hpp"
#include "core/batching/packs.hpp"
#include "property/draw.hpp"

namespace packing_property {
namespace {

using namespace seqpoint::batching;
using seqpoint::testing::affordable;
using seqpoint::testing::Draw;
using seqpoint::testing::for_seeds;
using Sizes = std::vector<std::uint32_t>;
using Bins = std::vector<std::vector<std::uint32_t>>;

Sizes random_sizes(Draw& draw, std::size_t n, std::uint32_t least, std::uint32_t most) {
  Sizes sizes(n);
  for (std::uint32_t& size : sizes) size = least + static_cast<std::uint32_t>(draw.below(most - least + 1));
  return sizes;
}

/// What the items are put into, by number.
template <class Rule>
Bins filled(Rule rule, const Sizes& sizes) {
  Bins bins;
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    const std::uint32_t bin = rule.place(sizes[i]);
    EXPECT_LE(bin, bins.size());
    bins.resize(std::max<std::size_t>(bins.size(), bin + 1));
    bins[bin].push_back(i);
  }
  EXPECT_EQ(rule.bins(), bins.size());
  return bins;
}

TEST(Packing, BestFitIsTheTightestThenTheOneThatWaitedLongest) {
  for_seeds(affordable(300), [](Draw& draw) {
    const std::uint32_t capacity = 1 + static_cast<std::uint32_t>(draw.below(30));
    const Sizes sizes = random_sizes(draw, draw.below(80), 1, capacity);
    Bins bins;
    std::map<std::uint32_t, std::deque<std::size_t>> by_space;
    for (std::uint32_t i = 0; i < sizes.size(); ++i) {
      std::uint32_t space = sizes[i];
      while (space <= capacity && by_space[space].empty()) ++space;
      std::size_t bin = bins.size();
      if (space > capacity) {
        bins.emplace_back();
        space = capacity;
      } else {
        bin = by_space[space].front();
        by_space[space].pop_front();
      }
      bins[bin].push_back(i);
      if (space > sizes[i]) by_space[space - sizes[i]].push_back(bin);
    }
    EXPECT_EQ(filled(BestFit(capacity), sizes), bins);
  });
}

/// Every token once, in order, all packs full but the last of a range.
TEST(Packing, ConcatenationKeepsEveryToken) {
  for_seeds(affordable(300), [](Draw& draw) {
    const Sizes sizes = random_sizes(draw, 1 + draw.below(40), 0, 25);
    const std::uint32_t length = 1 + static_cast<std::uint32_t>(draw.below(30));
    std::vector<std::uint32_t> expected, got;
    std::size_t expected_packs = 0;
    Packs packs;
    for (const RowRange rows : map_batches(sizes.size(), draw.below(9), 1 + draw.below(50))) {
      std::vector<std::uint32_t> tokens;
      for (std::size_t row = rows.begin; row < rows.end; ++row)
        tokens.insert(tokens.end(), sizes[row], static_cast<std::uint32_t>(row));
      expected_packs += (tokens.size() + length - 1) / length;
      expected.insert(expected.end(), tokens.begin(), tokens.end());
      add_concatenated(packs, sizes, rows, length);
    }
    for (std::size_t pack = 0; pack < packs.size(); ++pack)
      for (const Piece& piece : packs[pack]) got.insert(got.end(), piece.tokens, piece.row);
    EXPECT_EQ(packs.size(), expected_packs);
    EXPECT_EQ(got, expected);
  });
}

}  // namespace
}  // namespace packing_property
