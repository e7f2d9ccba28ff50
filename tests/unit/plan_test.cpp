// What a selection keeps of its run, and what a plan makes of that: which batches a process runs, how often, in which
// order.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "core/select/select.hpp"
#include "io/artifacts/files.hpp"
#include "io/text/command_words.hpp"
#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

using Rows = std::vector<std::uint32_t>;

/// A point of one length that was seen at these iterations.
select::Point point(const std::string& id, trace::Shape at, std::vector<std::uint64_t> iterations,
                    std::uint64_t repeats = 1) {
  return {.id = id,
          .shape = at,
          .weight = {select::Weight::kUnit},
          .iterations = std::move(iterations),
          .samples = {},
          .repeats = repeats};
}

select::Selection selection_of(std::vector<select::Point> points) {
  select::Selection selection;
  selection.points = std::move(points);
  return selection;
}

/// Points of these lengths, each at one iteration with its own number, to be measured so often.
select::Selection points_of(const std::vector<std::uint32_t>& lengths, const std::vector<std::uint64_t>& repeats) {
  select::Selection selection;
  for (std::size_t p = 0; p < lengths.size(); ++p)
    selection.points.push_back(point("sp" + std::to_string(p + 1), {lengths[p], 0, 1}, {lengths[p]}, repeats[p]));
  return selection;
}

select::RunBatch batch(std::uint32_t length) {
  return {.iteration = length, .shape = {length, 0, 1}, .rows = {length}, .ranks = {}};
}

select::PlanParams params(std::uint64_t warmup, std::uint64_t processes = 1) {
  return {.warmup = warmup, .repeats = {}, .processes = processes};
}

/// The steps of all processes that are measured, in order.
select::ProcessPlan measured(const select::Plan& plan) {
  select::ProcessPlan steps;
  for (const select::ProcessPlan& process : plan.processes)
    for (const select::BatchExecution& step : process)
      if (!step.warmup) steps.push_back(step);
  return steps;
}

std::vector<std::uint64_t> iterations_of(const select::Plan& plan, std::size_t process = 0) {
  std::vector<std::uint64_t> iterations;
  for (const select::BatchExecution& step : plan.processes[process])
    iterations.push_back(plan.batches[step.batch].iteration);
  return iterations;
}

// Batches of 2: 7, 9, 4 and the last alone, 8.
const lengths::Lengths kPlannedLengths{.src = {5, 7, 9, 2, 4, 4, 8}};

batching::BatchPolicy policy_of(std::uint64_t batch_size, std::uint64_t ranks = 1) {
  batching::BatchPolicy policy;
  policy.batch_size = batch_size;
  policy.world_size = ranks;
  return policy;
}

/// A selection of the run of that data set, with the batches of its own.
select::Selection attached(std::vector<select::Point> points, const lengths::Lengths& lengths,
                           const batching::BatchPolicy& policy) {
  select::Selection selection = selection_of(std::move(points));
  selection.run = trace::summarise(trace::trace_of(lengths, policy));
  select::attach_batches(selection, lengths, policy, {});
  return selection;
}

TEST(RunBatches, PointsHaveTheRowsOfTheirIterations) {
  const select::Selection selection =
      attached({point("sp1", {9, 0, 2}, {1}), point("sp2", {8, 0, 1}, {3})}, kPlannedLengths, policy_of(2));
  EXPECT_EQ(selection.points[0].samples, (std::vector<Rows>{{2, 3}}));
  EXPECT_EQ(selection.points[1].samples, (std::vector<Rows>{{6}}));
  EXPECT_TRUE(selection.points[0].ranks.empty()) << "of one rank";
}

