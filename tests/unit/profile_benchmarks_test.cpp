// Results of benchmark tools, on examples whose figures can be worked out by hand.
#include <gtest/gtest.h>

#include "unit/profile_checks.hpp"

namespace seqpoint::testing {
namespace {

TEST(GoogleBenchmark, RepetitionsGoBeforeAggregates) {
  const profile::StepProfile profile = read_steps("x.json", R"(Run on (4 X 2.7 MHz)
{"context": {"library_build_type": "release"}, "benchmarks": [
 {"name": "BM/42/repeats:2", "run_name": "BM/42/repeats:2", "run_type": "iteration", "iterations": 10, "real_time": 1.5, "time_unit": "ms", "flops": 9},
 {"name": "BM/42/repeats:2", "run_name": "BM/42/repeats:2", "run_type": "iteration", "iterations": 10, "real_time": 2.5, "time_unit": "ms", "flops": NaN},
 {"name": "BM/42/repeats:2_mean", "run_name": "BM/42/repeats:2", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 2, "time_unit": "ms"},
 {"name": "BM/42/repeats:2_cv", "run_name": "BM/42/repeats:2", "run_type": "aggregate", "aggregate_name": "cv", "aggregate_unit": "percentage", "real_time": 0.35, "time_unit": "ms"},
 {"name": "BM/50_mean", "real_time": 8, "time_unit": "us"}, {"name": "BM/50_median", "real_time": 7, "time_unit": "us", "iterations": 5},
 {"name": "BM/60", "run_type": "iteration", "error_occurred": true, "error_message": "NaN", "real_time": 0, "time_unit": "ns"},
 {"name": "BM_BigO", "big_o": "N", "real_coefficient": 1.0, "time_unit": "ns"}]})");
  ASSERT_EQ(profile.steps.size(), 3u);
  EXPECT_EQ(profile.steps[0].host_ns, 1500000);
  EXPECT_EQ(profile.steps[0].identity.key.src_len, 42u);
  EXPECT_EQ(profile.steps[1].host_ns, 2500000);
  EXPECT_EQ(profile.steps[2].key, "BM/50");
  EXPECT_EQ(profile.steps[2].host_ns, 7000);
  EXPECT_EQ(profile.steps[2].repeats, 5u);
  EXPECT_EQ(metric(profile, 0, "flops"), 9);
}

TEST(Hyperfine, EveryRunThatSucceeded) {
  const profile::StepProfile profile = read_steps(
      "x.json",
      R"({"results": [{"command": "train", "mean": 9, "times": [0.01074585146, 0.25, 0.5], "exit_codes": [0, 1, null],
    "parameters": {"seqlen": "42"}}, {"command": "train --seqlen 17", "mean": 0.125}]})");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].host_ns, 10745851);
  EXPECT_EQ(profile.steps[0].identity.key.src_len, 42u);
  EXPECT_EQ(profile.steps[1].host_ns, 125000000);
  EXPECT_EQ(profile.steps[1].identity.key.src_len, 17u);
  EXPECT_TRUE(has(profile.notes.at(0), "2 runs failed"));
}

TEST(PytestBenchmark, RoundsElseTheirMean) {
  const profile::StepProfile profile = read_steps("x.json", R"({"machine_info": {}, "benchmarks": [
    {"name": "test[a]", "params": {"seqlen": 42}, "stats": {"mean": 9, "rounds": 2, "data": [0.001, 0.002]}},
    {"name": "test[17]", "params": null, "stats": {"mean": 0.5, "rounds": 9987}}]})");
  ASSERT_EQ(profile.steps.size(), 3u);
  EXPECT_EQ(profile.steps[1].host_ns, 2000000);
  EXPECT_EQ(profile.steps[2].host_ns, 500000000);
  EXPECT_EQ(profile.steps[2].repeats, 9987u);
  EXPECT_EQ(profile.steps[2].identity.key.src_len, 17u);
}

TEST(Benchmarks, WhatIsNoTimeIsRefused) {
  EXPECT_TRUE(has(problem_of("x.json", R"({"results": [{"command": "a", "mean": null, "times": [-1]}]})"),
                  "results 'a'.times[0]': is not a time in seconds"));
  EXPECT_TRUE(has(problem_of("x.json", R"({"benchmarks": [{"name": "a", "real_time": -3, "time_unit": "ns"}]})"),
                  "benchmarks 'a'"));
  EXPECT_TRUE(has(problem_of("x.json", R"({"benchmarks": [{"name": "a", "real_time": 3, "time_unit": "fortnights"}]})"),
                  "benchmarks 'a'"));
  EXPECT_TRUE(has(problem_of("x.json", R"({"benchmarks": [{"name": "a", "real_time": 3, "time_unit": "ns"})"),
                  "ends before the JSON does"));
  EXPECT_TRUE(has(problem_of("x.json", R"({"benchmarks": {}, "time_unit": 1})"), "no array"));
  EXPECT_TRUE(has(problem_of("x.json", R"({"machine_info": 1, "benchmarks": [{"name": "a"}]})"), "stats': is missing"));
}

