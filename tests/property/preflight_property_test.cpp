// What runs out of memory first: against every batch of the run, compared with every other.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/select/select.hpp"
#include "property/draw.hpp"

namespace preflight_property {
namespace {

using namespace seqpoint;
using seqpoint::testing::Draw;
using seqpoint::testing::for_seeds;

/// What a rank of an iteration has: padded tokens, samples, lengths; without padding tokens, samples, squares.
struct RankSize {
  std::uint64_t iteration = 0;
  std::vector<std::uint64_t> size;
};

bool no_less(const RankSize& a, const RankSize& b) {
  return std::ranges::equal(a.size, b.size, std::ranges::greater_equal{});
}

std::vector<RankSize> sizes_of(const seqpoint::lengths::Lengths& lengths, const seqpoint::batching::BatchPolicy& policy,
                               const seqpoint::trace::ShapeRule& rule) {
  std::vector<RankSize> all;
  std::uint64_t iteration = 0;
  seqpoint::batching::for_each_micro_batch(lengths, policy, [&](const seqpoint::batching::MicroBatch& batch) {
    for (std::size_t r = 0; r < batch.ranks(); ++r) {
      std::uint64_t source = 0, target = 0, samples = 0, tokens = 0, squares = 0;
      for (const std::uint32_t row : batch.rows_of_rank(r)) {
        const std::uint64_t s = lengths.src[row], t = lengths.paired() ? lengths.tgt[row] : 0;
        source = std::max(source, s);
        target = std::max(target, t);
        tokens += s + t;
        squares += s * s + t * t;
        ++samples;
      }
      if (rule.signature == seqpoint::trace::BatchLayout::varlen)
        all.push_back({iteration, {tokens, samples, squares}});
      else
        all.push_back({iteration, {samples * (source + target), samples, source, target}});
    }
    ++iteration;
  });
  return all;
}

/// Ranks that have more of anything than all iterations before, without those that another of them has no less of
/// anything than.
std::vector<RankSize> uncovered_records(const std::vector<RankSize>& all) {
  std::vector<RankSize> records, uncovered;
  for (const RankSize& one : all) {
    bool more_of_something = false;
    for (std::size_t d = 0; d < one.size.size(); ++d)
      more_of_something |= std::ranges::all_of(
          all, [&](const RankSize& other) { return other.iteration >= one.iteration || other.size[d] < one.size[d]; });
    if (more_of_something) records.push_back(one);
  }
  for (const RankSize& one : records)
    if (std::ranges::none_of(
            records, [&](const RankSize& other) { return other.iteration != one.iteration && no_less(other, one); }))
      uncovered.push_back(one);
  return uncovered;
}

seqpoint::batching::BatchPolicy random_policy(Draw& draw, bool paired) {
  seqpoint::batching::BatchPolicy policy;
  policy.world_size = draw.between(1U, 4U);
  if (draw.below(2U) == 0) {
    policy.sampler = "token-budget";
    policy.options.set("max-tokens", paired ? "200" : "90");
    if (draw.below(2U) == 0) policy.options.set("order", "sorted");
  } else {
    policy.sampler = "pytorch-distributed";
    policy.batch_size = draw.between(1U, 6U);
    policy.seed = draw.below(100U);
  }
  return policy;
}

TEST(Preflight, IsOfTheRecordsThatNoOtherCoversLargestFirst) {
  for_seeds(300, [](Draw& draw) {
    seqpoint::lengths::Lengths lengths;
    const bool paired = draw.below(2U) == 0;
    for (std::uint64_t i = 0, samples = draw.between(20U, 120U); i < samples; ++i) {
      lengths.src.push_back(draw.between(1U, 60U));
      if (paired) lengths.tgt.push_back(draw.between(1U, 60U));
    }
    const seqpoint::batching::BatchPolicy policy = random_policy(draw, paired);
    const seqpoint::trace::ShapeRule rule{
        1, draw.below(3U) == 0 ? seqpoint::trace::BatchLayout::varlen : seqpoint::trace::BatchLayout::padded};
    const std::vector<RankSize> all = sizes_of(lengths, policy, rule), expected = uncovered_records(all);
    std::vector<std::uint64_t> iterations, planned;
    for (const RankSize& one : expected) iterations.push_back(one.iteration);
    iterations.erase(std::unique(iterations.begin(), iterations.end()), iterations.end());
    const auto largest = [&](std::uint64_t iteration) {
      std::vector<std::uint64_t> most;
      for (const RankSize& one : expected)
        if (one.iteration == iteration) most = std::max(most, one.size);
      return most;
    };
    std::ranges::stable_sort(iterations, std::ranges::greater{}, largest);
    seqpoint::select::Selection selection;
    seqpoint::select::attach_batches(selection, lengths, policy, rule);
    for (const seqpoint::select::RunBatch& batch : selection.largest) planned.push_back(batch.iteration);
    EXPECT_EQ(planned, iterations);
    for (std::size_t d = 0; d < all.front().size.size(); ++d) {
      const auto in_d = [d](const RankSize& one) { return one.size[d]; };
      const std::uint64_t most = in_d(*std::ranges::max_element(all, {}, in_d));
      EXPECT_TRUE(std::ranges::any_of(
          all,
          [&](const RankSize& one) { return std::ranges::count(planned, one.iteration) > 0 && one.size[d] == most; }))
          << "the most of " << d;
    }
  });
}

}  // namespace
}  // namespace preflight_property