TEST(RunBatches, RanksSayWhereTheyEndAndWhichIsTheHeaviest) {
  const select::Selection selection = attached({point("sp1", {9, 0, 1}, {1})}, kPlannedLengths, policy_of(1, 2));
  EXPECT_EQ(selection.points[0].samples, (std::vector<Rows>{{2, 3}}));
  ASSERT_EQ(selection.points[0].ranks.size(), 1U);
  EXPECT_EQ(selection.points[0].ranks[0].ends, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(selection.points[0].ranks[0].heaviest, 0U);
}

/// 40 lengths, 1 to 40, in batches of one; a point of 20. Of the 39 others, in 16 parts of 2.4375 iterations each, the
/// middles are 1.22, 3.66, 6.09, ... : the 2nd, 4th, 7th, 9th, 11th, 14th, 16th, 19th, then the 21st, 24th, 26th, 29th,
/// 31st, 33rd, 36th and 38th of them.
TEST(RunBatches, WarmupIsOfOtherShapesSpreadOverTheRun) {
  lengths::Lengths lengths;
  for (std::uint32_t length = 1; length <= 40; ++length) lengths.src.push_back(length);
  const select::Selection selection = attached({point("sp1", {20, 0, 1}, {19})}, lengths, policy_of(1));
  std::vector<std::uint32_t> warmed;
  for (const select::RunBatch& one : selection.warmup) {
    warmed.push_back(one.shape.src_len);
    EXPECT_EQ(one.rows, Rows{one.shape.src_len - 1});
    EXPECT_EQ(one.iteration, one.shape.src_len - 1);
  }
  EXPECT_EQ(warmed, (std::vector<std::uint32_t>{2, 4, 7, 9, 11, 14, 16, 19, 22, 25, 27, 30, 32, 34, 37, 39}));
}

TEST(RunBatches, WarmupHasTheBatchSizesOfPoints) {
  const select::Selection selection = attached({point("sp1", {9, 0, 2}, {1})}, kPlannedLengths, policy_of(2));
  for (const select::RunBatch& one : selection.warmup) EXPECT_EQ(one.shape.batch_size, 2U);
  EXPECT_EQ(selection.warmup.size(), 2U);
}

TEST(RunBatches, OfATraceWithoutRowsAreIterationsAlone) {
  const trace::Trace run = trace::trace_of(kPlannedLengths, policy_of(2));
  select::Selection selection = selection_of({point("sp1", {9, 0, 2}, {1})});
  selection.run = trace::summarise(run);
  select::attach_batches(selection, run, nullptr);
  EXPECT_TRUE(selection.points[0].samples.empty());
  ASSERT_EQ(selection.largest.size(), 1U);
  EXPECT_EQ(selection.largest[0].iteration, 1U);
  EXPECT_TRUE(selection.largest[0].rows.empty());
}

TEST(Plan, RepeatsTakeOtherIterationsInTurn) {
  const select::Selection selection = selection_of({point("sp1", {5, 0, 2}, {2, 0, 3}, 5)});
  EXPECT_EQ(iterations_of(select::make_plan(selection, params(0))), (std::vector<std::uint64_t>{0, 2, 0, 3, 2, 0}))
      << "its own warm-up first, at another iteration";
}

/// A group of lengths lists iterations of its own shape first, and as many as the run has.
TEST(Plan, OfAGroupOfLengthsAreIterationsOfThePointsShapeAlone) {
  select::Selection selection = selection_of({point("sp1", {5, 0, 2}, {2, 0, 3}, 5)});
  selection.points[0].length_group = 5;
  selection.run.histogram = {{{5, 0, 2}, 2}, {{5, 0, 1}, 7}};
  EXPECT_EQ(iterations_of(select::make_plan(selection, params(0))), (std::vector<std::uint64_t>{0, 2, 0, 2, 0, 2}));
}

TEST(Plan, EveryProcessMeasuresEveryPointAndFurtherRepeatsAreDealtOutInTurn) {
  const select::Plan plan = select::make_plan(points_of({9, 30, 12}, {3, 4, 8}), params(0, 3));
  ASSERT_EQ(plan.processes.size(), 3U);
  std::vector<std::vector<std::vector<std::uint64_t>>> repeats(3, std::vector<std::vector<std::uint64_t>>(3));
  for (std::size_t process = 0; process < 3; ++process)
    for (const select::BatchExecution& step : plan.processes[process])
      if (!step.warmup) repeats[process][step.point].push_back(step.repeat);
  EXPECT_EQ(repeats, (decltype(repeats){{{0}, {0, 3}, {0, 3, 6}}, {{1}, {1}, {1, 4, 7}}, {{2}, {2}, {2, 5}}}));
}

TEST(Plan, NoPointIsMeasuredLessOftenThanThereAreProcesses) {
  EXPECT_EQ(measured(select::make_plan(points_of({9, 30}, {1, 1}), params(0, 4))).size(), 8U);
}

/// As letters: w is warm-up of the process, f the first execution of a point, m a measurement.
std::string kinds_of(const select::ProcessPlan& process) {
  std::string kinds;
  for (const select::BatchExecution& step : process) kinds += step.first ? 'f' : step.warmup ? 'w' : 'm';
  return kinds;
}

TEST(Plan, MeasuredBatchesFollowFirstExecutionsOfAllPointsAndWarmup) {
  const select::Selection selection = points_of({9, 30, 12}, {2, 3, 7});
  const select::Plan plan = select::make_plan(selection, params(3, 2));
  EXPECT_EQ(kinds_of(plan.processes[0]), "wfffwwmmmmmmm");
  EXPECT_EQ(kinds_of(plan.processes[1]), "wfffwwmmmmm");
  EXPECT_EQ(kinds_of(select::make_plan(selection, params(0, 2)).processes[1]), "fffmmmmm");
  for (const select::ProcessPlan& process : plan.processes)
    for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(process[1 + n].point, process[6 + n].point) << "in the same order";
}

TEST(Plan, ARoundHasEveryPointOnceThatHasSoManyRepeats) {
  const select::ProcessPlan steps = measured(select::make_plan(points_of({9, 30, 12, 7}, {1, 2, 3, 3}), params(1)));
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
  const select::Selection selection = points_of(lengths, std::vector<std::uint64_t>(kPoints, kProcesses));
  const select::Plan plan = select::make_plan(selection, params(0, kProcesses));
  std::set<std::vector<std::size_t>> orders;
  std::vector<double> places(kPoints);
  for (const select::ProcessPlan& process : plan.processes) {
    std::vector<std::size_t> order;
    for (const select::BatchExecution& step : process)
      if (!step.warmup) order.push_back(step.point);
    ASSERT_EQ(order.size(), kPoints);
    for (std::size_t s = 0; s < kPoints; ++s) places[order[s]] += static_cast<double>(s) / kProcesses;
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), kProcesses);
  for (const double place : places) EXPECT_NEAR(place, (kPoints - 1) / 2.0, 5 * 0.244);
  EXPECT_EQ(select::make_plan(selection, params(0, kProcesses)).processes, plan.processes) << "the same input";
}

