// A log of every iteration as a profile, and what rows say of the device: by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/readings.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/projection.hpp"
#include "varied_run.hpp"

namespace seqpoint::testing {
namespace {

double seconds_at(std::size_t i) { return 0.1 + 0.01 * static_cast<double>(i % 17); }

/// Every iteration of the run, by its number, with its shape or without.
profile::ProfileTable log_of(const trace::Trace& run, bool with_shapes) {
  profile::ProfileTable table;
  table.source = "epoch.csv";
  table.key = with_shapes ? profile::ProfileTable::Key::shape : profile::ProfileTable::Key::iteration;
  if (with_shapes) table.dimensions = {trace::Dimension::src_len, trace::Dimension::batch_size};
  table.has_iteration = true;
  table.metrics = {"runtime_s"};
  for (std::size_t i = 0; i < run.size(); ++i) {
    profile::RowSubject subject;
    if (with_shapes) subject.key = trace::PartialShape::of(run.kind, run.shapes[i]);
    table.add(subject, {seconds_at(i)}).iteration = i;
  }
  return table;
}

class WholeRun : public ::testing::Test {
 protected:
  WholeRun() {
    select::SelectParams params;
    params.points = 6;
    selection_ = select::select(run_, params);
    for (std::size_t i = 0; i < run_.size(); ++i) total_ += seconds_at(i);
  }
  std::vector<std::vector<double>> totals(const std::vector<profile::ProfileTable>& tables) const {
    return profile::match(tables, selection_).run_totals;
  }

