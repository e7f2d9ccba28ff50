// Packing against bins that are searched one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "core/batching/bin_packing.hpp"
#include "core/batching/karmarkar_karp.hpp"
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

std::int64_t space_of(const std::vector<std::uint32_t>& bin, const Sizes& sizes, std::int64_t capacity) {
  for (const std::uint32_t i : bin) capacity -= sizes[i];
  return capacity;
}

TEST(Packing, FirstFitIsTheFirstThatFits) {
  for_seeds(affordable(300), [](Draw& draw) {
    const std::uint32_t capacity = 1 + static_cast<std::uint32_t>(draw.below(30));
    const std::uint64_t most_items = 1 + draw.below(6);
    const Sizes sizes = random_sizes(draw, draw.below(80), 0, capacity + 2);
    Bins bins;
    for (std::uint32_t i = 0; i < sizes.size(); ++i) {
      const auto has_room = [&](const auto& bin) {
        return bin.size() < most_items && space_of(bin, sizes, capacity) >= sizes[i];
      };
      const auto first = std::find_if(bins.begin(), bins.end(), has_room);
      (first == bins.end() ? bins.emplace_back() : *first).push_back(i);
    }
    EXPECT_EQ(filled(FirstFit(capacity, most_items), sizes), bins);
  });
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

void expect_each_once(const Bins& bins, std::size_t items) {
  std::vector<std::uint32_t> seen;
  for (const auto& bin : bins) seen.insert(seen.end(), bin.begin(), bin.end());
  std::sort(seen.begin(), seen.end());
  std::vector<std::uint32_t> all(items);
  for (std::uint32_t i = 0; i < items; ++i) all[i] = i;
  EXPECT_EQ(seen, all);
}

/// No bin is too full, none is empty, and of the bins opened last at most one is half empty: the emptiest would have
/// taken what the next one holds.
TEST(Packing, ModifiedFirstFitHoldsEveryItem) {
  for_seeds(affordable(300), [](Draw& draw) {
    const std::uint32_t capacity = 1 + static_cast<std::uint32_t>(draw.below(60));
    const Sizes sizes = random_sizes(draw, draw.below(80), 1, capacity);
    const Bins bins = modified_first_fit_decreasing(sizes, capacity);
    expect_each_once(bins, sizes.size());
    std::size_t half_empty = 0;
    for (const auto& bin : bins) {
      EXPECT_FALSE(bin.empty());
      EXPECT_GE(space_of(bin, sizes, capacity), 0);
      if (2 * space_of(bin, sizes, capacity) >= capacity) ++half_empty;
    }
    EXPECT_LE(half_empty, 1U);
  });
}

/// Differencing never makes two sums differ by more than the largest value.
TEST(Packing, PartitionsAreBalanced) {
  for_seeds(affordable(300), [](Draw& draw) {
    const std::size_t sets = 1 + draw.below(6U);
    const bool equal_size = draw.below(2) == 0;
    const std::size_t items = equal_size ? sets * (1 + draw.below(10U)) : sets + draw.below(40U);
    std::vector<std::uint64_t> values(items);
    for (std::uint64_t& value : values) value = draw.below(20U);
    const Bins parts = balanced_partitions(values, sets, equal_size);
    ASSERT_EQ(parts.size(), sets);
    expect_each_once(parts, items);
    std::vector<std::uint64_t> sums;
    for (const auto& part : parts) {
      EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
      EXPECT_TRUE(!equal_size || part.size() == items / sets);
      std::uint64_t& sum = sums.emplace_back(0);
      for (const std::uint32_t item : part) sum += values[item];
    }
    EXPECT_TRUE(std::is_sorted(sums.rbegin(), sums.rend()));
    EXPECT_LE(sums.front() - sums.back(), *std::max_element(values.begin(), values.end()));
  });
}

/// Every token once, in order, all packs full but the last of a range.
TEST(Packing, ConcatenationKeepsEveryToken) {
  for_seeds(affordable(300), [](Draw& draw) {
    const Sizes sizes = random_sizes(draw, 1 + draw.below(40), 0, 25);
    const std::uint32_t length = 1 + static_cast<std::uint32_t>(draw.below(30));
    const ShortRest rest = draw.below(2) == 0 ? ShortRest::keep : ShortRest::drop;
    std::vector<std::uint32_t> expected, got;
    std::size_t expected_packs = 0;
    Packs packs;
    for (const RowRange rows : map_batches(sizes.size(), draw.below(9), 1 + draw.below(50))) {
      std::vector<std::uint32_t> tokens;
      for (std::size_t row = rows.begin; row < rows.end; ++row)
        tokens.insert(tokens.end(), sizes[row], static_cast<std::uint32_t>(row));
      if (rest == ShortRest::drop) tokens.resize(tokens.size() / length * length);
      expected_packs += (tokens.size() + length - 1) / length;
      expected.insert(expected.end(), tokens.begin(), tokens.end());
      add_concatenated(packs, sizes, rows, length, rest);
    }
    for (std::size_t pack = 0; pack < packs.size(); ++pack)
      for (const Piece& piece : packs[pack]) got.insert(got.end(), piece.tokens, piece.row);
    EXPECT_EQ(packs.size(), expected_packs);
    EXPECT_EQ(got, expected);
  });
}

/// No pack is longer than it may be, and none could have begun with the one behind it.
TEST(Packing, NextFitClosesWhatIsFull) {
  for_seeds(affordable(300), [](Draw& draw) {
    const std::uint32_t capacity = 1 + static_cast<std::uint32_t>(draw.below(30));
    const Sizes sizes = random_sizes(draw, 1 + draw.below(60), 0, capacity);
    std::vector<Piece> pieces;
    for (std::uint32_t row = 0; row < sizes.size(); ++row) pieces.push_back(whole(row, sizes));
    Packs packs;
    add_next_fit(packs, pieces, capacity);
    std::uint32_t row = 0;
    for (std::size_t pack = 0; pack < packs.size(); ++pack) {
      std::uint64_t held = 0;
      for (const Piece& piece : packs[pack]) {
        EXPECT_EQ(piece.row, row++);
        held += piece.tokens;
      }
      EXPECT_LE(held, capacity);
      EXPECT_TRUE(row == sizes.size() || held + sizes[row] > capacity);
    }
    EXPECT_EQ(row, sizes.size());
  });
}

}  // namespace
}  // namespace packing_property
