// Differences of operations between builds, by rounds of processes, worked out by hand.
#include "core/project/projection.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace seqpoint {
namespace {

project::ConfigurationBreakdown rows_of(const std::vector<std::pair<std::string, double>>& seconds) {
  project::ConfigurationBreakdown found;
  for (const auto& [name, of_row] : seconds)
    found.rows.push_back({.name = name, .seconds = of_row, .change = of_row / 2});
  return found;
}

/// The rows of the second build after the comparison of `rounds` processes of both: mm 2 and 3 s, add 10 and 15 ms, an
/// operation that only the first has, and one that only the second has. `lacking`: processes of the second build that
/// were not profiled, the first ones.
std::vector<project::BreakdownRow> compared(std::size_t rounds, bool agree, std::size_t lacking = 0,
                                            const select::BetweenProcesses& of_new = select::kDeviceBound) {
  project::Breakdown breakdown;
  breakdown.configurations = {rows_of({{"mm", 2}, {"gone", 1}, {"add", 0.01}}),
                              rows_of({{"mm", 3}, {"added", 0.5}, {"add", 0.015}})};
  breakdown.configurations[0].name = "old";
  breakdown.configurations[1].name = "new";
  std::vector<project::BreakdownsByProcess> by_process{{.name = "old", .between = select::kDeviceBound},
                                                       {.name = "new", .between = of_new, .agree = agree}};
  for (std::size_t i = 0; i < rounds; ++i) {
    by_process[0].processes.push_back(breakdown.configurations[0]);
    by_process[1].processes.push_back(i < lacking ? project::ConfigurationBreakdown{} : breakdown.configurations[1]);
  }
  set_differences(breakdown, by_process, "old", 0.95);
  for (const project::BreakdownRow& row : breakdown.configurations[0].rows) EXPECT_FALSE(row.difference);
  return breakdown.configurations[1].rows;
}

TEST(OperationDifferences, AreOfMeansOverRounds) {
  const auto rows = compared(4, true);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_NEAR(rows[0].difference.value_or(0), 1, 1e-12);
  EXPECT_TRUE(rows[0].is_cause);
  EXPECT_TRUE(rows[0].change);
  EXPECT_NEAR(rows[1].difference.value_or(0), 0.5, 1e-12) << "the first build did not run it";
  EXPECT_EQ(rows[3].name, "gone");
  EXPECT_EQ(rows[3].seconds, 0);
  EXPECT_NEAR(rows[3].difference.value_or(0), -1, 1e-12);
}

TEST(OperationDifferences, ASmallOperationIsNotCompared) {
  const auto rows = compared(4, true);
  EXPECT_EQ(rows[2].name, "add");
  EXPECT_FALSE(rows[2].half_width);
  EXPECT_FALSE(rows[2].change) << "it is below 1 % of the time";
}

TEST(OperationDifferences, TwoRoundsShowNoChange) {
  for (const project::BreakdownRow& row : compared(2, true)) {
    EXPECT_FALSE(row.half_width);
    EXPECT_FALSE(row.is_cause);
    EXPECT_FALSE(row.change);
  }
}

TEST(OperationDifferences, AProcessWithoutTracesLeavesOutItsRound) {
  const auto rows = compared(4, true, 1), whole = compared(3, true);
  ASSERT_EQ(rows.size(), whole.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].difference, whole[i].difference) << rows[i].name;
    EXPECT_EQ(rows[i].half_width, whole[i].half_width) << rows[i].name;
  }
  for (const project::BreakdownRow& row : compared(3, true, 3)) EXPECT_FALSE(row.difference);
}

TEST(OperationDifferences, TheBuildWhoseProcessesDifferMoreDecides) {
  EXPECT_GT(compared(3, true, 0, select::kHostBound)[0].half_width, compared(3, true)[0].half_width);
}

TEST(OperationDifferences, NothingIsACauseIfProcessesDisagree) {
  for (const project::BreakdownRow& row : compared(4, false)) EXPECT_FALSE(row.is_cause);
}

}  // namespace
}  // namespace seqpoint
