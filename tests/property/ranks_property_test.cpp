// Several ranks: the signature is a batch that one of them has, the one with the most work, whatever the sampler.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/parameters.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/artifacts/artifacts.hpp"
#include "seqpoint/trace/trace.hpp"

namespace ranks_property {
namespace {

using namespace seqpoint;
using seqpoint::testing::Draw;

enum class Corpus { even, skewed, alike };

/// 1600 samples: of any length up to 60, most short and a few very long, or of three lengths, so that ranks tie.
seqpoint::lengths::Lengths lengths_of(Corpus corpus, bool paired, Draw& draw) {
  const auto length = [&]() -> std::uint32_t {
    if (corpus == Corpus::even) return 1 + draw.below(60U);
    if (corpus == Corpus::alike) return 20 * (1 + draw.below(3U));
    return 1 + draw.below(draw.below(20U) == 0 ? 400U : 12U);
  };
  seqpoint::lengths::Lengths lengths;
  for (unsigned i = 0; i < 1600; ++i) {
    lengths.src.push_back(length());
    lengths.seconds.push_back(0.01 * lengths.src.back());
    if (paired) lengths.tgt.push_back(length());
  }
  return lengths;
}

/// The sampler's own example, with settings that fit the corpora, on so many ranks.
seqpoint::batching::BatchPolicy policy_of(const seqpoint::batching::Sampler& sampler, std::uint64_t ranks) {
  seqpoint::batching::BatchPolicy policy;
  policy.sampler = sampler.name;
  std::istringstream words{seqpoint::cli::with_options(sampler.example)};
  std::string name, value;
  for (words >> name; !name.empty(); name = value.starts_with("--") ? value : "") {
    if (!(words >> value)) value.clear();
    const std::string option = name.substr(2);
    const bool flag = value.empty() || value.starts_with("--");
    if (option == "batch-size")
      policy.batch_size = std::stoul(value);
    else if (option == "seed")
      policy.seed = std::stoul(value);
    else if (option == "epoch")
      policy.first_epoch = std::stoul(value);
    else if (option != "epochs" && option != "world-size")
      policy.options.set(option, flag ? "true" : value);
    if (!flag && !(words >> value)) value.clear();
  }
  if (sampler.name == "sockeye") policy.options.set("prepared-data", "true");  // else of one rank
  if (policy.options.has("batch-bins")) policy.options.set("batch-bins", "2000");
  if (policy.options.has("max-duration")) policy.options.set("max-duration", "4");
  if (policy.options.has("max-frames-in-batch")) policy.options.set("max-frames-in-batch", "800");
  if (policy.options.has("seq-length")) policy.options.set("seq-length", "50");
  if (policy.batch_size > 64) policy.batch_size = 600;
  if (policy.batch_size <= 64) policy.batch_size = std::min<std::uint64_t>(policy.batch_size, 4);
  // Several micro-batches are made of these.
  if (sampler.name == "verl" || sampler.name == "nemo-rl") policy.batch_size = 8;
  policy.world_size = ranks;
  return policy;
}

/// What a rank has, counted from its rows, or as the sampler says where it packs, cuts or pads to a bound.
struct RankWork {
  seqpoint::trace::Signature signature;
  std::uint64_t work = 0, src_len = 0;
};

RankWork work_of(const seqpoint::batching::MicroBatch& batch, std::size_t rank,
                 const seqpoint::lengths::Lengths& lengths, const seqpoint::trace::SignatureRule& rule) {
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
  if (rule.layout == seqpoint::trace::BatchLayout::varlen)
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
  EXPECT_EQ(row.signature, heaviest.signature);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    EXPECT_LE(ranks[r].work, heaviest.work);
    if (ranks[r].work != heaviest.work) continue;
    EXPECT_LE(ranks[r].signature.sq_tokens, heaviest.signature.sq_tokens);
    if (ranks[r].signature.sq_tokens != heaviest.signature.sq_tokens) continue;
    EXPECT_LE(ranks[r].src_len, heaviest.src_len);
    EXPECT_TRUE(ranks[r].src_len < heaviest.src_len || r >= row.heaviest_rank) << r;
  }
}

/// How many iterations there were.
std::size_t expect_signatures_of_ranks(const seqpoint::lengths::Lengths& lengths,
                                       const seqpoint::batching::BatchPolicy& policy,
                                       const seqpoint::trace::SignatureRule& rule) {
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
        ASSERT_EQ(row.rank_signatures.size(), ranks.size());
        for (std::size_t r = 0; r < ranks.size(); ++r) EXPECT_EQ(row.rank_signatures[r], ranks[r].signature);
        EXPECT_EQ(trace.signature(iteration).padded_tokens(), ranks[row.heaviest_rank].work);
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

/// Whether the sampler does not refuse samples of two sides.
bool takes_pairs(const seqpoint::batching::Sampler& sampler) {
  Draw draw(0);
  try {
    seqpoint::trace::trace_of(lengths_of(Corpus::even, true, draw), policy_of(sampler, 1), {});
  } catch (const UsageError&) {
    return false;
  }
  return true;
}
bool is_of_pairs(const seqpoint::batching::Sampler& sampler) {
  return sampler.name == "mlperf-gnmt" || sampler.name == "nmt";
}

TEST(Ranks, TheSignatureIsThatOfTheRankWithTheMostWorkWithEverySampler) {
  std::set<std::string_view> of_one_process;
  std::uint32_t seed = 0;
  for (const seqpoint::batching::Sampler& sampler : seqpoint::batching::samplers()) {
    std::set<std::uint64_t> ran;
    for (const Corpus corpus : {Corpus::even, Corpus::skewed, Corpus::alike})
      for (std::uint64_t ranks = 1; ranks <= 16; ++ranks) {
        SCOPED_TRACE(std::string(sampler.name) + ", seed " + std::to_string(seed));
        Draw draw(seed++);
        const bool paired = is_of_pairs(sampler) || (takes_pairs(sampler) && draw.below(2U) == 0);
        const seqpoint::lengths::Lengths lengths = lengths_of(corpus, paired, draw);
        const bool varlen = draw.below(3U) == 0;
        const seqpoint::trace::SignatureRule rule{
            varlen || draw.below(2U) == 0 ? 1U : 8U,
            varlen ? seqpoint::trace::BatchLayout::varlen : seqpoint::trace::BatchLayout::padded};
        try {
          if (expect_signatures_of_ranks(lengths, policy_of(sampler, ranks), rule) > 0) ran.insert(ranks);
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
  EXPECT_EQ(of_one_process, (std::set<std::string_view>{"fairseq2", "nmt", "pytorch", "speechbrain", "torchtext"}));
}

}  // namespace
}  // namespace ranks_property
