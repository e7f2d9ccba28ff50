// Intervals where there are any, in every form in which findings are written: by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/views/ci.hpp"
#include "io/views/tables.hpp"
#include "io/views/where.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;
using Row = std::vector<std::string>;

/// 100 s within 98 and 103; a baseline of 200 s, so a speedup of 2 within 1.9 and 2.1.
project::Projection timed_configurations() {
  project::Projection p;
  p.baseline = "old";
  p.confidence = 0.9;
  for (const auto& [name, seconds] : {std::pair("old", 200.0), std::pair("new", 100.0)}) {
    project::ConfigurationProjection c;
    c.name = name;
    project::MetricProjection time;
    time.name = "runtime_s";
    time.value = seconds;
    time.per_epoch = seconds;
    c.metrics = {time};
    c.throughput = project::Throughput{"runtime_s", 1000 / seconds, {}, 2000 / seconds};
    c.speedups = {{"runtime_s", 200 / seconds, std::string("no repeats")}};
    p.configurations.push_back(c);
  }
  return p;
}

project::Projection with_intervals() {
  project::Projection p = timed_configurations();
  p.configurations[1].metrics[0].interval = project::Interval{98, 103};
  p.configurations[0].speedups[0].interval = project::Interval{1, 1};
  p.configurations[1].speedups[0].interval = project::Interval{1.9, 2.1};
  return p;
}

TEST(Durations, AUnitThatIsFullIsTheNextOne) {
  const std::vector<std::pair<double, std::string>> durations{
      {3599.4, "59 min 59 s"}, {3599.7, "1 h 0 min"}, {86369, "23 h 59 min"}, {86399, "1 d 0 h"}};
  for (const auto& [seconds, text] : durations) EXPECT_EQ(io::views::duration_text(seconds), text);
}

TEST(IntervalViews, TheTableHasNoColumnForWhatIsNotThere) {
  EXPECT_EQ(io::views::projection_table(timed_configurations()).rows[0], (Row{"build", "epoch", "speedup"}));
}

TEST(IntervalViews, TheTableHasBothEndsOfIntervals) {
  const io::views::TextTable table = io::views::projection_table(with_intervals());
  EXPECT_EQ(table.rows[0], (Row{"build", "epoch", "90 % interval", "speedup", "90 % interval"}));
  EXPECT_EQ(table.rows[1], (Row{"old", "200.0 s", "", "1.00x", ""}));
  EXPECT_EQ(table.rows[2], (Row{"new", "100.0 s", "98.0 to 103.0 s", "2.00x", "1.90x to 2.10x"}));
}

TEST(IntervalViews, TheBaselinesOwnIntervalIsNoReasonForAColumn) {
  project::Projection p = timed_configurations();
  p.configurations[0].speedups[0].interval = project::Interval{1, 1};
  EXPECT_EQ(io::views::projection_table(p).rows[0].size(), 3U);
}

TEST(IntervalViews, RowsForProgramsHaveTheEnds) {
  const io::views::DataTable table = io::views::projection_rows(with_intervals());
  const auto cells = [&](std::size_t row, std::initializer_list<const char*> columns) {
    io::views::DataTable part{.columns = {columns.begin(), columns.end()}, .rows = {{}}};
    for (const std::string& name : part.columns) {
      const auto at = std::ranges::find(table.columns, name) - table.columns.begin();
      part.rows.front().push_back(table.rows.at(row).at(static_cast<std::size_t>(at)));
    }
    return io::views::as_csv(part);
  };
  EXPECT_EQ(cells(0, {"configuration", "metric", "kind"}), "configuration,metric,kind\nold,runtime_s,total\n");
  EXPECT_EQ(cells(0, {"value", "low", "high"}), "value,low,high\n200,,\n");
  EXPECT_EQ(cells(1, {"value", "low", "high"}), "value,low,high\n100,98,103\n");
  EXPECT_EQ(cells(0, {"speedup", "speedup_low", "speedup_high"}), "speedup,speedup_low,speedup_high\n1,1,1\n");
  EXPECT_EQ(cells(1, {"speedup", "speedup_low", "speedup_high"}), "speedup,speedup_low,speedup_high\n2,1.9,2.1\n");
}

