// What a plan is made of: batches of the run found again, tasks, and the order of rows that a sequential sampler cuts
// into steps.
#include "seqpoint/select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "io/artifacts/plan_folder.hpp"
#include "seqpoint/error.hpp"
#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

/// A point of one length that was seen at these iterations.
select::Point point(const std::string& id, trace::Signature at, std::vector<std::uint64_t> iterations) {
  return {
      .id = id, .signature = at, .weight = {select::Weight::kUnit}, .iterations = std::move(iterations), .samples = {}};
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

select::PlanParams params(std::uint64_t warmup, std::vector<std::uint64_t> repeats, std::uint64_t chunk = UINT64_MAX) {
  return {.warmup = warmup, .repeats = std::move(repeats), .points_per_task = chunk};
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

/// The steps that are measured, in order.
std::vector<select::BatchExecution> measured(const select::PlanTask& task) {
  std::vector<select::BatchExecution> steps = task.executions;
  std::erase_if(steps, [](const select::BatchExecution& step) { return step.warmup; });
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
  EXPECT_EQ(batches[1].signature, (trace::Signature{8, 0, 1}));
  EXPECT_EQ(batches[0].samples_per_rank(), 2U);
}

TEST(Plan, TheFirstIterationThatHasThePointsSignatureIsTaken) {
  const auto batches = batches_in(selection_of({point("sp1", {4, 0, 2}, {0, 2})}, 4), kPlannedLengths, policy_of(2));
  EXPECT_EQ(batches[0].iteration, 2U);
}

TEST(Plan, RepeatsTakeOtherIterationsOfTheSameSignatureInTurn) {
  const lengths::Lengths lengths{.src = {5, 1, 5, 2, 5, 3, 5}};  // batches of 2: 5, 5, 5, and one of 5 alone
  const select::Selection selection = selection_of({point("sp1", {5, 0, 2}, {2, 0, 3, 1})}, 4);
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
  for (const select::BatchExecution& step : plan.whole.executions) turns.push_back(step.batch);
  EXPECT_EQ(turns, (std::vector<std::size_t>{1, 0, 1, 2, 0, 1})) << "its own warm-up first, at another iteration";
}

TEST(Plan, PointsOfAnotherRunAreRefused) {
  EXPECT_TRUE(says(refusal_of(selection_of({point("sp1", {6, 0, 2}, {1})}, 4), kPlannedLengths, policy_of(2)),
                   "point sp1 has src_len 6, batch_size 2, but iteration 1 of this run has src_len 9"));
  EXPECT_TRUE(says(refusal_of(selection_of({point("sp1", {9, 0, 2}, {1})}, 5), kPlannedLengths, policy_of(2)),
                   "a run of 5 iterations, this one has 4"));
  EXPECT_TRUE(says(refusal_of(selection_of({point("sp1", {9, 0, 2}, {17})}, 4), kPlannedLengths, policy_of(2)),
                   "iteration 17, which this run does not have"));
}

/// Points of these lengths, with one batch of one row each.
std::vector<select::PlannedBatch> single_rows(const std::vector<std::uint32_t>& lengths) {
  std::vector<select::PlannedBatch> batches;
  for (const std::uint32_t length : lengths) batches.push_back(batch(length, {length}, {1}));
  return batches;
}

TEST(Plan, EveryProcessMeasuresEveryPointAndFurtherRepeatsAreDealtOutInTurn) {
  select::PlanParams three = params(0, {3, 4, 8});
  three.sessions = 3;
  const select::Plan plan = plan_of(single_rows({9, 30, 12}), three);
  ASSERT_EQ(plan.sessions.size(), 3U);
  std::vector<std::vector<std::vector<std::uint64_t>>> repeats(3, std::vector<std::vector<std::uint64_t>>(3));
  for (const select::PlanTask& session : plan.sessions)
    for (const select::BatchExecution& step : measured(session))
      repeats[session.session][step.point].push_back(step.repeat);
  EXPECT_EQ(repeats, (decltype(repeats){{{0}, {0, 3}, {0, 3, 6}}, {{1}, {1}, {1, 4, 7}}, {{2}, {2}, {2, 5}}}));
}

TEST(Plan, APointWarmsUpOnceInAProcessRightBeforeItIsMeasuredThere) {
  select::PlanParams two = params(2, {2, 3, 7});
  two.sessions = 2;
  for (const select::PlanTask& session : plan_of(single_rows({9, 30, 12}), two).sessions) {
    std::vector<int> firsts(3);
    std::vector<bool> seen(3);
    for (std::size_t s = 0; s < session.executions.size(); ++s) {
      const select::BatchExecution& step = session.executions[s];
      EXPECT_EQ(step.warmup, s < 2 || step.first) << s;
      if (step.first) {
        ++firsts[step.point];
        ASSERT_LT(s + 1, session.executions.size());
        const select::BatchExecution& next = session.executions[s + 1];
        EXPECT_TRUE(next.point == step.point && !next.warmup) << s;
      }
      if (step.warmup) continue;
      EXPECT_TRUE(seen[step.point] || session.executions[s - 1].first) << s;
      seen[step.point] = true;
    }
    EXPECT_EQ(firsts, (std::vector<int>{1, 1, 1}));
  }
}

TEST(Plan, ARoundHasEveryPointOnceThatHasSoManyRepeats) {
  const select::Plan plan = plan_of(single_rows({9, 30, 12, 7}), params(1, {1, 2, 3, 3}));
  const std::vector<select::BatchExecution> steps = measured(plan.whole);
  ASSERT_EQ(steps.size(), 9U);
  const auto points = [&](std::size_t begin, std::size_t end) {
    std::set<std::size_t> found;
    for (std::size_t s = begin; s < end; ++s) found.insert(steps[s].point);
    return found;
  };
  EXPECT_EQ(points(0, 4), (std::set<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(points(4, 7), (std::set<std::size_t>{1, 2, 3}));
  EXPECT_EQ(points(7, 9), (std::set<std::size_t>{2, 3}));
}

/// Over many processes the mean place of each point is the middle, and every order is another: with 12 points, two of
/// 200 random orders are the same with a probability of 4e-5. The mean place of a point has a standard error of
/// sqrt(143 / 12 / 200) = 0.244; a bound of five of them is passed by chance in 1 of 150,000 trials of 12 points.
TEST(Plan, OrdersAreDrawnAnewForEachProcessSoThatNoPointFollowsADrift) {
  constexpr std::size_t kPoints = 12, kProcesses = 200;
  std::vector<std::uint32_t> lengths(kPoints);
  std::iota(lengths.begin(), lengths.end(), 1U);
  select::PlanParams many = params(0, std::vector<std::uint64_t>(kPoints, kProcesses));
  many.sessions = kProcesses;
  const select::Plan plan = plan_of(single_rows(lengths), many);
  std::set<std::vector<std::size_t>> orders;
  std::vector<double> places(kPoints);
  for (const select::PlanTask& session : plan.sessions) {
    std::vector<std::size_t> order;
    for (const select::BatchExecution& step : measured(session)) order.push_back(step.point);
    ASSERT_EQ(order.size(), kPoints);
    for (std::size_t s = 0; s < kPoints; ++s) places[order[s]] += static_cast<double>(s) / kProcesses;
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), kProcesses);
  for (const double place : places) EXPECT_NEAR(place, (kPoints - 1) / 2.0, 5 * 0.244);
  const select::Plan again = plan_of(single_rows(lengths), many);
  EXPECT_EQ(again.whole.executions, plan.whole.executions) << "the same input";
}

TEST(Plan, WarmupIsATenthOfWhatAProcessRunsAtLeastOne) {
  EXPECT_EQ(select::usual_warmup(0), 1U);
  EXPECT_EQ(select::usual_warmup(17), 1U);
  EXPECT_EQ(select::usual_warmup(18), 2U);
  EXPECT_EQ(select::usual_warmup(900), 100U);
  select::PlanParams usual = params(0, {8, 8});
  usual.warmup.reset();
  const select::Plan plan = plan_of(single_rows({9, 30}), usual);
  EXPECT_EQ(plan.whole.executions.size(), 16 + 2 + 2);
}

/// 20 lengths, 1 to 20, in batches of one; points of 5 and 15. In two parts of the other 18 iterations the middles are
/// the 5th and 14th of them, 6 and 16; in three the 4th, 10th and 16th, 4, 11 and 18.
TEST(Plan, WarmupIsOfVariedShapesThatAreNoPoints) {
  lengths::Lengths lengths;
  for (std::uint32_t n = 1; n <= 20; ++n) lengths.src.push_back(n * 7 % 20 + 1);
  const auto at = [&](std::uint32_t length) {
    return static_cast<std::uint64_t>(std::ranges::find(lengths.src, length) - lengths.src.begin());
  };
  const trace::Trace trace = trace::trace_of(lengths, policy_of(1));
  select::Selection selection =
      selection_of({point("sp1", {5, {}, 1}, {at(5)}), point("sp2", {15, {}, 1}, {at(15)})}, 20);
  selection.run = trace::summarise(trace);
  const auto points = batches_in(selection, lengths, policy_of(1));
  const auto found = [&](std::uint64_t count) {
    std::vector<std::uint64_t> of;
    for (const select::PlannedBatch& one :
         select::warmup_batches(selection.run, points, count, lengths, policy_of(1), {})) {
      EXPECT_EQ(lengths.src[one.rows.front()], one.signature.src_len);
      of.push_back(one.signature.src_len);
    }
    return of;
  };
  EXPECT_EQ(found(3), (std::vector<std::uint64_t>{4, 11, 18}));
  EXPECT_EQ(found(2), (std::vector<std::uint64_t>{6, 16}));
  EXPECT_EQ(found(100).size(), 18U) << "each once";
  select::attach_warmup(selection, trace);
  std::vector<std::uint64_t> attached;
  for (const select::PlannedBatch& one : select::warmup_batches(selection)) {
    attached.push_back(one.signature.src_len);
    EXPECT_EQ(one.iteration, at(one.signature.src_len));
  }
  EXPECT_EQ(attached, found(2)) << "as many as there are points";
}

/// A process that warms up with fewer than there are takes others than the process before.
TEST(Plan, WarmupIsOfOtherShapesInEveryOtherProcess) {
  select::PlanParams two = params(1, {2, 2, 2});
  two.sessions = 3;
  two.warmup_batches = {batch(8, {3}, {1}), batch(11, {4}, {1}), batch(29, {5}, {1})};
  const select::Plan plan = plan_of(single_rows({9, 30, 12}), two);
  std::vector<std::uint64_t> ran;
  for (const select::PlanTask& session : plan.sessions)
    ran.push_back(plan.batches[session.executions.front().batch].signature.src_len);
  EXPECT_EQ(ran, (std::vector<std::uint64_t>{11, 11, 29}));
}

/// With some of them: what others cost at first shows.
TEST(Plan, WithoutOtherBatchesAProcessWarmsUpWithItsPoints) {
  const select::Plan plan =
      plan_of({batch(9, {0}, {1}), batch(30, {1}, {1}), batch(12, {2}, {1})}, params(3, {1, 1, 1}, 1));
  ASSERT_EQ(plan.tasks.size(), 3U);
  std::set<std::size_t> warmed;
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_TRUE(plan.whole.executions[s].warmup && !plan.whole.executions[s].first);
    warmed.insert(plan.whole.executions[s].batch);
  }
  EXPECT_EQ(warmed, (std::set<std::size_t>{0, 2}));
  for (const select::PlanTask& task : plan.tasks)
    for (const select::BatchExecution& step : task.executions) EXPECT_EQ(step.batch, task.points.front());
}

TEST(Plan, WarmupFitsTheLoaderOfItsTask) {
  select::PlanParams warm = params(2, {1, 1});
  warm.warmup_batches = {batch(4, {7}, {1}), batch(5, {8, 9}, {2}), batch(6, {10}, {1})};
  const select::Plan plan = plan_of({batch(9, {0}, {1}), batch(30, {1, 2}, {2})}, warm);
  ASSERT_EQ(plan.tasks.size(), 2U);
  for (const select::PlanTask& task : plan.tasks) EXPECT_TRUE(select::batch_size_of(task, plan.batches));
  EXPECT_EQ(plan.tasks[1].executions[0].batch, 3U);
  EXPECT_EQ(plan.tasks[1].executions[1].batch, 3U) << "it is the only one of two rows";
}

TEST(Plan, TasksAreTheProcessesUnlessTheyAreToBeSmaller) {
  select::PlanParams two = params(1, {2, 2, 2});
  two.sessions = 2;
  const select::Plan plan = plan_of(single_rows({9, 30, 12}), two);
  ASSERT_EQ(plan.tasks.size(), 2U);
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(plan.tasks[t].session, t);
    EXPECT_EQ(plan.tasks[t].executions, plan.sessions[t].executions);
  }
  std::vector<select::BatchExecution> both = plan.sessions[0].executions;
  both.insert(both.end(), plan.sessions[1].executions.begin(), plan.sessions[1].executions.end());
  EXPECT_EQ(plan.whole.executions, both);
  two.points_per_task = 2;
  const select::Plan parts = plan_of(single_rows({9, 30, 12}), two);
  std::vector<std::pair<std::uint64_t, std::vector<std::size_t>>> of;
  for (const select::PlanTask& task : parts.tasks) of.emplace_back(task.session, task.points);
  EXPECT_EQ(of, (decltype(of){{0, {0, 1}}, {0, {2}}, {1, {0, 1}}, {1, {2}}}));
}

/// As large as any: it comes twice, once a plan.
TEST(Plan, PreflightIsTheFirstProcesss) {
  select::PlanParams two = params(0, {2});
  two.sessions = 2;
  two.preflight = {batch(40, {5}, {1}), batch(35, {6}, {1})};
  const select::Plan plan = plan_of(single_rows({9}), two);
  const auto lengths_of = [&](const select::PlanTask& task) {
    std::vector<std::uint64_t> of;
    for (const select::BatchExecution& step : task.executions) of.push_back(plan.batches[step.batch].iteration);
    return of;
  };
  EXPECT_EQ(lengths_of(plan.tasks[0]), (std::vector<std::uint64_t>{40, 40, 35, 9, 9}));
  EXPECT_EQ(lengths_of(plan.tasks[1]), (std::vector<std::uint64_t>{9, 9}));
  two.preflight = {batch(40, {5, 6}, {2})};
  const select::Plan other = plan_of(single_rows({9}), two);
  EXPECT_EQ(other.tasks[0].executions.size(), 2U) << "no loader of one size gives both";
  EXPECT_EQ(other.sessions[0].executions.size(), 4U);
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
  EXPECT_FALSE(select::batch_size_of(plan.whole, plan.batches));
  EXPECT_FALSE(select::batch_size_of(plan_of({batch(9, {0}, {1})}, params(1, {1})).whole,
                                     std::vector{batch(9, {0, 1, 2}, {1, 3})}));
}

TEST(Plan, SeveralRanksGetTheirRowsInTurn) {
  const select::Plan plan = plan_of({batch(9, {10, 11, 20, 21}, {2, 4})}, params(0, {1}));
  EXPECT_EQ(select::rows_in_order({.points = {0}, .executions = measured(plan.whole)}, plan.batches),
            (std::vector<std::uint32_t>{10, 20, 11, 21}));
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
      selection.points.push_back(point("sp" + std::to_string(i), trace.signatures[i], {i}));
    const select::Plan plan = select::make_plan(batches_in(selection, lengths, policy), params(seed % 3, {1, 2, 1}));

    lengths::Lengths small;
    for (const std::uint32_t row : select::rows_in_order(plan.whole, plan.batches))
      small.src.push_back(lengths.src[row]);
    std::size_t index = 0;
    batching::for_each_micro_batch(small, policy_of(size, ranks), [&](const batching::MicroBatch& step) {
      const select::PlannedBatch& planned = plan.batches.at(plan.whole.executions.at(index++).batch);
      ASSERT_EQ(step.rows.size(), planned.rows.size()) << "seed " << seed;
      for (std::size_t i = 0; i < step.rows.size(); ++i)
        ASSERT_EQ(small.src[step.rows[i]], lengths.src[planned.rows[i]]) << "seed " << seed;
    });
    EXPECT_EQ(index, plan.whole.executions.size()) << "seed " << seed;
  }
}

TEST(Plan, AShellWordIsOneWordWhateverIsInIt) {
  EXPECT_EQ(io::artifacts::shell_word(""), "''");
  EXPECT_EQ(io::artifacts::shell_word("a b$c`d\"e\\"), "'a b$c`d\"e\\'");
  EXPECT_EQ(io::artifacts::shell_word("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace seqpoint::testing
