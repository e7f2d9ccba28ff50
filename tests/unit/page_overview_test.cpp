// The top of a page: what failed comes first, in words; warnings by their kind; the next step as commands.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "io/views/amounts.hpp"
#include "io/views/html/overview.hpp"
#include "io/views/report_page.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

project::Check coverage_check(const std::string& subject, project::Verdict verdict) {
  return {.gate = project::Gate::require_weight,
          .subject = subject,
          .configuration = subject,
          .metric = "",
          .reference = "",
          .limit = 0.9,
          .value = verdict == project::Verdict::pass ? 0.95 : 0.5,
          .interval = {},
          .verdict = verdict,
          .note = ""};
}

std::string limits_on_page(const project::Gates& gates) {
  report::Report report;
  report.source.gates = &gates;
  return io::views::html::gates_html(report);
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(GatesOnThePage, OneOrNoneHasNoTable) {
  EXPECT_EQ(limits_on_page({}), "");
  EXPECT_EQ(io::views::html::gates_html(report::Report{}), "");
  EXPECT_EQ(limits_on_page({{coverage_check("one", project::Verdict::fail)}, false}), "") << "it is the headline";
}

TEST(GatesOnThePage, FailuresComeFirstAndNamesAreText) {
  const std::string page = limits_on_page(
      {{coverage_check("good", project::Verdict::pass), coverage_check("<b>", project::Verdict::fail)}, false});
  EXPECT_LT(page.find("✗ failed</b><td>&lt;b&gt;: measured weight is 50.00 %"),
            page.find("✓ pass</b><td>good: measured weight is 95.00 %"));
  EXPECT_EQ(times_in(page, "class=failed"), 1U);
  EXPECT_NE(page.find("✗ 1 of 2 limits failed"), std::string::npos) << page;
}

TEST(GatesOnThePage, WhatCannotBeDecidedFailsOnlyWhereStrict) {
  const project::Check open{.subject = "a",
                            .configuration = "a",
                            .metric = "t",
                            .reference = "b",
                            .limit = 0.05,
                            .value = 0.04,
                            .interval = project::Interval{0.01, 0.09},
                            .verdict = project::Verdict::inconclusive,
                            .note = ""};
  EXPECT_NE(limits_on_page({{open, open}, false}).find("inconclusive"), std::string::npos);
  EXPECT_NE(limits_on_page({{open, open}, true}).find("✗ failed"), std::string::npos);
}

std::string amounts_of(double value, const project::IntervalOrReason& interval, const std::string& name = "runtime_s") {
  project::MetricProjection metric;
  metric.name = name;
  metric.value = value;
  metric.interval = interval;
  const io::views::Amounts amounts(metric);
  return amounts.text(value) + (interval ? ", " + amounts.range(*interval) : "");
}

TEST(AmountsOnThePage, DigitsAreTwoOfHalfTheIntervalInOneUnit) {
  EXPECT_EQ(amounts_of(124.4, project::Interval{110.4, 138.3}), "124 s, 110 to 138 s");
  EXPECT_EQ(amounts_of(124.4, project::Interval{123.9, 124.9}), "124.40 s, 123.90 to 124.90 s");
  EXPECT_EQ(amounts_of(0.0578, project::Interval{0.05, 0.0656}), "57.8 ms, 50.0 to 65.6 ms");
  EXPECT_EQ(amounts_of(421, project::Interval{414, 432}), "7.02 min, 6.90 to 7.20 min");
  EXPECT_EQ(amounts_of(421, {}), "7.017 min");
  EXPECT_EQ(amounts_of(std::nan(""), {}), "nan ms");
  EXPECT_EQ(amounts_of(28539.4, project::Interval{26000, 31000}, "energy_j"), "28,539, 26,000 to 31,000");
  EXPECT_EQ(io::views::rough_duration(1.412), "1.4 s");
}

std::string warnings_on_page(std::initializer_list<std::string> messages) {
  io::views::PageTexts texts;
  for (const std::string& message : messages) texts.warnings.push_back({.message = message});
  return io::views::html::warnings_html(report::Report{}, texts);
}

TEST(WarningsOnThePage, OneOfAKindIsOneLineWithTheProcesses) {
  const std::string page = warnings_on_page({"run-1.csv: is 293.1 times", "a <b>", "run-2.csv: is 292.8 times"});
  EXPECT_EQ(times_in(page, "<li>"), 2U) << page;
  EXPECT_NE(page.find("<li>run-1.csv: is 293.1 times (also run-2.csv)"), std::string::npos) << page;
  EXPECT_NE(page.find("a &lt;b&gt;"), std::string::npos);
  EXPECT_NE(page.find("3 warnings"), std::string::npos);
  EXPECT_EQ(times_in(page, "<details>"), 0U);
}

TEST(WarningsOnThePage, TwoKindsAreOpen) {
  const std::string page = warnings_on_page({"one", "two", "three", "four"});
  EXPECT_LT(page.find("two"), page.find("<summary>2 more</summary>"));
  EXPECT_GT(page.find("three"), page.find("<summary>2 more</summary>"));
}

TEST(NextOnThePage, CommandsAreABlockThatAShellReads) {
  io::views::PageTexts texts;
  EXPECT_EQ(io::views::html::next_html(texts), "");
  texts.next = "measure more: seqpoint plan a.json -o more; run it with SEQPOINT_PROCESS=1";
  EXPECT_NE(io::views::html::next_html(texts).find(
                "<pre><code>seqpoint plan a.json -o more&#10;# run it with SEQPOINT_PROCESS=1</code></pre>"),
            std::string::npos)
      << io::views::html::next_html(texts);
}

}  // namespace
}  // namespace seqpoint
