// The shapes that ranks meet, by hand.
#include "core/trace/trace.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace seqpoint::testing {
namespace {

trace::Shape of_length(std::uint32_t length) { return {.src_len = length, .batch_size = 4}; }

using Numbers = std::vector<std::uint64_t>;

/// Rank 0 meets 9, 8, 9, 4 and rank 1 meets 5, 5, 8, 5.
trace::RankShapes two_ranks() {
  trace::RankShapeCounter counter;
  const std::array<std::array<std::uint32_t, 2>, 4> lengths{{{9, 5}, {8, 5}, {9, 8}, {4, 5}}};
  for (std::uint64_t i = 0; i < lengths.size(); ++i) {
    const std::array ranks{of_length(lengths[i][0]), of_length(lengths[i][1])};
    counter.add(10 + i, ranks);
  }
  return std::move(counter).finish();
}

TEST(RankShapes, OfEachRankAndOfAll) {
  const trace::RankShapes shapes = two_ranks();
  EXPECT_EQ(shapes.of_each, (Numbers{3, 2}));
  EXPECT_EQ(shapes.first_seen, (Numbers{10, 10, 11, 13})) << "of 9, 5, 8 and 4";
  EXPECT_EQ(shapes.iterations_with_new, 4U) << "8 is new to rank 1 in iteration 12, and known to rank 0";
  EXPECT_EQ(trace::counts_of(shapes), (trace::RankShapeCounts{2, 3, 4, 4}));
}

TEST(RankShapes, SquaresAreNoSizeOfATensor) {
  trace::RankShapeCounter counter;
  for (const std::uint64_t squares : {40U, 50U, 60U}) {
    const trace::Shape shape{.tokens = 10, .sq_tokens = squares};
    counter.add(squares, std::span(&shape, 1));
  }
  EXPECT_EQ(std::move(counter).finish().first_seen, Numbers{40});
}

TEST(RankShapes, ARunWithoutThemCountsThoseOfItsHistogram) {
  trace::RunSummary run;
  run.kind = trace::ShapeKind::varlen;
  for (const auto& [tokens, squares] : {std::pair(10U, 40U), std::pair(10U, 50U), std::pair(12U, 50U)})
    run.histogram.push_back({{.tokens = tokens, .sq_tokens = squares}, 1});
  EXPECT_EQ(run.iterations_with_new_shapes(), 2U);
  run.rank_shapes = trace::RankShapeCounts{.fewest = 2, .most = 3, .all = 4, .iterations_with_new = 7};
  EXPECT_EQ(run.iterations_with_new_shapes(), 7U);
}

TEST(PadUp, RoundsLengthsOfOneRank) {
  trace::Trace run;
  run.shapes = {{.src_len = 17, .tgt_len = 8, .batch_size = 2}};
  run.padded_tokens = {50};
  trace::pad_up(run, 8);
  EXPECT_EQ(run.shapes.front(), (trace::Shape{.src_len = 24, .tgt_len = 8, .batch_size = 2}));
  EXPECT_EQ(run.padded_tokens, Numbers{64});
  run.ranks = 2;
  EXPECT_THROW(trace::pad_up(run, 16), std::exception) << "the other rank's lengths are not known";
}

}  // namespace
}  // namespace seqpoint::testing
