// Differences of operations between builds, from processes: by hand. Of 2 degrees t is sqrt(2) c / sqrt(1 - c^2), with
// the confidence c: 7.648804 for 1 - 5 % / 3.
#include "core/project/operation_differences.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace seqpoint {
namespace {

project::ConfigurationBreakdown rows_of(const std::vector<std::pair<std::string, double>>& seconds) {
  project::ConfigurationBreakdown found;
  for (const auto& [name, of_row] : seconds) found.rows.push_back({.name = name, .seconds = of_row, .change = {}});
  return found;
}

TEST(OperationDifferences, AreOfMeansOverProcesses) {
  project::Breakdown breakdown;
  breakdown.configurations = {rows_of({{"mm", 2}, {"gone", 1}}), rows_of({{"mm", 3}, {"added", 0.5}})};
  breakdown.configurations[0].name = "old";
  breakdown.configurations[1].name = "new";
  const std::vector<project::BreakdownsByProcess> by_process{
      {"old", {rows_of({{"mm", 1.9}, {"gone", 1}}), rows_of({{"mm", 2.1}, {"gone", 1}})}},
      {"new", {rows_of({{"mm", 3.1}, {"added", 1}}), rows_of({{"mm", 2.9}})}}};
  set_differences(breakdown, by_process, "old", 0.95);
  for (const project::BreakdownRow& row : breakdown.configurations[0].rows) EXPECT_FALSE(row.difference);
  const auto& rows = breakdown.configurations[1].rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_NEAR(rows[0].difference.value_or(0), 1, 1e-12);
  EXPECT_NEAR(rows[0].half_width.value_or(0), 7.648804 * std::sqrt(0.02), 1e-6);
  EXPECT_NEAR(rows[1].difference.value_or(0), 0.5, 1e-12) << "one process did not run it";
  EXPECT_EQ(rows[2].name, "gone");
  EXPECT_EQ(rows[2].seconds, 0);
  EXPECT_NEAR(rows[2].difference.value_or(0), -1, 1e-12);
}

TEST(OperationDifferences, ASmallOperationHasNoInterval) {
  project::Breakdown breakdown;
  breakdown.configurations = {rows_of({{"mm", 2}, {"add", 0.01}}), rows_of({{"mm", 3}, {"add", 0.015}})};
  breakdown.configurations[0].name = "old";
  breakdown.configurations[1].name = "new";
  const project::ConfigurationBreakdown old_one = rows_of({{"mm", 2}, {"add", 0.01}}),
                                        new_one = rows_of({{"mm", 3}, {"add", 0.015}});
  set_differences(breakdown,
                  std::vector<project::BreakdownsByProcess>{{"old", {old_one, old_one}}, {"new", {new_one, new_one}}},
                  "old", 0.95);
  EXPECT_TRUE(breakdown.configurations[1].rows[0].half_width);
  EXPECT_FALSE(breakdown.configurations[1].rows[1].half_width);
}

TEST(OperationDifferences, OneProcessHasNoInterval) {
  project::Breakdown breakdown;
  breakdown.configurations = {rows_of({{"mm", 2}}), rows_of({{"mm", 3}})};
  breakdown.configurations[0].name = "old";
  breakdown.configurations[1].name = "new";
  set_differences(
      breakdown,
      std::vector<project::BreakdownsByProcess>{{"old", {rows_of({{"mm", 2}})}}, {"new", {rows_of({{"mm", 3}})}}},
      "old", 0.95);
  EXPECT_TRUE(breakdown.configurations[1].rows[0].difference);
  EXPECT_FALSE(breakdown.configurations[1].rows[0].half_width);
}

}  // namespace
}  // namespace seqpoint
