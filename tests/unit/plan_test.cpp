// What a plan is made of: batches of the run found again, tasks, and the order of rows that a sequential sampler cuts
// into steps.
#include "seqpoint/select/plan.hpp"

#include <gtest/gtest.h>

#include "seqpoint/error.hpp"
#include "seqpoint/io/artifacts/plan_folder.hpp"
#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

/// A point of one length that was seen at these iterations.
select::Point point(const std::string& id, select::PointKey key, std::vector<std::uint64_t> iterations) {
  return {.id = id, .key = key, .weight = {select::Weight::kUnit}, .iterations = std::move(iterations), .samples = {}};
}

select::Selection selection_of(std::vector<select::Point> points, std::uint64_t iterations) {
  select::Selection selection;
  selection.run.iterations = iterations;
  selection.points = std::move(points);
  return selection;
}

batching::BatchPolicy policy_of(std::uint64_t batch_size, std::uint64_t ranks = 1) {
  batching::BatchPolicy policy;
  policy.batch_size = batch_size;
  policy.world_size = ranks;
  return policy;
}

select::PlannedBatch batch(std::uint32_t length, std::vector<std::uint32_t> rows, std::vector<std::size_t> ends) {
  const auto size = static_cast<std::uint32_t>(ends.front());
  return {.iteration = length, .signature = {length, {}, size}, .rows = std::move(rows), .rank_ends = std::move(ends)};
}

select::PlanParams params(std::uint64_t warmup, std::vector<std::uint64_t> repeats, std::uint64_t chunk = 1) {
  return {warmup, std::move(repeats), chunk};
}

/// Those of one or more measurements of every point.
std::vector<select::PlannedBatch> batches_in(const select::Selection& selection, const lengths::Lengths& lengths,
                                             const batching::BatchPolicy& policy, std::uint64_t repeats = 1) {
  return select::find_batches(selection, std::vector<std::uint64_t>(selection.points.size(), repeats), lengths, policy,
                              {}, "points.json");
}

/// A plan of one batch a point.
select::Plan plan_of(std::vector<select::PlannedBatch> batches, const select::PlanParams& params) {
  for (std::size_t b = 0; b < batches.size(); ++b) batches[b].point = b;
  return select::make_plan(std::move(batches), params);
}

/// Steps of a plan of one batch a point.
std::vector<select::BatchExecution> in_order(std::vector<select::BatchExecution> steps) {
  for (select::BatchExecution& step : steps) step.batch = step.point;
  return steps;
}