TEST(IntervalViews, CellsForProgramsAreFiguresInFullOrNames) {
  const io::views::DataTable table{{"a", "=b"},
                                   {{std::uint64_t{1} << 62U, 1.0 / 3}, {NAN, std::optional<double>()}, {"", "=1+1"}}};
  EXPECT_EQ(io::views::as_csv(table), "a,'=b\n4611686018427387904,0.333333333333\n,\n,'=1+1\n");
}

TEST(IntervalViews, JunitHasTheEndsAsProperties) {
  const std::string xml = io::views::projection_junit("seqpoint.project", with_intervals(), {}, false);
  for (const char* const property :
       {R"(<property name="new/runtime_s/low" value="98"/>)", R"(<property name="new/runtime_s/high" value="103"/>)",
        R"(<property name="new/speedup/runtime_s/low" value="1.9"/>)"})
    EXPECT_NE(xml.find(property), std::string::npos) << xml;
}

TEST(IntervalViews, WhatIsSaidOfChecks) {
  const auto said = [](double speedup, const project::IntervalOrReason& interval) {
    project::Check check = project::check_speedup(speedup, interval, 0.05);
    check.subject = "new";
    check.metric = "runtime_s";
    check.reference = "old";
    return io::views::message_of(check);
  };
  EXPECT_EQ(said(0.8, project::Interval{0.5, 0.9}), "new is 25 % slower than old (95 %: at least 11 %); limit 5 %");
  EXPECT_EQ(said(1.25, project::Interval{1.1, 2}), "new is 20 % faster than old (95 %: at least 9.1 %); limit 5 %");
  EXPECT_EQ(said(1, project::Interval{0.8, 1.25}),
            "new takes as long as old (95 %: 20 % faster to 25 % slower); limit 5 %");
  EXPECT_EQ(said(0.8, std::string("no repeats")), "new is 25 % slower than old; limit 5 %; no interval: no repeats");
  EXPECT_EQ(said(1, project::Interval{0, 2}), "new takes as long as old (95 %: 50 % faster to any slower); limit 5 %");
  project::IntervalOrReason two_sided = project::Interval{0.8, 1.25};
  two_sided.bounds = {0.9, 1.1};
  EXPECT_EQ(said(1, two_sided), "new takes as long as old (95 %: 20 % faster to 25 % slower); limit 5 %");
  two_sided.bounds = {0.97, 1.1};
  EXPECT_EQ(said(1, two_sided), "new takes as long as old (95 %: at most 3 % slower); limit 5 %") << "which decides";
}

TEST(IntervalViews, OfOtherMetricsThereIsMoreOrLess) {
  project::Check check = project::check_speedup(0.8, project::Interval{0.7, 0.9}, 0.05);
  check.subject = "new";
  check.metric = "energy_j";
  check.reference = "old";
  EXPECT_EQ(io::views::sentence_of(check),
            "FAIL  new has 25 % more energy_j than old (95 %: at least 11 %); limit 5 %");
}

TEST(IntervalViews, WhatWouldDecideAnOpenCheck) {
  project::Check check = project::check_speedup(1, project::Interval{0.8, 1.25}, 0.05);
  EXPECT_EQ(io::views::hint_of(check), "");
  check.widest = project::WidestPart::points;
  EXPECT_EQ(io::views::hint_of(check), "more points might decide it; more processes would not");
  check.more_processes = 7;
  check.detectable = 0.3;
  EXPECT_EQ(io::views::hint_of(check),
            "about 7 more processes of each build would decide it, if the figure stays; the smallest slowdown to be "
            "found is 30 %");
  EXPECT_EQ(io::views::hint_of(project::check_speedup(0.8, project::Interval{0.7, 0.9}, 0.05)), "");
}

project::Gates of_verdict(project::Verdict verdict, bool inconclusive_fails) {
  project::Check check;
  check.verdict = verdict;
  check.subject = "new";
  check.note = "not measured";
  return {{check}, inconclusive_fails};
}

/// A configuration with a phase that makes the difference and one that does not, after so many rounds.
project::ConfigurationProjection with_phases(std::size_t rounds, bool is_cause) {
  project::ConfigurationProjection c;
  c.rounds = rounds;
  c.phase_differences = {{.column = "wait_s", .change = 0.01, .is_cause = is_cause},
                         {.column = "forward_s", .change = 0.005}};
  if (rounds > 2) c.phase_differences[0].interval = project::Interval{0.005, 0.015};
  return c;
}

