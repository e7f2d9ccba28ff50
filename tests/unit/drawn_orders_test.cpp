// Whether the orders of two builds may be draws of the same data set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/measuring/joined_builds.hpp"
#include "property/draw.hpp"

namespace seqpoint::measuring {
namespace {

constexpr std::size_t kBatch = 16;

/// A draw of a data set in batches of 16, padded to the longest row.
struct Drawn {
  trace::Trace trace;
  batching::RecordedOrder rows;

  Drawn(const std::vector<std::uint32_t>& lengths, std::uint32_t seed) {
    testing::Draw draw(seed);
    std::vector<std::pair<double, std::uint32_t>> shuffled;
    for (std::uint32_t row = 0; row < lengths.size(); ++row) shuffled.emplace_back(draw.normal(), row);
    std::ranges::sort(shuffled);
    for (std::size_t begin = 0; begin < lengths.size(); begin += kBatch) {
      trace::Shape& shape = trace.shapes.emplace_back();
      std::uint64_t& tokens = trace.tokens.emplace_back(0);
      for (std::size_t i = begin; i < std::min(begin + kBatch, lengths.size()); ++i) {
        const std::uint32_t row = shuffled[i].second;
        rows.rows.push_back(row);
        shape.src_len = std::max(shape.src_len, lengths[row]);
        tokens += lengths[row];
        ++shape.batch_size;
      }
      rows.rank_ends.push_back(rows.rows.size());
      rows.lines.push_back(rows.lines.size() + 2);
    }
  }
  OrderOfBuild order() const { return {trace, rows}; }
};

/// Lengths from 20 to 200, where longer rows are cut off.
std::vector<std::uint32_t> lengths_of(double times) {
  testing::Draw draw(5);
  std::vector<std::uint32_t> lengths(2000);
  for (std::uint32_t& length : lengths)
    length = static_cast<std::uint32_t>(std::min(200.0, times * (20 + 60 * std::abs(draw.normal()))));
  lengths.front() = 200;
  return lengths;
}

TEST(DrawnOrders, OfOneDataSetAreKnown) {
  const Drawn one(lengths_of(1), 1), two(lengths_of(1), 2);
  EXPECT_NE(one.rows.rows, two.rows.rows);
  EXPECT_TRUE(draw_the_same_data(one.order(), two.order()));
}

// Another tokenizer: 3 % longer rows, the same limit.
TEST(DrawnOrders, OfAnotherTokenizerAreToldApartByTheirTokens) {
  const Drawn one(lengths_of(1), 1);
  const Drawn two(lengths_of(1.03), 2);
  EXPECT_FALSE(draw_the_same_data(one.order(), two.order()));
}

TEST(DrawnOrders, OfOtherBatchSizesAreNot) {
  std::vector<std::uint32_t> fewer = lengths_of(1);
  fewer.resize(1990);
  EXPECT_FALSE(draw_the_same_data(Drawn(lengths_of(1), 1).order(), Drawn(fewer, 2).order()));
}

// Without the last, incomplete batch each draw lacks other rows.
TEST(DrawnOrders, MayLeaveOutAnotherLastBatch) {
  std::vector<std::uint32_t> lengths = lengths_of(1);
  lengths.resize(1995);
  Drawn one(lengths, 1), two(lengths, 2);
  for (Drawn* const each : {&one, &two}) {
    each->trace.shapes.pop_back();
    each->trace.tokens.pop_back();
    each->rows.rank_ends.pop_back();
    each->rows.lines.pop_back();
    each->rows.rows.resize(each->rows.rank_ends.back());
  }
  EXPECT_TRUE(draw_the_same_data(one.order(), two.order()));
}

// Without tokens only the bounds of rows decide: rows of other data are in batches that are too short for them.
TEST(DrawnOrders, OfOtherRowsAreNot) {
  std::vector<std::uint32_t> reversed = lengths_of(1);
  std::ranges::reverse(reversed);
  Drawn one(lengths_of(1), 1), two(reversed, 2);
  one.trace.tokens.clear();
  two.trace.tokens.clear();
  EXPECT_FALSE(draw_the_same_data(one.order(), two.order()));
}

}  // namespace
}  // namespace seqpoint::measuring