TEST(PerfStat, LinesOfJson) {
  const profile::StepProfile profile = read_steps(
      "sp1.jsonl",
      "# started on Mon\n\n"
      R"({"counter-value" : "3805.723968", "unit" : "msec", "event" : "task-clock", "event-runtime" : 1, "pcnt-running" : 100.00})"
      "\n"
      R"({"counter-value" : "<not counted>", "unit" : "", "event" : "cycles", "pcnt-running" : 0.00, })"
      "\n"
      R"({"counter-value" : "1500", "event" : "instructions:u"}{"counter-value" : "2000000", "unit" : "ns", "event" : "duration_time"})"
      "\n"
      R"({"metric-value" : "1.36", "metric-unit" : "insn per cycle"})"
      "\n");
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "sp1");
  EXPECT_EQ(profile.steps[0].host_ns, 2000000);
  EXPECT_DOUBLE_EQ(metric(profile, 0, "task-clock_s"), 3.805723968) << "CPU time, over all CPUs: no wall time";
  EXPECT_EQ(metric(profile, 0, "instructions:u"), 1500);
  EXPECT_TRUE(has(profile.notes.at(0), "1 event not counted"));
}

TEST(PerfStat, WithoutItsTimeThatIsSaid) {
  const profile::StepProfile profile = read_steps("x.txt", "70;;page-faults:u;1204272;100.00;;\n");
  EXPECT_TRUE(has(profile.notes.at(0), "has no duration_time"));
}

TEST(PerfStat, ItsTableForPeopleIsRefused) {
  EXPECT_TRUE(has(problem_of("x.txt",
                             "\n Performance counter stats for 'sleep 1':\n\n     1,234,567      cycles      #    "
                             "0.003 GHz\n\n       1.000981 seconds time elapsed\n"),
                  "is perf stat's table for people"));
}

TEST(PerfStat, RunsThatWereAppendedAreStepsOfTheirOwn) {
  const std::string header = "# started on Mon\n\n", cycles = "7;;cycles;1;100.00;;\n",
                    first = "2000000;ns;duration_time;1;100.00;;\n", second = "3000000;ns;duration_time;1;100.00;;\n";
  const profile::StepProfile profile = read_steps("sp1.csv", header + cycles + first + header + cycles + second);
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].host_ns, 2000000);
  EXPECT_EQ(profile.steps[1].key, "sp1");
  EXPECT_EQ(profile.steps[1].host_ns, 3000000);
  EXPECT_EQ(metric(profile, 1, "cycles"), 7);
  const auto json = [](const char* ns) {
    return std::string("# started on Mon\n{\"counter-value\" : \"") + ns +
           "\", \"unit\" : \"ns\", \"event\" : \"duration_time\"}\n";
  };
  EXPECT_EQ(read_steps("sp1.jsonl", json("2000000") + json("3000000")).steps.size(), 2u);
  EXPECT_TRUE(
      has(problem_of("sp1.csv", header + first + second), "sp1.csv:4: field 'duration_time': stands there twice"));
}

TEST(PerfStat, CountsThatAreAddedUpAreSaidUnlessTheyAreOfParts) {
  const auto notes_of = [](const char* file, const std::string& text) {
    std::string notes;
    for (const std::string& note : read_steps(file, text).notes) notes += note + '\n';
    return notes;
  };
  const std::string json = R"({"counter-value" : "70", "unit" : "", "event" : "cycles"})",
                    of_cpu = R"({"cpu" : "1", "counter-value" : "70", "unit" : "", "event" : "cycles"})",
                    csv = "7;;cycles;1;100.00;;\n", said = "'cycles' stands there more than once for a run";
  EXPECT_TRUE(has(notes_of("a.jsonl", json + '\n' + json + '\n'), said));
  EXPECT_TRUE(has(notes_of("a.csv", csv + csv), said));
  EXPECT_FALSE(has(notes_of("a.jsonl", json + '\n'), said));
  EXPECT_FALSE(has(notes_of("a.jsonl", of_cpu + '\n' + of_cpu + '\n'), said));
  EXPECT_FALSE(has(notes_of("a.csv", "CPU0;" + csv + "CPU1;" + csv), said));
  EXPECT_FALSE(has(notes_of("a.csv", "1.5;CPU0;" + csv + "1.5;CPU1;" + csv + "2.5;CPU0;" + csv), said));
}

TEST(PerfStat, SeparatedValuesWithIntervalsAndCpus) {
  const profile::StepProfile profile =
      read_steps("x.txt",
                 "# started on Mon\n\n     1.000112;CPU0;1;70;;page-faults:u;1204272;100.00;58.1;K/sec\n"
                 "     1.000112;CPU1;1;30;;page-faults:u;1204272;100.00;;\n     "
                 "2.000112;CPU0;1;7;;page-faults:u;1204272;100.00;;\n");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "interval 1.000112");
  EXPECT_EQ(metric(profile, 0, "page-faults:u"), 100);
  EXPECT_EQ(metric(profile, 1, "page-faults:u"), 7);
}

}  // namespace
}  // namespace seqpoint::testing