TEST(IntervalViews, OnlyCausesAreNamed) {
  EXPECT_EQ(io::views::where_or_nowhere(with_phases(3, true)), "+1.0 % waiting for data (+0.5 % to +1.5 %)");
  EXPECT_EQ(io::views::where_or_nowhere(with_phases(3, false)), "no phase differs by 1 % or more in all rounds");
  EXPECT_EQ(io::views::where_or_nowhere(with_phases(2, false)), "a third round is needed to name a phase");
  EXPECT_EQ(io::views::where_or_nowhere(with_phases(1, false)),
            "three processes of each build are needed to name a phase");
  EXPECT_EQ(io::views::where_or_nowhere({}), "");
  project::ConfigurationProjection alike = with_phases(3, false);
  alike.phase_differences[0].interval = project::Interval{-0.005, 0.015};
  EXPECT_EQ(io::views::where_or_nowhere(alike), "no phase differs by more than processes do");
  alike.agrees_with_baseline = false;
  EXPECT_EQ(io::views::where_or_nowhere(alike), "processes disagree: no phase is named");
}

TEST(IntervalViews, AnnotationsOfWhatFailsAndOfWhatIsOpen) {
  const auto levels = [](project::Verdict verdict, bool inconclusive_fails) {
    const auto annotations = io::views::annotations_of(of_verdict(verdict, inconclusive_fails));
    return annotations.empty()                                                ? "none"
           : annotations.front().level == io::views::Annotation::Level::error ? "error"
                                                                              : "warning";
  };
  EXPECT_STREQ(levels(project::Verdict::pass, true), "none");
  EXPECT_STREQ(levels(project::Verdict::fail, false), "error");
  EXPECT_STREQ(levels(project::Verdict::unmeasured, false), "error");
  EXPECT_STREQ(levels(project::Verdict::inconclusive, false), "warning");
  EXPECT_STREQ(levels(project::Verdict::inconclusive, true), "error");
  EXPECT_STREQ(levels(project::Verdict::unmatched, false), "warning");
}

TEST(IntervalViews, JunitTellsFailureFromErrorFromSkipped) {
  const auto element = [](project::Verdict verdict, bool inconclusive_fails) {
    const std::string xml = io::views::projection_junit("seqpoint.project", timed_configurations(),
                                                        of_verdict(verdict, inconclusive_fails), false);
    for (const char* const name : {"failure", "error", "skipped"})
      if (xml.find(std::string("<") + name + " ") != std::string::npos) return name;
    return "none";
  };
  EXPECT_STREQ(element(project::Verdict::pass, true), "none");
  EXPECT_STREQ(element(project::Verdict::fail, false), "failure");
  EXPECT_STREQ(element(project::Verdict::unmeasured, false), "error");
  EXPECT_STREQ(element(project::Verdict::inconclusive, false), "skipped");
  EXPECT_STREQ(element(project::Verdict::inconclusive, true), "failure");
  EXPECT_STREQ(element(project::Verdict::unmatched, false), "skipped");
  EXPECT_STREQ(element(project::Verdict::unmatched, true), "failure");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(IntervalViews, GithubShowsTenAnnotationsOfALevel) {
  std::vector<io::views::Annotation> annotations(10, {io::views::Annotation::Level::warning, "w"});
  annotations.insert(annotations.end(), 25, {io::views::Annotation::Level::error, "e"});
  const std::string commands = io::views::workflow_commands(annotations);
  EXPECT_EQ(count(commands, "::error "), 10U);
  EXPECT_EQ(count(commands, "::warning "), 10U);
  EXPECT_NE(commands.find("::and 16 more, in the log of this step\n"), std::string::npos) << commands;
  EXPECT_LT(commands.rfind("::error "), commands.find("::warning "));  // errors first
}

TEST(IntervalViews, TheJobSummaryFitsIntoItsRoom) {
  const io::views::TextTable table = io::views::projection_table(timed_configurations());
  const std::string whole = io::views::job_summary("seqpoint project", table, {}, {}, 1 << 20);
  for (std::size_t room = 0; room <= whole.size() + 1; ++room) {
    const std::string text = io::views::job_summary("seqpoint project", table, {}, {}, room);
    ASSERT_LE(text.size(), room);
    ASSERT_EQ(text == whole, room >= whole.size());
    ASSERT_TRUE(room <= 60 || room >= whole.size() || text.find("*Truncated") != std::string::npos) << text;
    ASSERT_TRUE(text.empty() || text.back() == '\n');
  }
}

}  // namespace
}  // namespace seqpoint::testing
