// Several ranks: the shape is a batch that one of them has, the one with the most work, whatever the sampler.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/trace/trace.hpp"
#include "property/every_sampler.hpp"
#include "seqpoint/error.hpp"

namespace ranks_property {
namespace {

using namespace seqpoint;
using namespace seqpoint::testing;

/// What a rank has, counted from its rows, or as the sampler says where it packs, cuts or pads to a bound.
struct RankWork {
  seqpoint::trace::Shape shape;
  std::uint64_t work = 0, src_len = 0;
};

RankWork work_of(const seqpoint::batching::MicroBatch& batch, std::size_t rank,
                 const seqpoint::lengths::Lengths& lengths, const seqpoint::trace::ShapeRule& rule) {
  seqpoint::batching::BatchShape shape;
  for (const std::uint32_t row : batch.rows_of_rank(rank)) {
    const std::uint32_t source = lengths.src[row], target = lengths.paired() ? lengths.tgt[row] : 0;
    shape.src_len = std::max(shape.src_len, source);
    shape.tgt_len = std::max(shape.tgt_len, target);
    shape.sequences += 1;
    shape.tokens += source + target;
    shape.sq_tokens += std::uint64_t{source} * source + std::uint64_t{target} * target;
  }
  if (!batch.shapes.empty()) shape = batch.shapes[rank];
  while (shape.src_len % rule.pad_multiple != 0) ++shape.src_len;
  while (shape.tgt_len % rule.pad_multiple != 0) ++shape.tgt_len;
  if (rule.signature == seqpoint::trace::BatchLayout::varlen)
    return {{.tokens = static_cast<std::uint32_t>(shape.tokens), .sq_tokens = shape.sq_tokens},
            shape.tokens,
            shape.src_len};
  return {{.src_len = shape.src_len, .tgt_len = shape.tgt_len, .batch_size = shape.sequences},
          std::uint64_t{shape.sequences} * (shape.src_len + shape.tgt_len),
          shape.src_len};
}

/// No other rank has more work; of those with as much none comes before it by the rule of ties.
void expect_heaviest(const seqpoint::trace::IterationRow& row, const std::vector<RankWork>& ranks) {
  const RankWork& heaviest = ranks.at(row.heaviest_rank);
  EXPECT_EQ(row.shape, heaviest.shape);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    EXPECT_LE(ranks[r].work, heaviest.work);
    if (ranks[r].work != heaviest.work) continue;
    EXPECT_LE(ranks[r].shape.sq_tokens, heaviest.shape.sq_tokens);
    if (ranks[r].shape.sq_tokens != heaviest.shape.sq_tokens) continue;
    EXPECT_LE(ranks[r].src_len, heaviest.src_len);
    EXPECT_TRUE(ranks[r].src_len < heaviest.src_len || r >= row.heaviest_rank) << r;
  }
}

/// How many iterations there were.
std::size_t expect_shapes_of_ranks(const seqpoint::lengths::Lengths& lengths,
                                   const seqpoint::batching::BatchPolicy& policy,
                                   const seqpoint::trace::ShapeRule& rule) {
  const seqpoint::trace::Trace trace = seqpoint::trace::trace_of(lengths, policy, rule);
  double mean_of_all = 0, heaviest_of_all = 0;
  std::size_t iteration = 0;
  seqpoint::trace::for_each_iteration(
      lengths, policy, rule,
      [&](const seqpoint::trace::IterationRow& row, const seqpoint::batching::MicroBatch& batch) {
        std::vector<RankWork> ranks;
        std::uint64_t sum = 0;
        for (std::size_t r = 0; r < batch.ranks(); ++r) {
          ranks.push_back(work_of(batch, r, lengths, rule));
          sum += ranks.back().work;
        }
        ASSERT_EQ(ranks.size(), policy.world_size);
        expect_heaviest(row, ranks);
        ASSERT_EQ(row.rank_shapes.size(), ranks.size());
        for (std::size_t r = 0; r < ranks.size(); ++r) EXPECT_EQ(row.rank_shapes[r], ranks[r].shape);
        EXPECT_EQ(trace.shapes[iteration].padded_tokens(), ranks[row.heaviest_rank].work);
        EXPECT_EQ(trace.padded_tokens_at(iteration), sum);
        const double mean = static_cast<double>(sum) / static_cast<double>(ranks.size());
        if (ranks.size() > 1) {
          EXPECT_DOUBLE_EQ(trace.mean_padded_tokens.at(iteration), mean);
        }
        mean_of_all += mean;
        heaviest_of_all += static_cast<double>(ranks[row.heaviest_rank].work);
        ++iteration;
      });
  EXPECT_EQ(trace.ranks, policy.world_size);
  EXPECT_EQ(trace.mean_padded_tokens.size(), policy.world_size == 1 ? 0 : iteration);
  if (policy.world_size > 1 && iteration > 0) {
    EXPECT_NEAR(seqpoint::trace::waiting_share(trace).value(), 1 - mean_of_all / heaviest_of_all, 1e-12);
  }
  return iteration;
}

TEST(Ranks, TheShapeIsThatOfTheRankWithTheMostWorkWithEverySampler) {
  std::set<std::string_view> of_one_process;
  std::uint32_t seed = 0;
  for (const seqpoint::batching::Sampler& sampler : seqpoint::batching::samplers()) {
    if (sampler.needs_order) continue;
    std::set<std::uint64_t> ran;
    for (const Corpus corpus : {Corpus::even, Corpus::skewed, Corpus::alike})
      for (std::uint64_t ranks = 1; ranks <= 16; ++ranks) {
        SCOPED_TRACE(std::string(sampler.name) + ", seed " + std::to_string(seed));
        Draw draw(seed++);
        const bool paired = is_of_pairs(sampler) || (takes_pairs(sampler) && draw.below(2U) == 0);
        const seqpoint::lengths::Lengths lengths = lengths_of(corpus, paired, draw);
        const bool varlen = draw.below(3U) == 0;
        const seqpoint::trace::ShapeRule rule{
            varlen || draw.below(2U) == 0 ? 1U : 8U,
            varlen ? seqpoint::trace::BatchLayout::varlen : seqpoint::trace::BatchLayout::padded};
        try {
          if (expect_shapes_of_ranks(lengths, policy_of(sampler, ranks), rule) > 0) ran.insert(ranks);
        } catch (const UsageError&) {  // the original stops there, too
        }
        if (HasFailure()) return;
      }
    EXPECT_TRUE(ran.contains(1)) << sampler.name;
    if (ran.size() == 1)
      of_one_process.insert(sampler.name);
    else
      EXPECT_GE(ran.size(), 15U) << sampler.name;
  }
  EXPECT_EQ(of_one_process, (std::set<std::string_view>{"pytorch"}));
}

}  // namespace
}  // namespace ranks_property
