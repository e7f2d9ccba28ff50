// Logs whose lines a pattern describes, on examples whose figures can be worked out by hand.
#include <gtest/gtest.h>

#include "io/profiles/engine/log_numbers.hpp"
#include "io/views/diagnosis_text.hpp"
#include "unit/profile_checks.hpp"

namespace seqpoint::testing {
namespace {

using Line = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;  ///< first and last iteration, ns
using Lines = std::vector<Line>;

constexpr std::int64_t kMs = 1'000'000;
constexpr auto
    kVerl = R"(\bstep:(?<step1>\d+) - .*?perf/time_per_step:(?<time>-?[\d.e+-]+))",
    kMegatron =
        R"(iteration +(?<step1>\d+)/ *(?<of>\d+) .*?iteration \((?:ms\): (?<time_ms>[\d.]+)|s\): (?<time>[\d.]+)) *\|)",
    kSwift = R"re("global_step/max_steps": "(?<step1>\d+)/(?<of>\d+)".*"elapsed_time": "(?<clock>[^"]+)")re",
    kPlain = R"(^(?<step>\S+) (?<time>\S+)$)", kClock = R"(^(?<step1>\d+) (?<clock>.+)$)";

using File = io::profiles::StepProfileFile;

File read_log(const std::string& pattern, const std::string& text, std::optional<std::uint64_t> per = {}) {
  const io::profiles::LogPattern log(pattern);
  io::profiles::ProfileReadOptions options;
  options.log = &log;
  options.per = per;
  File file = io::profiles::read_step_profile(io::stream::Input::from_memory("x.log", text), options);
  move_log_steps(file);
  return file;
}

Lines lines_of(const File& file) {
  Lines lines;
  for (const profile::ProfiledStep& step : file.profile.steps)
    lines.emplace_back(step.iterations->first, step.iterations->last, *step.host_ns);
  return lines;
}

std::string notes_of(const File& file) {
  std::string all;
  for (const auto* const texts : {&file.profile.notes, &file.log.remarks})
    for (const std::string& note : *texts) all += note + "\n";
  for (const Finding& finding : file.log.findings) all += io::views::message_of(finding) + "\n";
  return all;
}

/// The message and the hint of the error; empty where it is read.
std::string refusal_of_log(const std::string& pattern, const std::string& text, std::optional<std::uint64_t> per = {}) {
  try {
    read_log(pattern, text, per);
  } catch (const InputError& error) {
    return error.problems().front().message() + "; " + error.hint();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

std::string megatron(int number, const std::string& ms) {
  return " iteration " + std::to_string(number) + "/ 1000 | elapsed time per iteration (ms): " + ms + " | loss: 1 |\n";
}
std::string verl(int number, const std::string& seconds) {
  return "step:" + std::to_string(number) + " - perf/time_per_step:" + seconds + " - perf/throughput:1\n";
}

TEST(LogPattern, SaysWhetherItTakesAnyDigit) {
  const auto takes_any_digit = [](const std::string& numbers) {
    return io::profiles::LogPattern("(?<step1>\\d+) " + numbers + "(?<time>[\\d.]+)").takes_any_digit();
  };
  for (const char* const any : {"", "a.*", "[0-9]{2,3}", "[^0-9a-f,]+", "[-0-9]", "[+-]?", "\\[.\\]", "\\pN", "[ -~]"})
    EXPECT_TRUE(takes_any_digit(any)) << any;
  for (const char* const one : {"v2", "[1-9]", "[0-8]", "[+-0-9]", "[ -0]", "\\x35", "\\x{35}", "\\Q{5}\\E", "a{,5}",
                                "[[:alpha:]{5}]", "[]{5}]", "[{5}]", "(19|20)"})
    EXPECT_FALSE(takes_any_digit(one)) << one;
}

TEST(LogMatcher, FindsInEveryLineWhatThePatternFinds) {
  const io::profiles::LogPattern pattern(R"(s(?<step1>\d+)\D{1,2}.*?t(?<time>\d[0-9.]*))");
  ASSERT_TRUE(pattern.takes_any_digit());
  io::profiles::LogMatcher matcher(pattern);
  std::size_t found = 0, mixed = 0;
  for (std::uint32_t n = 0, random = 1; n < 20'000; ++n) {
    std::string line;
    for (std::size_t i = 0; i < 12; ++i) {
      random = random * 1664525 + 1013904223;
      line += "st .0199"[random >> 29U];
    }
    const auto expected = pattern.matches(line);
    const auto actual = matcher.matches(line);
    ASSERT_EQ(actual.size(), expected.size()) << line;
    for (std::size_t m = 0; m < actual.size(); ++m) {
      for (const auto field : {io::profiles::LogField::step, io::profiles::LogField::time})
        ASSERT_EQ(actual[m].text(line, field), expected[m].text(line, field)) << line;
      ASSERT_EQ(actual[m].is_mixed, expected[m].is_mixed) << line;
      ++found;
      mixed += actual[m].is_mixed ? 1 : 0;
    }
  }
  EXPECT_GT(found, 1000u);
  EXPECT_GT(mixed, 10u);
}

TEST(LogNumbers, AsProgramsPrintThem) {
  const auto ns = [](std::string_view text, io::text::DecimalUnit unit = io::text::DecimalUnit::s) {
    return io::profiles::engine::log_time_ns(text, unit).value_or(-1);
  };
  EXPECT_EQ(ns("0.3102"), 310'200'000);
  EXPECT_EQ(ns("1,234.5"), 1'234'500'000'000);
  EXPECT_EQ(ns("11.5K", io::text::DecimalUnit::ms), 11'500'000'000);
  EXPECT_EQ(ns("1e3", io::text::DecimalUnit::us), 1'000'000);
  EXPECT_EQ(ns("1m 41s"), 101'000'000'000);
  EXPECT_EQ(ns("2h 3m"), 7'380'000'000'000);
  EXPECT_EQ(ns("0:01:03"), 63'000'000'000);
  EXPECT_EQ(ns("03:01.5"), 181'500'000'000);
  EXPECT_EQ(ns("2 days, 17:51:32"), (2 * 86400 + 17 * 3600 + 51 * 60 + 32) * 1'000'000'000LL);
  for (const char* const none : {"", "1,5", "1.2.3", "nan", "s", "1,23.5", "fast"}) EXPECT_EQ(ns(none), -1) << none;
}

TEST(LogNumbers, RoundedNumbersTellNoStep) {
  EXPECT_EQ(io::profiles::engine::log_whole("1,024"), 1024u);
  for (const char* const none : {"", "1e+3", "12.5K", "12K", "7.0", "-1", "10,24"})
    EXPECT_EQ(io::profiles::engine::log_whole(none), std::nullopt) << none;
}

TEST(LogNumbers, DatesOfEveryKindHaveTheirDifferences) {
  const auto seconds = [](std::string_view from, std::string_view to) {
    const auto ns = [](std::string_view text) {
      return io::profiles::engine::log_clock(text, io::text::DecimalUnit::s).value().ns;
    };
    return static_cast<double>(ns(to) - ns(from)) / 1e9;
  };
  EXPECT_DOUBLE_EQ(seconds("2026-02-28 23:59:59,500", "2026-03-01 00:00:01,750"), 2.25);
  EXPECT_DOUBLE_EQ(seconds("2026-03-01T10:00:00Z", "2026-03-01T12:00:00.5+02:00"), 0.5);
  EXPECT_DOUBLE_EQ(seconds("03/01 10:00:06", "03/02 10:00:05"), 86399);
  EXPECT_DOUBLE_EQ(seconds("10/17/2025 16:31:56", "10/17/2025 16:32:00"), 4);
  EXPECT_DOUBLE_EQ(seconds("0811 21:54:44.943716", "0811 21:54:45.043716"), 0.1);
  EXPECT_DOUBLE_EQ(seconds("1700000000.25", "1700000001"), 0.75);
  EXPECT_DOUBLE_EQ(seconds("2026-03-01 10:00:00 -0130", "2026/3/1_11:30:00.25"), 0.25);
  EXPECT_DOUBLE_EQ(seconds("1/2, 3:04:05", "01/02 03:04:06,000000001"), 1.000000001);
  for (const char* const none :
       {"2026-13-01 10:00:00", "1826-03-01 10:00:00", "2026-03-01 10:00", "2026-03-01 10:0:00", "2026-03-01 10-00-00",
        "2026-03-01 10:00:00.", "2026-03-01 10:00:00.0123456789", "2026-03-01 10:00:00+1:00", "2026-03-01 10:00:00 UTC",
        "2026-03-01 10:00:00 +010:00", "2026-03-01", "2026-03 10:00:00", "1/2/26 10:00:00", "081 10:00:00", "-"})
    EXPECT_EQ(io::profiles::engine::log_clock(none, io::text::DecimalUnit::s), std::nullopt) << none;
}

TEST(LogPattern, NeedsAStepAndATime) {
  using io::profiles::LogPattern;
  EXPECT_TRUE(LogPattern::describes_log(kVerl));
  EXPECT_TRUE(LogPattern::describes_log(kClock));
  EXPECT_FALSE(LogPattern::describes_log("SL(?<seqlen>[0-9]+)")) << "names of steps";
  EXPECT_FALSE(LogPattern::describes_log("(?<time>[0-9"));
  EXPECT_TRUE(has(refusal_of_log("(?<time>.)", "1\n"), "has no group 'step'"));
  EXPECT_TRUE(has(refusal_of_log("(?<step>.)", "1\n"), "has no group 'time' or 'clock'"));
  EXPECT_TRUE(has(refusal_of_log("(?<step>.)(?<time>.)(?<clock>.)", "1\n"), "has a group 'time' and a group 'clock'"));
  EXPECT_TRUE(has(refusal_of_log("(?<step>.)(?<time>.)(?<loss>.)", "1\n"), "a log has no field 'loss'"));
  EXPECT_TRUE(has(refusal_of_log("(?<step0>.)|(?<step1>.)(?<time>.)", "1\n"), "from 0 and from 1"));
  EXPECT_TRUE(has(refusal_of_log("(?<step>.)(?<time>", "1\n"), "is not a regular expression"));
}

TEST(DescribedLog, ATimeIsOfTheLinesStep) {
  const File profile = read_log(kVerl, verl(1, "0.125") + "noise\n" + verl(2, "0.25") + verl(3, "1e-1"));
  EXPECT_EQ(profile.profile.format, "log");
  EXPECT_EQ(lines_of(profile), (Lines{{0, 0, 125 * kMs}, {1, 1, 250 * kMs}, {2, 2, 100 * kMs}}));
  EXPECT_EQ(profile.profile.steps[1].identity.iteration, 1u);
  EXPECT_EQ(profile.profile.steps[1].line, 3u);
  EXPECT_EQ(profile.profile.log_unit, profile::LogUnit::optimiser_step);
  EXPECT_EQ(notes_of(profile), "");
}

TEST(DescribedLog, ALineMayBeTheMeanOfSeveralSteps) {
  const std::string text = megatron(10, "4000.0") + megatron(20, "1000.5") + megatron(30, "2500");
  const File profile = read_log(kMegatron, text, 10);
  EXPECT_EQ(lines_of(profile), (Lines{{0, 9, 4000 * kMs}, {10, 19, 1000 * kMs + 500000}, {20, 29, 2500 * kMs}}));
  EXPECT_EQ(profile.profile.steps[0].repeats, 10u);
  EXPECT_TRUE(profile.profile.steps[0].identity.empty()) << "no single iteration took that long";
  EXPECT_EQ(lines_of(read_log(kMegatron, text, 1)),
            (Lines{{9, 9, 4000 * kMs}, {19, 19, 1000 * kMs + 500000}, {29, 29, 2500 * kMs}}));
}

TEST(DescribedLog, WhichOfTheTwoHasToBeSaid) {
  const std::string tens = megatron(10, "5") + megatron(20, "5") + megatron(30, "5");
  EXPECT_TRUE(
      has(refusal_of_log(kMegatron, tens), "lines come every 10 steps: is a time of one step, or the mean of 10?"));
  EXPECT_TRUE(has(refusal_of_log(kMegatron, tens), "`per` 10 for a mean of 10, `per` 1 for one step"));
  EXPECT_TRUE(has(refusal_of_log(kMegatron, megatron(10, "5")), "a single line does not say"));
  EXPECT_EQ(lines_of(read_log(kMegatron, megatron(1, "5"))), (Lines{{0, 0, 5 * kMs}}));
  EXPECT_TRUE(has(refusal_of_log(kMegatron, tens, 20), "lines come every 10 steps, and `per` 20"));
  const std::string mixed = tens + megatron(31, "5") + megatron(32, "5") + megatron(33, "5");
  EXPECT_TRUE(
      has(refusal_of_log(kMegatron, tens + megatron(40, "5") + mixed.substr(tens.size()), {}), "every 10 steps"));
  EXPECT_EQ(lines_of(read_log(kVerl, verl(1, "1") + verl(2, "1") + verl(3, "1") + verl(5, "1"))).size(), 4u)
      << "a line was lost";
}

TEST(DescribedLog, AMeanCannotEndBeforeItsSteps) {
  for (const std::string& text : {megatron(1, "5") + megatron(2, "5"), megatron(1, "5"), megatron(399, "5")})
    EXPECT_TRUE(has(refusal_of_log(kMegatron, text, 400), "cannot end before step 400")) << text;
  EXPECT_TRUE(has(refusal_of_log(kMegatron, megatron(1, "5") + megatron(2, "5"), 400), "is 1, where"));
  EXPECT_TRUE(has(refusal_of_log(kMegatron, megatron(1, "5"), 400), "call the group 'epoch'"));
  EXPECT_EQ(lines_of(read_log(kMegatron, megatron(400, "5"), 400)), (Lines{{0, 399, 5 * kMs}}));
}

TEST(DescribedLog, LinesMayBeEpochs) {
  const std::string text = "epoch 1: 558 ms, at 10:00:00\nepoch 2: 521 ms, at 10:03:30\n";
  constexpr auto kMeans = R"(epoch (?<epoch1>\d+): (?<time_ms>\d+) ms)",
                 kClocks = R"(epoch (?<epoch1>\d+).* at (?<clock>.*))";
  const File means = read_log(kMeans, text, 400);
  EXPECT_EQ(means.profile.log_unit, profile::LogUnit::epoch);
  EXPECT_EQ(lines_of(means), (Lines{{0, 0, 558 * kMs}, {1, 1, 521 * kMs}})) << "numbers of epochs";
  EXPECT_EQ(means.profile.steps[1].repeats, 400u);
  EXPECT_TRUE(means.profile.steps[0].identity.empty()) << "an epoch is no iteration";
  EXPECT_EQ(read_log(kMeans, text, 1).profile.steps[0].repeats, 1u) << "the time of a whole epoch";
  EXPECT_TRUE(has(refusal_of_log(kMeans, text), "is a time of a whole one, or the mean of its steps?"));
  EXPECT_EQ(lines_of(read_log(kClocks, text)), (Lines{{1, 1, 210'000 * kMs}}));
  EXPECT_EQ(lines_of(read_log(R"(epoch (?<epoch0>\d+): (?<time_ms>\d+))", text, 400)),
            (Lines{{1, 1, 558 * kMs}, {2, 2, 521 * kMs}}));
  EXPECT_TRUE(has(refusal_of_log(kMeans, "epoch 0: 558 ms\n", 400), "epochs are counted from 1"));
}

TEST(DescribedLog, AMeanReachesToTheLineBefore) {
  const File profile =
      read_log(kMegatron, megatron(1, "50") + megatron(10, "5") + megatron(20, "6") + megatron(40, "7"), 10);
  EXPECT_EQ(lines_of(profile), (Lines{{0, 0, 50 * kMs}, {1, 9, 5 * kMs}, {10, 19, 6 * kMs}, {30, 39, 7 * kMs}}));
}

TEST(DescribedLog, StepsAreCountedFrom0OrFrom1) {
  const auto first = [](const std::string& text, std::optional<std::uint64_t> per = {}) {
    const File profile = read_log(kPlain, text, per);
    return std::pair(profile.profile.steps.front().iterations->last, notes_of(profile));
  };
  EXPECT_EQ(first("0 1\n1 1\n").first, 0u);
  EXPECT_TRUE(has(first("0 1\n1 1\n").second, "steps are counted from 0, as their numbers show"));
  EXPECT_EQ(first("1 1\n2 1\n").first, 0u);
  EXPECT_TRUE(has(first("1 1\n2 1\n").second, "counted from 1"));
  EXPECT_EQ(first("10 1\n20 1\n", 1).first, 9u);
  EXPECT_EQ(first("9 1\n19 1\n", 1).first, 9u);
  EXPECT_TRUE(has(first("9 1\n19 1\n", 1).second, "counted from 0"));
  EXPECT_EQ(first("327281 1\n327282 1\n").first, 327280u);
  EXPECT_TRUE(has(first("327281 1\n327282 1\n").second, "is not shown: 1 is taken; call the group 'step0' or 'step1'"));
  EXPECT_TRUE(has(refusal_of_log(kVerl, verl(0, "1") + verl(1, "1")), "is 0, but steps are counted from 1"));
  const File said = read_log(R"(^(?<step0>\d+) (?<time>\S+)$)", "5 1\n6 1\n");
  EXPECT_EQ(said.profile.steps[0].iterations->last, 5u);
  EXPECT_EQ(notes_of(said), "");
}

TEST(DescribedLog, DifferencesOfAClock) {
  const auto line = [](const char* step, const char* clock) {
    return std::string(R"({"loss": 1.1, "global_step/max_steps": ")") + step + R"(/400", "elapsed_time": ")" + clock +
           "\", \"remaining_time\": \"1h 2m\"}\n";
  };
  const File profile =
      read_log(kSwift, line("10", "50s") + line("20", "1m 41s") + line("20", "4m 9s") + line("30", "5m"));
  EXPECT_EQ(lines_of(profile), (Lines{{10, 19, 5100 * kMs}, {20, 29, 5100 * kMs}}));
  EXPECT_TRUE(has(notes_of(profile), "148 s between lines of one step are in no step's time")) << "an evaluation";
  EXPECT_TRUE(has(notes_of(profile), "times are differences of a clock"));
}

TEST(DescribedLog, AClockOfWholeSecondsTellsNoIteration) {
  const File whole = read_log(kClock, "1 0:59:58\n2 1:00:00\n3 1 day, 0:00:00\n");
  EXPECT_EQ(lines_of(whole), (Lines{{1, 1, 2000 * kMs}, {2, 2, 82800000 * kMs}}));
  EXPECT_TRUE(whole.profile.steps[0].identity.empty());
  EXPECT_EQ(read_log(kClock, "1 0:59:58.0\n2 1:00:00.5\n").profile.steps.at(0).identity.iteration, 1u);
}

TEST(DescribedLog, AClockMayBeginBeforeTheFirstStep) {
  const File profile =
      read_log(R"((?<step1>\d+)/(?<of>\d+) \[(?<clock>[\d:]+)<)",
               "  0%|   | 0/9 [00:00<?, ?it/s]\r 11%|#  | 1/9 [00:03<00:24,  3.01s/it]\r 22%|## | 2/9 [00:05<00:20,  "
               "2.5s/it]\r 33%|## | 3/9 [00:0");
  EXPECT_EQ(lines_of(profile), (Lines{{0, 0, 3000 * kMs}, {1, 1, 2000 * kMs}}));
  EXPECT_TRUE(has(notes_of(profile), "x.log:1: the last line has no end and is not used"));
}

TEST(DescribedLog, AClockThatGoesBackIsSaid) {
  const File profile = read_log(kClock, "1 23:59:58.5\n2 00:00:00.5\n3 00:00:01.5\n");
  EXPECT_EQ(lines_of(profile), (Lines{{2, 2, 1000 * kMs}}));
  EXPECT_TRUE(has(notes_of(profile), "x.log:2: the clock goes back or jumps, 1 step left out"));
}

TEST(DescribedLog, ANegativeTimeIsNamed) {
  const File profile = read_log(kVerl, verl(1, "30") + verl(2, "-3569.75") + verl(3, "31") + verl(4, "32"));
  EXPECT_EQ(lines_of(profile), (Lines{{0, 0, 30000 * kMs}, {2, 2, 31000 * kMs}, {3, 3, 32000 * kMs}}));
  EXPECT_TRUE(
      has(notes_of(profile), "x.log:2: the time is negative, as where a clock is set back; this line is left out"));
}

TEST(DescribedLog, WhatIsNoNumberIsLeftOutAndSaid) {
  EXPECT_TRUE(has(notes_of(read_log(kPlain, "0 1\n1e+3 1\n1 1\n")), "x.log:2: the step is no whole number"));
  EXPECT_TRUE(
      has(notes_of(read_log(kPlain, "0 1\n1 1,5\n2 x\n")), "x.log:2: the time is none; 2 such lines are left out"));
  EXPECT_TRUE(has(refusal_of_log(kPlain, "0 x\n1 y\n"),
                  "no line that the pattern matches can be used: x.log:1: the time is none"));
  EXPECT_TRUE(has(refusal_of_log(kPlain, "a\nb\n"), "none of its 2 lines matches the pattern"));
  EXPECT_TRUE(has(notes_of(read_log(kMegatron, megatron(1, "5") + megatron(1001, "5") + megatron(2, "5"))),
                  "x.log:2: the step is beyond the total"));
}

TEST(DescribedLog, ALineMixedWithAnotherMayBeOfEither) {
  const File profile = read_log(kMegatron, megatron(1, "5.0") + " iteration 2/ 9 | consumed samples: 8" +
                                               megatron(5, "9.0") + megatron(3, "4.0") + megatron(4, "3.0"));
  EXPECT_EQ(lines_of(profile).size(), 3u);
  EXPECT_TRUE(has(notes_of(profile), "x.log:2: a time behind the beginnings of two lines may be of either"));
  EXPECT_EQ(lines_of(read_log(R"((?<step0>\d+).*time (?<time>\S+))", "10/20 time 1\n11/20 time 2\n")).size(), 2u)
      << "every line looks so: it is the pattern";
}

TEST(DescribedLog, TheLastLineHasToHaveItsEnd) {
  const std::string whole = verl(1, "31.5") + verl(2, "31.5");
  const File cut = read_log(kVerl, whole.substr(0, whole.size() - 1));
  EXPECT_EQ(lines_of(cut).size(), 1u);
  EXPECT_TRUE(has(notes_of(cut), "x.log:2: the last line has no end and is not used"));
  EXPECT_EQ(lines_of(read_log(kVerl, whole)).size(), 2u);
}

TEST(DescribedLog, AJobThatBeganAgainIsSaid) {
  const File profile = read_log(kVerl, verl(1, "1") + verl(2, "2") + verl(3, "3") + verl(2, "4") + verl(3, "5"));
  EXPECT_EQ(
      lines_of(profile),
      (Lines{{0, 0, 1000 * kMs}, {1, 1, 2000 * kMs}, {2, 2, 3000 * kMs}, {1, 1, 4000 * kMs}, {2, 2, 5000 * kMs}}));
  EXPECT_TRUE(has(notes_of(profile), "x.log:4: step 2 follows 3: the job began again; what ran twice is there twice"));
}

TEST(DescribedLog, FromTheFirstStepOnTheyAreOfAnotherEpochOrRun) {
  EXPECT_TRUE(has(refusal_of_log(kVerl, verl(1, "1") + verl(2, "2") + verl(1, "3") + verl(2, "4")),
                  "x.log:3: field 'step': 1 follows 2, as of several epochs, ranks or runs"));
  const File profile = read_log(R"(epoch (?<epoch1>\d+): +(?<step1>\d+) / (?<of>\d+) .*wall=(?<clock>\d+))",
                                "| epoch 001:    100 / 150 loss=7.6, num_updates=96, wall=240\n"
                                "| epoch 002:     50 / 140 loss=4.6, num_updates=196, wall=340\n"
                                "| epoch 004:     10 / 150 loss=4.6, num_updates=196, wall=590\n");
  EXPECT_EQ(lines_of(profile), (Lines{{100, 199, 1000 * kMs}, {200, 449, 1000 * kMs}}))
      << "the third is taken to be as large as the fourth";
  EXPECT_TRUE(has(notes_of(profile), "epochs differ in how many steps they have"));
}

TEST(DescribedLog, AnEpochWithoutATotalEndsWithItsLastLine) {
  const File profile =
      read_log(R"((?<epoch1>\d+)epoch:train:\d+-(?<iteration1>\d+)batch:.*train_time=(?<time>[\d.e+-]+))",
               "1epoch:train:1-20batch: train_time=0.5\n1epoch:train:21-40batch: train_time=0.25\n"
               "2epoch:train:1-20batch: train_time=0.5\n",
               20);
  EXPECT_EQ(lines_of(profile), (Lines{{0, 19, 500 * kMs}, {20, 39, 250 * kMs}, {40, 59, 500 * kMs}}));
  EXPECT_TRUE(has(notes_of(profile), "an epoch is taken to end with its last line: the first has 40 steps"));
  EXPECT_EQ(profile.profile.log_unit, profile::LogUnit::iteration);
}

constexpr auto kRanks = R"(^(?<rank>\S+) (?<step1>\d+) (?<time>\S+)$)";

TEST(DescribedLog, AStepIsAsLongAsTheSlowestRank) {
  const File profile = read_log(kRanks, "DP=0 1 0.5\nDP=1 1 0.75\nDP=1 2 0.25\nDP=0 2 0.125\n");
  EXPECT_EQ(lines_of(profile), (Lines{{0, 0, 750 * kMs}, {1, 1, 250 * kMs}}));
  EXPECT_TRUE(has(notes_of(profile), "lines of 2 ranks"));
  EXPECT_TRUE(profile.log.findings.empty());
}

TEST(DescribedLog, ARankThatEndsEarlyIsAFinding) {
  const File profile = read_log(kRanks, "a 1 1\nb 1 2\na 2 1\nb 2 2\na 3 1\na 4 1\na 5 1\n");
  ASSERT_EQ(profile.log.findings.size(), 1u);
  EXPECT_EQ(profile.log.findings[0].kind.id, "ranks-missing");
  EXPECT_TRUE(profile.log.findings[0].severe);
  EXPECT_TRUE(
      has(notes_of(profile), "x.log:5: iteration 2: 2 of 5 steps lack some of the 2 ranks, and may be too short"));
  EXPECT_TRUE(read_log(kRanks, "a 1 1\nb 1 2\na 2 1\n").log.findings.empty()) << "the last may still be written";
}

TEST(DescribedLog, LengthsAreOfTheStep) {
  const File profile = read_log(R"(^(?<step1>\d+) (?<seqlen>\d+) (?<tokens>\S+) (?<time>\S+)$)",
                                "1 128 1,024 0.5\n2 64 512 0.25\n3 64 5.1K 0.25\n");
  ASSERT_EQ(profile.profile.steps.size(), 2u);
  EXPECT_EQ(profile.profile.steps[0].identity.key.src_len, 128u);
  EXPECT_EQ(profile.profile.steps[0].identity.key.tokens, 1024u);
  EXPECT_TRUE(has(notes_of(profile), "x.log:3: tokens, the length or the total are no whole number"));
}

TEST(DescribedLog, TheTotalOfTheLogIsThatOfTheRun) {
  const auto refusal_of = [](const File& log, std::uint64_t steps, std::uint64_t epochs = 1) {
    try {
      io::profiles::require_stated_steps(log.log, "x.log", steps, epochs, "run.csv");
    } catch (const InputError& error) {
      return error.problems().front().message();
    }
    return std::string();
  };
  const File from_1 = read_log(kMegatron, megatron(1, "5") + megatron(2, "5"));
  EXPECT_EQ(refusal_of(from_1, 1000), "");
  EXPECT_TRUE(
      has(refusal_of(from_1, 400), "x.log:2: field 'of': says that there are 1000 steps in all, and run.csv has 400"));
  EXPECT_NE(refusal_of(from_1, 1001), "");
  const File from_0 = read_log(R"((?<step0>\d+)/(?<of>\d+) (?<time>\S+))", "0/199 1\n1/199 1\n");
  EXPECT_EQ(refusal_of(from_0, 199), "");
  EXPECT_EQ(refusal_of(from_0, 200), "") << "it may be the number of the last";
  EXPECT_NE(refusal_of(from_0, 800), "");
  const File of_epochs =
      read_log(R"(\[(?<epoch0>\d+)\]\[(?<step0>\d+)/(?<of>\d+)\] (?<time>\S+))", "[0][0/40] 1\n[0][1/40] 1\n");
  EXPECT_EQ(refusal_of(of_epochs, 80, 2), "");
  EXPECT_NE(refusal_of(of_epochs, 80, 1), "");
}

TEST(DescribedLog, OtherFilesAreNone) {
  EXPECT_TRUE(
      has(refusal_of_log(kPlain, R"({"schemaVersion":1,"traceEvents":[]})"), "is no log but of the format kineto"));
  EXPECT_TRUE(has(refusal_of_log(kPlain, std::string("0 1\n\0\1\2", 7)), "is a binary file"));
  EXPECT_THROW(read_profile_file("x.log", "0 1\n", nullptr, "log"), UsageError) << "nothing describes it";
}

}  // namespace
}  // namespace seqpoint::testing