TEST(Plan, WarmupIsATenthOfWhatAProcessRunsAtLeastOne) {
  EXPECT_EQ(select::usual_warmup(0), 1U);
  EXPECT_EQ(select::usual_warmup(17), 1U);
  EXPECT_EQ(select::usual_warmup(18), 2U);
  EXPECT_EQ(select::usual_warmup(900), 100U);
  EXPECT_EQ(select::make_plan(points_of({9, 30}, {8, 8}), {}).executions(), 16U + 2U + 2U);
}

/// Two of four batches are those in the middle of two halves; the third process begins at the next.
TEST(Plan, WarmupIsSpreadOverTheSelectionsBatches) {
  select::Selection selection = points_of({9}, {3});
  selection.warmup = {batch(1), batch(2), batch(3), batch(4)};
  const select::Plan plan = select::make_plan(selection, params(2, 3));
  const auto warmed = [&](std::size_t process) {
    const std::vector<std::uint64_t> all = iterations_of(plan, process);
    return std::set<std::uint64_t>{all[0], all[2]};  // around the point's first execution
  };
  EXPECT_EQ(warmed(0), (std::set<std::uint64_t>{2, 4}));
  EXPECT_EQ(warmed(2), (std::set<std::uint64_t>{1, 3}));
}

TEST(Plan, WithoutOtherBatchesAProcessWarmsUpWithItsPoints) {
  const select::Plan plan = select::make_plan(points_of({9, 30, 12}, {1, 1, 1}), params(3));
  const std::vector<std::uint64_t> all = iterations_of(plan);
  EXPECT_EQ(kinds_of(plan.processes[0]), "wfffwwmmm");
  EXPECT_EQ((std::set<std::uint64_t>{all[0], all[4], all[5]}), (std::set<std::uint64_t>{9, 12, 30}));
}

TEST(Plan, PreflightIsTheFirstProcesssAndItsFirstBatchRunsTwice) {
  select::Selection selection = points_of({9}, {2});
  selection.largest = {batch(40), batch(35)};
  select::PlanParams two = params(0, 2);
  EXPECT_EQ(iterations_of(select::make_plan(selection, two)), (std::vector<std::uint64_t>{9, 9})) << "not asked for";
  two.preflight = true;
  const select::Plan plan = select::make_plan(selection, two);
  EXPECT_EQ(iterations_of(plan, 0), (std::vector<std::uint64_t>{40, 40, 35, 9, 9}));
  EXPECT_EQ(iterations_of(plan, 1), (std::vector<std::uint64_t>{9, 9}));
}

TEST(Plan, AShellWordIsOneWordWhateverIsInIt) {
  EXPECT_EQ(io::text::shell_word(""), "''");
  EXPECT_EQ(io::text::shell_word("a b$c`d\"e\\"), "'a b$c`d\"e\\'");
  EXPECT_EQ(io::text::shell_word("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace seqpoint::testing
