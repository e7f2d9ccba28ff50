// Texts that fit into a terminal, and words that messages and tables share: by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/job/run_text.hpp"
#include "cli/terminal.hpp"
#include "io/views/amounts.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::testing {
namespace {

using cli::folded;

TEST(FittingText, LinesBreakBetweenWordsAndGoOnAfterTheLabel) {
  EXPECT_EQ(folded("measured   two batches, warm-up included", 24, cli::kAfterLabel),
            "measured   two batches,\n           warm-up\n           included");
  EXPECT_EQ(folded("no label here at all\nshort", 9, cli::kAfterLabel), "no label\n  here at\n  all\nshort");
}

TEST(FittingText, AWordThatIsTooLongHasALineOfItsOwn) {
  EXPECT_EQ(folded("a very-long-word b", 6), "a\nvery-long-word\nb");
}

TEST(FittingText, ACharacterOfSeveralBytesIsOneColumn) { EXPECT_EQ(folded("± µs ± µs", 9), "± µs ± µs"); }

TEST(FittingText, AWideTableGoesOnBelowWithItsFirstColumn) {
  const io::views::TextTable table{
      {{"build", "epoch", "95 % interval", "speedup"}, {"old", "9 s", "8 to 10 s", "1.0x"}}, 1};
  EXPECT_EQ(io::views::as_text(table, 28),
            "build  epoch  95 % interval\nold      9 s      8 to 10 s\n\nbuild  speedup\nold       1.0x\n");
  EXPECT_EQ(io::views::as_text(table), io::views::as_text(table, 37));
}

TEST(FittingText, FilesOfAProcessHaveItsName) {
  const auto named = [](const char* text) { return cli::job::with_process_names(text, {"run"}); };
  EXPECT_EQ(named("dir/run-3.csv was disturbed"), "process 3 was disturbed");
  EXPECT_EQ(named("run: dir/run-12.csv:21: field"), "run: process 12, line 21: field");
  EXPECT_EQ(named("'run-1.anew.csv', run-1.stretch.csv"), "'process 1 again', process 1");
  EXPECT_EQ(named("run-report.html, rerun-1.csv, run-1.json"), "run-report.html, rerun-1.csv, run-1.json");
  EXPECT_EQ(cli::job::with_process_names("old-2.log: page faults", {"old", "new"}), "old 2: page faults");
}

project::MetricProjection seconds(double value, double low, double high) {
  project::MetricProjection metric;
  metric.name = "runtime_s";
  metric.value = value;
  metric.interval = project::Interval{low, high};
  return metric;
}

TEST(FittingText, AFigureHasTwoDigitsOfItsHalfWidthInOneUnit) {
  const io::views::Amounts amounts(seconds(363, 341, 385));
  EXPECT_EQ(amounts.text(363), "6.05 min");
  EXPECT_EQ(amounts.range({341, 385}), "5.68 to 6.42 min");
}

TEST(FittingText, AColumnHasTheUnitOfItsLeastTime) {
  EXPECT_EQ(io::views::Amounts(seconds(363, 341, 385), 150).range({341, 385}), "341 to 385 s");
  EXPECT_EQ(io::views::Amounts(363.0).text(0.25), "0.004 min");
}

TEST(FittingText, ASmallShareIsNoZero) {
  EXPECT_EQ(io::views::tenth_percent(0.6041), "60.4 %");
  EXPECT_EQ(io::views::tenth_percent(0.0004), "< 0.1 %");
  EXPECT_EQ(io::views::tenth_percent(0), "0.0 %");
}

}  // namespace
}  // namespace seqpoint::testing
