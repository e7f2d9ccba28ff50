// Tables of several ranks: which of the rows stay, and where.
#include <gtest/gtest.h>

#include <cmath>

#include "core/profile/measure.hpp"
#include "unit/merging.hpp"

namespace seqpoint {
namespace {

struct RankRow {
  const char* point = nullptr;
  double time = 0;
  std::size_t process = 0;
};

profile::ProfileTable table_of_rank(const char* source, std::uint64_t rank, const std::vector<RankRow>& rows) {
  profile::ProfileTable out;
  out.source = source;
  out.metrics = {"runtime_s"};
  for (const RankRow& row : rows) {
    profile::ProfileRow& added = out.add({.point = row.point}, {row.time});
    added.line = static_cast<std::uint32_t>(out.rows.size() + 1);
    added.origin = static_cast<std::uint32_t>(out.origins.size());
    profile::Origin& origin = out.origins.emplace_back();
    origin.rank = rank;
    origin.process = row.process;
  }
  return out;
}

std::vector<double> times(const profile::ProfileTable& table) {
  std::vector<double> out;
  for (const profile::ProfileRow& row : table.rows) out.push_back(table.value(row, 0));
  return out;
}

TEST(MergeRanks, ProcessesInFilesOfTheirOwnStayApart) {
  std::vector<profile::ProfileTable> tables{
      table_of_rank("monday.rank0", 0, {{"a", 1}, {"b", 5}}), table_of_rank("monday.rank1", 1, {{"a", 2}, {"b", 4}}),
      table_of_rank("friday.rank0", 0, {{"a", 3}, {"b", 6}}), table_of_rank("friday.rank1", 1, {{"a", 2.5}, {"b", 7}})};
  const std::vector<std::string> notes = testing::merge(tables);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[1].find("give each rank's in the same order"), std::string::npos) << "nothing else tells";
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].source, "monday.rank0");
  EXPECT_EQ(times(tables[0]), (std::vector<double>{2, 5}));
  EXPECT_EQ(tables[1].source, "friday.rank0");
  EXPECT_EQ(times(tables[1]), (std::vector<double>{3, 7}));
}

TEST(MergeRanks, ARankMayHaveMeasuredMore) {
  std::vector<profile::ProfileTable> tables{table_of_rank("rank0", 0, {{"a", 1}, {"b", 3}}),
                                            table_of_rank("rank1", 1, {{"a", 2}, {"b", 4}})};
  tables[0].metrics = {"loss", "runtime_s"};
  tables[0].roles = {profile::MetricRole::no_cost, profile::MetricRole::cost};
  tables[0].values.insert(tables[0].values.begin(), {7.5, 7.5});
  EXPECT_EQ(testing::merge(tables).size(), 1u);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].metrics, (std::vector<std::string>{"loss", "runtime_s"}));
  EXPECT_EQ(tables[0].role(0), profile::MetricRole::no_cost);
  EXPECT_EQ(tables[0].values[0], (std::vector<double>{7.5, 7.5}));
  EXPECT_EQ(tables[0].values[1], (std::vector<double>{2, 4}));
}

TEST(MergeRanks, RowsWithoutARankAmongThemAreSaid) {
  std::vector<profile::ProfileTable> tables{table_of_rank("rank0", 0, {{"a", 1}}),
                                            table_of_rank("rank1", 1, {{"a", 2}}),
                                            table_of_rank("other", 0, {{"a", 3}})};
  tables[2].origins.at(tables[2].rows[0].origin).rank.reset();
  EXPECT_EQ(testing::merge(tables).size(), 1u);
  EXPECT_EQ(tables.size(), 3u);
}

TEST(MergeRanks, ProcessesOfOneFileStayApart) {
  std::vector<profile::ProfileTable> tables{table_of_rank("rank0", 0, {{"a", 1, 0}, {"a", 4, 1}}),
                                            table_of_rank("rank1", 1, {{"a", 2, 0}, {"a", 3, 1}})};
  testing::merge(tables);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(times(tables[0]), (std::vector<double>{2, 4}));
  EXPECT_EQ(tables[0].origin(tables[0].rows[1]).process, 1u);
}