std::string refusal_of(const select::Selection& selection, const lengths::Lengths& lengths,
                       const batching::BatchPolicy& policy) {
  try {
    batches_in(selection, lengths, policy);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const lengths::Lengths kPlannedLengths{.src = {5, 7, 9, 2, 4, 4, 8}};  // batches of 2: 7, 9, 4 and the last alone, 8

TEST(Plan, BatchesAreThoseOfTheRun) {
  const auto batches = batches_in(selection_of({point("sp1", {9, {}, 2}, {1}), point("sp2", {8, {}, 1}, {3})}, 4),
                                  kPlannedLengths, policy_of(2));
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[0].rows, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(batches[1].rows, (std::vector<std::uint32_t>{6}));
  EXPECT_EQ(batches[1].signature, (select::PointKey{8, {}, 1}));
  EXPECT_EQ(batches[0].samples_per_rank(), 2U);
}

TEST(Plan, TheFirstIterationThatHasThePointsSignatureIsTaken) {
  const auto batches = batches_in(selection_of({point("sp1", {4, {}, {}}, {0, 2})}, 4), kPlannedLengths, policy_of(2));
  EXPECT_EQ(batches[0].iteration, 2U);
}

TEST(Plan, RepeatsTakeOtherIterationsOfTheSameSignatureInTurn) {
  const lengths::Lengths lengths{.src = {5, 1, 5, 2, 5, 3, 5}};  // batches of 2: 5, 5, 5, and one of 5 alone
  const select::Selection selection = selection_of({point("sp1", {5, {}, {}}, {2, 0, 3, 1})}, 4);
  const auto iterations = [&](std::uint64_t repeats) {
    std::vector<std::uint64_t> found;
    for (const select::PlannedBatch& one : batches_in(selection, lengths, policy_of(2), repeats))
      found.push_back(one.iteration);
    return found;
  };
  EXPECT_EQ(iterations(1), (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(iterations(2), (std::vector<std::uint64_t>{2, 0}));
  EXPECT_EQ(iterations(9), (std::vector<std::uint64_t>{2, 0, 1})) << "the short one is another signature";
  const select::Plan plan = select::make_plan(batches_in(selection, lengths, policy_of(2), 5), params(0, {5}));
  std::vector<std::size_t> turns;
  for (const select::BatchExecution& step : plan.single_process.executions) turns.push_back(step.batch);
  EXPECT_EQ(turns, (std::vector<std::size_t>{0, 1, 2, 0, 1}));
}

TEST(Plan, PointsOfAnotherRunAreRefused) {
  EXPECT_TRUE(says(refusal_of(selection_of({point("sp1", {6, {}, {}}, {1})}, 4), kPlannedLengths, policy_of(2)),
                   "point sp1 has src_len 6, but iteration 1 of this run has src_len 9"));
  EXPECT_TRUE(says(refusal_of(selection_of({point("sp1", {9, {}, {}}, {1})}, 5), kPlannedLengths, policy_of(2)),
                   "a run of 5 iterations, this one has 4"));
  EXPECT_TRUE(says(refusal_of(selection_of({point("sp1", {9, {}, {}}, {17})}, 4), kPlannedLengths, policy_of(2)),
                   "iteration 17, which this run does not have"));
}

/// A round is in the order of iterations in the run, here 12 before 30.
TEST(Plan, WarmupIsTheLargestPointFirstAndRepeatsGoRoundByRound) {
  const select::Plan plan =
      plan_of({batch(9, {0, 1}, {2}), batch(30, {2, 3}, {2}), batch(12, {4, 5}, {2})}, params(2, {1, 2, 3}, 3));
  EXPECT_EQ(plan.single_process.executions,
            in_order({{1, 0, true}, {1, 1, true}, {0, 0}, {2, 0}, {1, 0}, {2, 1}, {1, 1}, {2, 2}}));
  ASSERT_EQ(plan.tasks.size(), 1U);
  EXPECT_EQ(plan.tasks[0].executions, plan.single_process.executions);
}

TEST(Plan, TheLargestPointIsTheOneOfMostPaddedTokens) {
  const select::Plan plan = plan_of({batch(30, {0}, {1}), batch(20, {1, 2}, {2})}, params(1, {1, 1}));
  EXPECT_EQ(plan.single_process.executions.front().point, 1U);  // 40 tokens against 30
}

TEST(Plan, ATaskWarmsUpWithItsOwnLargestPoint) {
  const select::Plan plan =
      plan_of({batch(9, {0}, {1}), batch(30, {1}, {1}), batch(12, {2}, {1})}, params(1, {1, 1, 1}));
  ASSERT_EQ(plan.tasks.size(), 3U);
  for (std::size_t t = 0; t < 3; ++t) EXPECT_EQ(plan.tasks[t].executions, in_order({{t, 0, true}, {t, 0, false}}));
}

TEST(Plan, ATaskHoldsPointsOfOneBatchSizeAndAtMostAChunk) {
  const select::Plan plan = plan_of(
      {batch(1, {0}, {1}), batch(2, {1, 2}, {2}), batch(3, {3}, {1}), batch(4, {4}, {1}), batch(5, {5, 6}, {2})},
      params(1, {1, 1, 1, 1, 1}, 2));
  std::vector<std::vector<std::size_t>> points;
  for (const select::PlanTask& task : plan.tasks) {
    points.push_back(task.points);
    EXPECT_TRUE(select::batch_size_of(task, plan.batches));
  }
  EXPECT_EQ(points, (std::vector<std::vector<std::size_t>>{{0, 2}, {1, 4}, {3}}));
  EXPECT_FALSE(select::batch_size_of(plan.single_process, plan.batches));
  EXPECT_FALSE(select::batch_size_of(plan_of({batch(9, {0}, {1})}, params(1, {1})).single_process,
                                     std::vector{batch(9, {0, 1, 2}, {1, 3})}));
}

TEST(Plan, OneShortBatchIsTheLastStep) {
  const select::Plan plan =
      plan_of({batch(9, {0}, {1}), batch(30, {1, 2}, {2}), batch(12, {3, 4}, {2})}, params(1, {1, 1, 1}));
  EXPECT_EQ(plan.single_process.executions, in_order({{1, 0, true}, {2, 0}, {1, 0}, {0, 0}}));
  EXPECT_EQ(select::batch_size_of(plan.single_process, plan.batches), 2U);
  const select::Plan twice = plan_of(plan.batches, params(1, {2, 1, 1}));
  EXPECT_FALSE(select::batch_size_of(twice.single_process, twice.batches));
}

TEST(Plan, SeveralRanksGetTheirRowsInTurn) {
  const select::Plan plan = plan_of({batch(9, {10, 11, 20, 21}, {2, 4})}, params(0, {1}));
  EXPECT_EQ(select::rows_in_order(plan.single_process, plan.batches), (std::vector<std::uint32_t>{10, 20, 11, 21}));
}

TEST(Plan, RanksOfDifferentSizesHaveNoBatchSize) {
  EXPECT_FALSE(batch(9, {1, 2, 3}, {2, 3}).samples_per_rank());
  EXPECT_FALSE(batch(9, {}, {0}).samples_per_rank());
}

/// A sequential sampler over rows in the planned order hands out the planned batches: of random runs, on one rank and
/// on several.
TEST(Plan, ASequentialSamplerHandsOutTheSteps) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::uint64_t ranks = 1 + seed % 3, size = 2 + seed % 4;
    lengths::Lengths lengths;
    for (std::uint32_t i = 0; i < 40 + seed; ++i)
      lengths.src.push_back(1 + i * 7919 % 101);  // no two alike below 101 rows
    batching::BatchPolicy policy = policy_of(size, ranks);
    policy.sampler = ranks == 1 ? "pytorch" : "pytorch-distributed";
    policy.seed = seed;
    policy.drop_last = true;
    const trace::Trace trace = trace::trace_of(lengths, policy);
    select::Selection selection = selection_of({}, trace.size());
    for (const std::size_t i : {trace.size() - 1, std::size_t{0}, trace.size() / 2})
      selection.points.push_back(point("sp" + std::to_string(i), {trace.src_len[i], {}, trace.batch_size[i]}, {i}));
    const select::Plan plan = select::make_plan(batches_in(selection, lengths, policy), params(seed % 3, {1, 2, 1}));

    lengths::Lengths small;
    for (const std::uint32_t row : select::rows_in_order(plan.single_process, plan.batches))
      small.src.push_back(lengths.src[row]);
    std::size_t index = 0;
    batching::for_each_micro_batch(small, policy_of(size, ranks), [&](const batching::MicroBatch& step) {
      const select::PlannedBatch& planned = plan.batches.at(plan.single_process.executions.at(index++).batch);
      ASSERT_EQ(step.rows.size(), planned.rows.size()) << "seed " << seed;
      for (std::size_t i = 0; i < step.rows.size(); ++i)
        ASSERT_EQ(small.src[step.rows[i]], lengths.src[planned.rows[i]]) << "seed " << seed;
    });
    EXPECT_EQ(index, plan.single_process.executions.size()) << "seed " << seed;
  }
}

TEST(Plan, AShellWordIsOneWordWhateverIsInIt) {
  EXPECT_EQ(io::artifacts::shell_word(""), "''");
  EXPECT_EQ(io::artifacts::shell_word("a b$c`d\"e\\"), "'a b$c`d\"e\\'");
  EXPECT_EQ(io::artifacts::shell_word("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace seqpoint::testing
