// What ranks wait in time, against closed forms, a plain reading of the rule, and every way to share samples out.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "property/draw.hpp"
#include "seqpoint/forecast.hpp"

namespace seqpoint::rank_waiting_property {
namespace {

using forecast::DealtRun;
using testing::Draw;
using Cost = double (*)(const trace::Signature&);

struct Case {
  lengths::Lengths lengths;
  batching::BatchPolicy policy;
  trace::SignatureRule rule;
};

Case random_case(Draw& draw, trace::BatchLayout layout, bool paired, std::uint32_t longest = 100'000) {
  Case found;
  found.policy.sampler = "pytorch-distributed";
  found.policy.seed = draw.below(100U);
  found.policy.world_size = draw.between(2U, 5U);
  found.policy.batch_size = draw.between(1U, 6U);
  found.policy.epochs = draw.between(1U, 2U);
  found.rule.layout = layout;
  const std::uint32_t samples = draw.between(10U, 60U);
  for (std::uint32_t i = 0; i < samples; ++i) found.lengths.src.push_back(draw.between(1U, longest));
  for (std::uint32_t i = 0; paired && i < samples; ++i) found.lengths.tgt.push_back(draw.between(1U, longest));
  return found;
}

std::vector<DealtRun> dealt(const Case& c, Cost cost) {
  const trace::RunSummary run = trace::summarise(trace::trace_of(c.lengths, c.policy, c.rule));
  return forecast::deal_to_ranks(c.lengths, c.policy, c.rule, run, [&](const auto& at) {
    forecast::SecondsBySignature seconds;
    for (const trace::SignatureCount& entry : at) seconds.emplace(entry.signature, cost(entry.signature));
    return seconds;
  });
}

double slowest(const DealtRun& dealt, Cost cost) {
  double sum = 0;
  for (const auto& [signature, count] : dealt.run.histogram) sum += static_cast<double>(count) * cost(signature);
  return sum;
}

double of_tokens(const trace::Signature& s) { return 1e-3 * static_cast<double>(s.padded_tokens()); }
double of_squares(const trace::Signature& s) { return 7 + 1e-6 * static_cast<double>(s.sq_tokens); }
double of_both(const trace::Signature& s) {
  return 5 + 1e-3 * static_cast<double>(s.padded_tokens()) + 1e-7 * static_cast<double>(s.sq_tokens) +
         2e-8 * s.batch_size * (std::pow(s.src_len, 2) + std::pow(s.tgt_len, 2));
}

TEST(RankWaitingProperty, CostsInProportionToTokensAreWaitedForAsTokens) {
  testing::for_seeds(100, [](Draw& draw) {
    const auto layout = draw.below(2) == 0 ? trace::BatchLayout::padded : trace::BatchLayout::varlen;
    const Case c = random_case(draw, layout, draw.below(2) == 0);
    const trace::Trace trace = trace::trace_of(c.lengths, c.policy, c.rule);
    const DealtRun as_they_are = dealt(c, of_tokens).front();
    EXPECT_EQ(as_they_are.name, "as they are");
    EXPECT_NEAR(as_they_are.waiting, *trace::waiting_share(trace), 1e-12);
    double heaviest = 0;
    for (std::size_t i = 0; i < trace.size(); ++i) heaviest += of_tokens(trace.signatures[i]);
    EXPECT_NEAR(slowest(as_they_are, of_tokens), heaviest, 1e-9 * heaviest);
  });
}

/// Lengths are so long that no two loads are equal but by equal samples.
TEST(RankWaitingProperty, WithoutPaddingTheFittedCostFindsTheLoadsThatItConsistsOf) {
  testing::for_seeds(100, [](Draw& draw) {
    const Case c = random_case(draw, trace::BatchLayout::varlen, false);
    for (const auto& [cost, same] : {std::pair<Cost, std::size_t>{of_tokens, 1}, {of_squares, 2}}) {
      const std::vector<DealtRun> ways = dealt(c, cost);
      ASSERT_EQ(ways.size(), 4U);
      EXPECT_EQ(ways[3].name, "by fitted cost");
      EXPECT_EQ(ways[3].waiting, ways[same].waiting);
      EXPECT_EQ(slowest(ways[3], cost), slowest(ways[same], cost));
    }
  });
}

/// Where nothing is padded and time is as tokens, no way to share samples out changes the sum over ranks.
TEST(RankWaitingProperty, NoSampleIsLost) {
  testing::for_seeds(100, [](Draw& draw) {
    const Case c = random_case(draw, trace::BatchLayout::varlen, draw.below(2) == 0, 50);
    std::vector<double> sums;
    for (const DealtRun& way : dealt(c, of_tokens)) sums.push_back(slowest(way, of_tokens) * (1 - way.waiting));
    for (const double sum : sums) EXPECT_NEAR(sum, sums.front(), 1e-9 * sums.front());
  });
}

/// The least that the heaviest rank can have, of all ways to share samples out.
std::uint64_t least_heaviest(const std::vector<std::uint32_t>& samples, std::size_t at,
                             std::vector<std::uint64_t>& loads) {
  if (at == samples.size()) return std::ranges::max(loads);
  std::uint64_t least = UINT64_MAX;
  for (std::uint64_t& load : loads) {
    load += samples[at];
    least = std::min(least, least_heaviest(samples, at + 1, loads));
    load -= samples[at];
  }
  return least;
}

/// R. L. Graham, Bounds on multiprocessing timing anomalies (1969): at most 4/3 - 1/(3 ranks) of the best way.
TEST(RankWaitingProperty, TheHeaviestRankIsWithinGrahamsBoundOfTheBestWay) {
  testing::for_seeds(100, [](Draw& draw) {
    Case c = random_case(draw, trace::BatchLayout::varlen, false, 30);
    c.policy = {
        .batch_size = 4, .seed = {}, .world_size = 2 + draw.below(std::uint64_t{2}), .version = {}, .options = {}};
    c.lengths.src.resize(draw.between(4U, 8U));  // of one iteration
    const auto ranks = static_cast<double>(c.policy.world_size);
    if (trace::trace_of(c.lengths, c.policy, c.rule).size() != 1) return;
    std::vector<std::uint32_t> samples;
    batching::for_each_micro_batch(c.lengths, c.policy, [&](const batching::MicroBatch& batch) {
      for (const std::uint32_t row : batch.rows) samples.push_back(c.lengths.src[row]);
    });
    std::vector<std::uint64_t> loads(c.policy.world_size, 0);
    const auto best = static_cast<double>(least_heaviest(samples, 0, loads));
    const double found = 1e3 * slowest(dealt(c, of_tokens)[1], of_tokens);
    EXPECT_GE(found, best - 1e-6);
    EXPECT_LE(found, best * (4.0 / 3 - 1 / (3 * ranks)) + 1e-6);
  });
}

/// The rule, read plainly: rows of each rank.
std::vector<std::vector<std::uint32_t>> by_the_rule(const batching::MicroBatch& batch, const Case& c, double power) {
  std::vector<std::pair<double, std::uint32_t>> left;
  for (const std::uint32_t row : batch.rows) {
    double load = std::pow(c.lengths.src[row], power);
    if (c.lengths.paired()) load += std::pow(c.lengths.tgt[row], power);
    left.emplace_back(load, row);
  }
  std::vector<std::vector<std::uint32_t>> ranks(batch.ranks());
  std::vector<double> loads(batch.ranks(), 0);
  while (!left.empty()) {
    const auto heaviest = std::ranges::max_element(left, {}, &std::pair<double, std::uint32_t>::first);
    std::map<double, std::size_t> open;
    for (std::size_t r = 0; r < ranks.size(); ++r)
      if (c.rule.layout == trace::BatchLayout::varlen || ranks[r].size() < batch.rows_of_rank(r).size())
        open.emplace(loads[r], r);
    const std::size_t to = open.begin()->second;
    loads[to] += heaviest->first;
    ranks[to].push_back(heaviest->second);
    left.erase(heaviest);
  }
  return ranks;
}

TEST(RankWaitingProperty, SamplesAreDealtByTheRule) {
  testing::for_seeds(200, [](Draw& draw) {
    const auto layout = draw.below(2) == 0 ? trace::BatchLayout::padded : trace::BatchLayout::varlen;
    const Case c = random_case(draw, layout, draw.below(2) == 0, 40);
    const std::vector<DealtRun> ways = dealt(c, of_both);
    for (const std::size_t power : {1U, 2U}) {
      double sum = 0, of_slowest = 0;
      batching::for_each_micro_batch(c.lengths, c.policy, [&](const batching::MicroBatch& batch) {
        double most = 0;
        for (const auto& rows : by_the_rule(batch, c, static_cast<double>(power))) {
          const batching::BatchShape shape = batching::shape_of(rows, c.lengths);
          trace::Signature s{.src_len = shape.src_len, .tgt_len = shape.tgt_len, .batch_size = shape.sequences};
          if (layout == trace::BatchLayout::varlen)
            s = {.tokens = static_cast<std::uint32_t>(shape.tokens), .sq_tokens = shape.sq_tokens};
          most = std::max(most, of_both(s));
          sum += of_both(s) / static_cast<double>(batch.ranks());
        }
        of_slowest += most;
      });
      EXPECT_NEAR(slowest(ways[power], of_both), of_slowest, 1e-9 * of_slowest);
      EXPECT_NEAR(ways[power].waiting, 1 - sum / of_slowest, 1e-9);
    }
  });
}

/// The longest sample of an iteration is in a batch of the same size wherever it goes.
TEST(RankWaitingProperty, PaddedBatchesOfOneSizeAreNoFasterOtherwise) {
  testing::for_seeds(100, [](Draw& draw) {
    const Case c = random_case(draw, trace::BatchLayout::padded, false, 60);
    const std::vector<DealtRun> ways = dealt(c, of_both);
    for (const DealtRun& way : ways)
      EXPECT_NEAR(slowest(way, of_both), slowest(ways[0], of_both), 1e-9 * slowest(ways[0], of_both));
  });
}

TEST(RankWaitingProperty, PiecesOfSamplesAreNotDealt) {
  Case c;
  c.policy = {.sampler = "packing", .batch_size = 1, .seed = {}, .world_size = 2, .version = {}, .options = {}};
  c.policy.options.set("seq-length", "8");
  c.lengths.src = {3, 1, 4, 1, 5, 9, 2, 6};
  const std::vector<DealtRun> ways = dealt(c, of_tokens);
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways.front().name, "as they are");
}

}  // namespace
}  // namespace seqpoint::rank_waiting_property