  trace::Trace run_ = varied_run(300);
  select::Selection selection_;
  double total_ = 0;
};

TEST_F(WholeRun, IsKnownByItsIterationsOrItsShapes) {
  for (const bool with_shapes : {true, false}) {
    const auto found = totals({log_of(run_, with_shapes), log_of(run_, with_shapes)});
    ASSERT_EQ(found.at(0).size(), 2U) << with_shapes;
    EXPECT_NEAR(found[0][0], total_, 1e-9);
  }
  profile::ProfileTable without_numbers = log_of(run_, true);
  for (profile::ProfileRow& row : without_numbers.rows) row.iteration.reset();
  without_numbers.has_iteration = false;
  EXPECT_EQ(totals({without_numbers}).at(0).size(), 1U);
}

TEST_F(WholeRun, IsNoneWhereAnythingIsMissing) {
  profile::ProfileTable shorter = log_of(run_, true), twice = shorter, other = shorter, warm = shorter, empty = shorter;
  shorter.rows.pop_back();
  twice.rows[0] = twice.rows[1];
  other.subjects[0].key.src_len = 7777;
  warm.rows[0].warmup = true;
  for (const profile::ProfileTable& table : {shorter, twice, other, warm}) EXPECT_TRUE(totals({table}).at(0).empty());
  EXPECT_TRUE(totals({empty, shorter}).at(0).empty()) << "one of the files";
}

/// Lengths alone, as some logs have them, and numbers from 1.
TEST_F(WholeRun, IsNoneWhereAnythingSaysOtherwise) {
  profile::ProfileTable lengths = log_of(run_, true);
  for (profile::RowSubject& subject : lengths.subjects) subject.key.batch_size.reset();
  profile::ProfileTable other = lengths, from_one = log_of(run_, false), nothing = from_one;
  *other.subjects[0].key.src_len += 1000;
  for (profile::ProfileRow& row : from_one.rows) row.iteration = *row.iteration + 1;
  for (profile::ProfileRow& row : nothing.rows) row.iteration.reset();
  EXPECT_EQ(profile::run_totals_of(std::span(&lengths, 1), selection_, lengths.metrics, 0, false).at(0).size(), 1U);
  for (const profile::ProfileTable& table : {other, from_one, nothing})
    EXPECT_TRUE(profile::run_totals_of(std::span(&table, 1), selection_, table.metrics, 0, false).at(0).empty());
}

/// Two files of one process, and one of another; a file of two processes.
TEST_F(WholeRun, IsOfProcessesNotOfFiles) {
  const auto in_process = [&](const std::string& name, double factor) {
    profile::ProfileTable table = log_of(run_, true);
    table.origins[0].process = profile::number_of_process(name).value();
    for (double& seconds : table.values[0]) seconds *= factor;
    return table;
  };
  const auto found = totals({in_process("p1-ab", 1), in_process("p2-cd", 4), in_process("p1-ab", 2)});
  ASSERT_EQ(found.at(0).size(), 2U);
  EXPECT_NEAR(found[0][0], 1.5 * total_, 1e-9);
  EXPECT_NEAR(found[0][1], 4 * total_, 1e-9);

  profile::ProfileTable several = in_process("p1-ab", 1);
  several.origins.emplace_back().process = 1;
  several.rows.back().origin = 1;
  EXPECT_TRUE(totals({several}).at(0).empty());
}

/// Rounds on a machine that slows down: epochs of both builds take 10 % longer from round to round, and those of the
/// second build 6 % more than those of the first, but for 20 % in one round.
TEST_F(WholeRun, TotalsOfRoundsDifferByTheirComparison) {
  project::ProjectParams params;
  std::vector<project::NamedMeasurements> all{{"old", {}}, {"new", {}}};
  std::vector<double> before{1, 1.1, 1.21, 1.33, 1.46}, after{1.06, 1.17, 1.45, 1.41, 1.55};
  for (const auto& [build, factors] : {std::pair(0, before), std::pair(1, after)}) {
    std::vector<profile::ProfileTable> tables;
    for (std::size_t round = 0; round < factors.size(); ++round) {
      profile::ProfileTable table = log_of(run_, true);
      table.source = all[build].name + std::to_string(round);
      table.origins[0].process = profile::number_of_process(table.source).value();
      for (double& seconds : table.values[0]) seconds *= factors[round];
      tables.push_back(std::move(table));
    }
    all[build].measurements = profile::match(tables, selection_);
    for (std::size_t round = 0; round < factors.size(); ++round)
      params.rounds[all[build].measurements.process_names[round]] = round + 1;
  }
  const project::Projection found = project::project(selection_, all, params);
  const project::MetricProjection &old_total = found.configurations[0].metrics[0],
                                  &new_total = found.configurations[1].metrics[0];
  const project::Speedup& speedup = found.configurations[1].speedups.at(0);
  EXPECT_NEAR(old_total.value / new_total.value / speedup.value, 1, 1e-9);
  EXPECT_NEAR(*new_total.per_epoch, new_total.value, 1e-9);
  params.rounds.clear();
  const project::Projection alone = project::project(selection_, all, params);
  const project::MetricProjection &old_alone = alone.configurations[0].metrics[0],
                                  &new_alone = alone.configurations[1].metrics[0];
  EXPECT_GT(std::abs(old_alone.value / new_alone.value / speedup.value - 1), 1e-4) << "rounds say something else";
  EXPECT_NEAR(old_total.value * new_total.value / (old_alone.value * new_alone.value), 1, 1e-9);
  EXPECT_LE(old_total.interval->low, old_alone.interval->low);
  EXPECT_GE(old_total.interval->high, old_alone.interval->high);
}

TEST_F(WholeRun, HasItsOwnTotalAndNoScatter) {
  const std::vector<profile::ProfileTable> tables{log_of(run_, true)};
  const std::vector<project::NamedMeasurements> all{{"old", profile::match(tables, selection_)}};
  const auto half_width = [&](const project::ProjectParams& params) {
    const project::Projection found = project::project(selection_, all, params);
    const project::MetricProjection& metric = found.configurations.at(0).metrics.at(0);
    EXPECT_NEAR(metric.value, total_, 1e-9);
    return metric.interval->high / metric.value - 1;
  };
  project::ProjectParams params;
  const double usual = half_width(params);
  params.between_processes = 0.01;
  EXPECT_NEAR(half_width(params), usual / 2, 1e-9) << "of processes alone";
  params.between_processes = 1e-9;
  EXPECT_LT(half_width(params), 1e-6);
}

TEST_F(WholeRun, BesideOnePointHasNoIntervalForTheReasonOfThePoint) {
  profile::ProfileTable one = log_of(run_, true);
  const std::uint64_t iteration = selection_.points.front().iterations.front();
  std::erase_if(one.rows, [&](const profile::ProfileRow& row) { return row.iteration != iteration; });
  const std::vector<project::NamedMeasurements> all{
      {"whole", profile::match(std::vector{log_of(run_, true)}, selection_)},
      {"one", profile::match(std::vector{one}, selection_)}};
  const project::Projection found = project::project(selection_, all, {});
  const project::IntervalOrReason& interval = found.configurations.at(1).speedups.at(0).interval;
  EXPECT_FALSE(interval);
  EXPECT_EQ(interval.why, project::NoInterval::one_point) << interval.reason;
}

TEST(DeviceBusy, TellsWhatIsUsualOfProcesses) {
  EXPECT_EQ(project::between_processes({}), select::kHostBound);
  EXPECT_EQ(project::between_processes(0.0), select::kHostBound) << "no device was seen";
  EXPECT_EQ(project::between_processes(0.79), select::kHostBoundOnDevice);
  EXPECT_EQ(project::between_processes(0.8), select::kDeviceBound);
  EXPECT_EQ(project::between_processes(0.9, 0.005), (select::BetweenProcesses{0.005, select::kDeviceBound.spread}));
}

TEST(DeviceBusy, OfStepsIsTheBusyShareUntilTheDeviceIsDone) {
  profile::StepProfile steps;
  steps.source = "trace.json";
  const auto add = [&](std::int64_t host, std::optional<std::int64_t> busy, std::optional<std::int64_t> span) {
    profile::ProfiledStep& step = steps.steps.emplace_back();
    step.host_ns = host;
    step.gpu_busy_ns = busy;
    step.gpu_span_ns = span;
  };
  add(100, 40, 90);    // the host takes longer
  add(100, 150, 200);  // the device goes on when the host has issued its work
  add(100, {}, {});    // nothing is known
  add(100, 0, {});     // no work of a device: there was none, or it was not recorded
  select::Selection selection;
  selection.points.push_back({"sp1", {10, {}, 4}, {4 * select::Weight::kUnit}, {0}, {}});
  const profile::StepTables tables = profile::tables_of(std::span(&steps, 1), selection, {}, profile::TimeKind::host);
  const std::vector<double>& busy = tables.tables.at(0).device_busy;
  EXPECT_EQ(busy.at(0), 0.4);
  EXPECT_EQ(busy.at(1), 0.75);
  for (const std::size_t unknown : {2U, 3U}) EXPECT_TRUE(std::isnan(busy.at(unknown)));
}

}  // namespace
}  // namespace seqpoint::testing
