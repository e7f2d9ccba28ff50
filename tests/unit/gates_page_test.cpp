// Limits on a page: what failed comes first, in words, and of many the rest is counted.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

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

TEST(GatesOnThePage, NothingIsShownWhereNoLimitWasSet) {
  EXPECT_EQ(limits_on_page({}), "");
  EXPECT_EQ(io::views::html::gates_html(report::Report{}), "");
}

TEST(GatesOnThePage, FailuresComeFirstAndNamesAreText) {
  const std::string page = limits_on_page(
      {{coverage_check("good", project::Verdict::pass), coverage_check("<b>", project::Verdict::fail)}, false});
  EXPECT_LT(page.find("✗ failed</b> &lt;b&gt;: measured weight is 50.00 %"),
            page.find("✓ pass</b> good: measured weight is 95.00 %"));
  EXPECT_EQ(times_in(page, "class=failed"), 1U);
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
  EXPECT_NE(limits_on_page({{open}, false}).find("inconclusive"), std::string::npos);
  EXPECT_NE(limits_on_page({{open}, true}).find("✗ failed"), std::string::npos);
}

TEST(GatesOnThePage, OfManyTheRestIsCounted) {
  project::Gates gates;
  for (int i = 0; i < 40; ++i)
    gates.checks.push_back(
        coverage_check("c" + std::to_string(i), i < 30 ? project::Verdict::fail : project::Verdict::pass));
  const std::string page = limits_on_page(gates);
  EXPECT_EQ(times_in(page, "<li"), 24U);
  EXPECT_NE(page.find("16 other limits, of which 6 failed."), std::string::npos) << page;
}

TEST(GatesOnThePage, WhatDoesNotHoldIsSaidAboveTheList) {
  const project::Check good = coverage_check("good", project::Verdict::pass),
                       bad = coverage_check("<b>", project::Verdict::fail);
  const project::Gates hold{{good, good}, true}, fail{{good, bad, good}, false};
  EXPECT_EQ(limits_on_page(hold).find("alarm"), std::string::npos);
  const std::string alarm = limits_on_page(fail);
  EXPECT_NE(alarm.find("✗ 1 of 3 limits does not hold"), std::string::npos) << alarm;
  EXPECT_NE(alarm.find("✗ failed</b> &lt;b&gt;: measured weight is 50.00 %, --require-weight asks for 90.00 %"),
            std::string::npos);
}

}  // namespace
}  // namespace seqpoint
