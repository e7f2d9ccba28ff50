// `scan --rows --sampler token-budget` against batches worked out by hand and against properties of every case.
#include <gtest/gtest.h>

#include <random>

#include "core/batching/batches.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"
#include "unit/scan_rows.hpp"

namespace seqpoint::testing {
namespace {

using Rows = std::vector<std::uint32_t>;
using Steps = std::vector<std::vector<Rows>>;

const Rows kBudgetLengths{5, 3, 8, 2, 2, 30, 1, 1};

Steps budget_steps(const std::vector<std::string>& more) {
  std::vector<std::string> options{"--sampler", "token-budget", "--max-tokens", "16"};
  options.insert(options.end(), more.begin(), more.end());
  Steps all;
  for (const ScannedIteration& iteration : scan_rows(kBudgetLengths, options)) all.push_back(iteration.ranks);
  return all;
}

TEST(TokenBudgetOrders, AsManyAsFitAndWhatNeverFitsAlone) {
  EXPECT_EQ(budget_steps({}), (Steps{{{0, 1}}, {{2, 3}}, {{4}}, {{5}}, {{6, 7}}}));
  EXPECT_EQ(budget_steps({"--order", "sorted"}), (Steps{{{6, 7, 3, 4, 1}}, {{0, 2}}, {{5}}}));
  EXPECT_EQ(budget_steps({"--order", "descending"}), (Steps{{{5}}, {{2, 0}}, {{1, 3, 4, 6, 7}}}));
}

TEST(TokenBudgetOrders, ABatchSizeLimitsTheSamplesToo) {
  EXPECT_EQ(budget_steps({"--order", "sorted", "--batch-size", "3"}), (Steps{{{6, 7, 3}}, {{4, 1, 0}}, {{2}}, {{5}}}));
}

/// {6, 7} could hold fourteen more; {5} is full.
TEST(TokenBudgetOrders, ALastBatchWithRoomIsIncomplete) {
  EXPECT_EQ(budget_steps({"--drop-last"}), (Steps{{{0, 1}}, {{2, 3}}, {{4}}, {{5}}}));
  EXPECT_EQ(budget_steps({"--drop-last", "--order", "sorted"}), (Steps{{{6, 7, 3, 4, 1}}, {{0, 2}}, {{5}}}));
}

TEST(TokenBudgetOrders, RanksTakeBatchesInTurn) {
  EXPECT_EQ(budget_steps({"--world-size", "2"}), (Steps{{{0, 1}, {2, 3}}, {{4}, {5}}, {{6, 7}, {0, 1}}}));
  EXPECT_EQ(budget_steps({"--world-size", "3", "--drop-last"}), (Steps{{{0, 1}, {2, 3}, {4}}}));
}

TEST(TokenBudgetOrders, ShuffledIsTorchsPermutation) {
  const Rows permutation = rng::TorchGenerator(5 + 2).permutation(static_cast<std::uint32_t>(kBudgetLengths.size()));
  Rows order;
  for (const auto& step : budget_steps({"--order", "shuffled", "--seed", "5", "--epoch", "2"}))
    order.insert(order.end(), step[0].begin(), step[0].end());
  EXPECT_EQ(order, permutation);
}

/// Greedy: within the budget, and never able to take the sample that follows.
TEST(TokenBudgetOrders, EveryBatchIsMaximal) {
  std::mt19937 random(17);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    lengths::Lengths lengths;
    for (std::uint32_t i = below(60) + 1; i > 0; --i) lengths.src.push_back(below(40));
    batching::BatchPolicy policy;
    policy.sampler = "token-budget";
    const std::uint64_t budget = below(200) + 1;
    policy.options.set("max-tokens", std::to_string(budget));
    std::uint32_t next = 0;
    batching::for_each_micro_batch(lengths, policy, [&](const batching::MicroBatch& step) {
      ASSERT_EQ(step.rows.front(), next) << "round " << round;
      next = step.rows.back() + 1;
      const batching::BatchShape shape = batching::shape_of(step.rows, lengths);
      if (shape.sequences > 1) {
        EXPECT_LE(std::uint64_t{shape.sequences} * shape.src_len, budget);
      }
      if (next < lengths.size()) {
        EXPECT_GT((std::uint64_t{shape.sequences} + 1) * std::max(shape.src_len, lengths.src[next]), budget);
      }
    });
    EXPECT_EQ(next, lengths.size());
  }
}

TEST(TokenBudgetOrders, NeedsABudgetAndAKnownOrder) {
  batching::BatchPolicy policy;
  policy.sampler = "token-budget";
  EXPECT_THROW(batching::for_each_micro_batch({kBudgetLengths, {}, {}}, policy, [](const batching::MicroBatch&) {}),
               UsageError);
  policy.options.set("max-tokens", "16");
  policy.options.set("order", "random");
  EXPECT_THROW(batching::for_each_micro_batch({kBudgetLengths, {}, {}}, policy, [](const batching::MicroBatch&) {}),
               UsageError);
}

}  // namespace
}  // namespace seqpoint::testing