TEST(MergeRanks, ARowThatOneRankHasAloneStaysInItsFile) {
  std::vector<profile::ProfileTable> tables{table_of_rank("rank0", 0, {{"a", 1}}),
                                            table_of_rank("rank1", 1, {{"a", 2}, {"b", 9}})};
  EXPECT_EQ(testing::merge(tables).size(), 2u) << "a note reports the measurement that one rank lacks";
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(times(tables[0]), std::vector<double>{2});
  EXPECT_EQ(tables[1].source, "rank1");
  EXPECT_EQ(times(tables[1]), std::vector<double>{9});
  EXPECT_EQ(tables[1].rows[0].line, 3u);
}

TEST(MergeRanks, AMeasurementThatARankLeftEmptyIsNotOfEveryRank) {
  std::vector<profile::ProfileTable> tables{table_of_rank("rank0", 0, {{"a", 1}, {"b", 2}}),
                                            table_of_rank("rank1", 1, {{"a", 2}, {"b", std::nan("")}})};
  EXPECT_EQ(testing::merge(tables).at(1), "1 of 2 measurements is not of every rank; give the files of all ranks");
}

TEST(MergeRanks, OneRankIsLeftAsItIs) {
  std::vector<profile::ProfileTable> tables{table_of_rank("first", 0, {{"a", 1}}),
                                            table_of_rank("second", 0, {{"a", 2}})};
  EXPECT_EQ(
      testing::merge(tables),
      std::vector<std::string>{"all rows are of rank 0: a step of several ranks takes as long as the slowest; give "
                               "the files of all of them"});
  EXPECT_EQ(tables.size(), 2u) << "the same rank twice is a repeat";
}

profile::StepProfile steps_of_rank(std::uint64_t rank, const std::vector<std::pair<const char*, std::int64_t>>& steps) {
  profile::StepProfile out;
  out.rank = rank;
  for (const auto& [key, ns] : steps) {
    out.steps.emplace_back().key = key;
    out.steps.back().host_ns = ns;
  }
  return out;
}

using NamesAndTimes = std::vector<std::pair<std::string, std::int64_t>>;

NamesAndTimes merged_steps(std::vector<profile::StepProfile> profiles) {
  testing::merge(profiles);
  NamesAndTimes found;
  for (const profile::ProfiledStep& step : profiles.at(0).steps) found.emplace_back(step.key, *step.host_ns);
  return found;
}

TEST(MergeRanks, StepsThatSayTheirRankAreOfTheIterationThatTheySay) {
  const NamesAndTimes both = merged_steps({steps_of_rank(0, {{"rank0 iter:4", 10}, {"rank0 iter:5", 30}}),
                                           steps_of_rank(1, {{"rank1 iter:5", 20}, {"rank1 iter:6", 7}})});
  EXPECT_EQ(both, (NamesAndTimes{{"rank0 iter:4", 10}, {"rank0 iter:5", 30}, {"rank1 iter:6", 7}}));
}

TEST(MergeRanks, RanksOfOtherLengthsAreMatchedInTheirOrderAndTheSlowestSaysTheLength) {
  const NamesAndTimes both = merged_steps({steps_of_rank(0, {{"seqlen=16", 10}, {"seqlen=32", 30}}),
                                           steps_of_rank(1, {{"seqlen=24", 20}, {"seqlen=16", 9}})});
  EXPECT_EQ(both, (NamesAndTimes{{"seqlen=24", 20}, {"seqlen=32", 30}}));
  const NamesAndTimes same = merged_steps({steps_of_rank(0, {{"seqlen=16", 10}, {"seqlen=32", 30}}),
                                           steps_of_rank(1, {{"seqlen=32", 20}, {"seqlen=16", 19}})});
  EXPECT_EQ(same, (NamesAndTimes{{"seqlen=16", 19}, {"seqlen=32", 30}})) << "names that all have are matched by them";
}

TEST(MergeRanks, StepsOfOneNameAreRepeatsAndStayApart) {
  std::vector<profile::StepProfile> profiles{steps_of_rank(0, {{"sp1", 10}, {"sp2", 30}, {"sp1", 14}}),
                                             steps_of_rank(1, {{"sp1", 12}, {"sp2", 20}, {"sp1", 13}, {"sp2", 25}})};
  EXPECT_EQ(merged_steps(profiles), (NamesAndTimes{{"sp1", 12}, {"sp2", 30}, {"sp1", 14}, {"sp2", 25}}));
}

}  // namespace
}  // namespace seqpoint
