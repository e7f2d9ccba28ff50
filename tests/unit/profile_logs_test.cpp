// Logs of training and traces of TensorFlow, on examples whose figures can be worked out by hand.
#include <gtest/gtest.h>

#include <array>

#include "unit/profile_checks.hpp"

namespace seqpoint::testing {
namespace {

TEST(Mllog, IntervalsAreSteps) {
  const profile::StepProfile profile = read_steps(
      "x.log",
      "noise\n0: :::MLLOG {\"time_ms\": 1000, \"event_type\": \"INTERVAL_START\", \"key\": \"run_start\", "
      "\"metadata\": {}}\n"
      "1: :::MLLOG {\"time_ms\": 1001, \"event_type\": \"INTERVAL_START\", \"key\": \"run_start\", \"metadata\": {}}\n"
      ":::MLLOG {\"time_ms\": 1100, \"event_type\": \"INTERVAL_START\", \"key\": \"epoch_start\", \"metadata\": "
      "{\"epoch_num\": 3}}\n"
      ":::MLLOG {\"time_ms\": 1400, \"event_type\": \"INTERVAL_END\", \"key\": \"epoch_stop\", \"metadata\": "
      "{\"epoch_num\": 3}}\n"
      ":::MLLOG {\"time_ms\": 1400, \"event_type\": \"INTERVAL_END\", \"key\": \"epoch_stop\", \"metadata\": "
      "{\"epoch_num\": 3}}\n"
      ":::MLLOG {\"time_ms\": 2000, \"event_type\": \"INTERVAL_END\", \"key\": \"run_stop\", \"metadata\": "
      "{\"status\": \"success\"}}\n");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "epoch 3");
  EXPECT_EQ(profile.steps[0].host_ns, 300000000);
  EXPECT_EQ(profile.steps[1].key, "run");
  EXPECT_EQ(profile.steps[1].host_ns, 1000000000) << "from the first rank's start";
}

TEST(Mllog, BeforeV07LinesHadSeconds) {
  const profile::StepProfile profile =
      read_steps("x.log",
                 ":::MLL 1541635753.125 epoch_start: {\"value\": null, \"metadata\": {\"epoch_num\": 1}}\n"
                 ":::MLL 1541635753.375 epoch_stop: {\"value\": null, \"metadata\": {\"epoch_num\": 1}}\n");
  EXPECT_EQ(profile.steps.at(0).host_ns, 250000000);
}

TEST(Mllog, AClockThatWasSetIsSeen) {
  EXPECT_TRUE(
      has(problem_of("x.log",
                     ":::MLLOG {\"time_ms\": 1000, \"event_type\": \"INTERVAL_START\", \"key\": \"run_start\"}\n"
                     ":::MLLOG {\"time_ms\": 999, \"event_type\": \"INTERVAL_END\", \"key\": \"run_stop\"}\n"),
          "x.log:2: 'run' ends before it begins"));
}

/// `KEY EPOCH MILLISECONDS` for every event; an epoch of "-" is none.
std::string mllog(const std::vector<std::array<std::string, 3>>& events, const std::string& type = "") {
  std::string text;
  for (const auto& [key, epoch, ms] : events)
    text += ":::MLLOG {\"time_ms\": " + ms + (type.empty() ? "" : ", \"event_type\": \"" + type + "\"") +
            ", \"key\": \"" + key + "\", \"metadata\": {" + (epoch == "-" ? "" : "\"epoch_num\": " + epoch) + "}}\n";
  return text;
}
using Times = std::vector<std::pair<std::string, std::int64_t>>;  ///< milliseconds by name
Times times_of(const profile::StepProfile& profile) {
  Times times;
  for (const profile::ProfiledStep& step : profile.steps) times.emplace_back(step.key, *step.host_ns / 1000000);
  return times;
}

TEST(Mllog, IntervalsThatOverlapGoByTheirEpoch) {
  const profile::StepProfile profile = read_steps("x.log", mllog({{"block_start", "1", "0"},
                                                                  {"block_start", "2", "900"},
                                                                  {"eval_start", "1", "1000"},
                                                                  {"block_start", "3", "1700"},
                                                                  {"eval_stop", "1", "1800"},
                                                                  {"block_stop", "1", "1801"},
                                                                  {"block_stop", "2", "2801"},
                                                                  {"block_stop", "3", "3801"}}));
  EXPECT_EQ(times_of(profile), (Times{{"eval 1", 800}, {"block 1", 1801}, {"block 2", 1901}, {"block 3", 2101}}));
  EXPECT_TRUE(profile.notes.empty());
}

TEST(Mllog, IntervalsThatDoNotOverlapNeedNoNumber) {
  // BERT's epoch stops with the number of samples, LLaMA's block with another count than it began with.
  const profile::StepProfile profile = read_steps("x.log", mllog({{"epoch_start", "0", "0"},
                                                                  {"eval_start", "2", "10"},
                                                                  {"eval_stop", "1", "30"},
                                                                  {"eval_start", "3", "40"},
                                                                  {"eval_stop", "2", "70"},
                                                                  {"epoch_stop", "2547965", "100"},
                                                                  {"run_start", "-", "5"},
                                                                  {"run_stop", "7", "99"}}));
  EXPECT_EQ(times_of(profile), (Times{{"eval 2", 20}, {"eval 3", 30}, {"epoch 0", 100}, {"run", 94}}));
}

TEST(Mllog, WhatDoesNotGoTogetherIsLeftOutAndNamed) {
  const profile::StepProfile profile = read_steps("x.log", mllog({{"block_start", "1", "0"},
                                                                  {"block_start", "2", "10"},
                                                                  {"block_stop", "0", "20"},
                                                                  {"block_start", "3", "30"},
                                                                  {"block_stop", "1", "40"},
                                                                  {"run_start", "-", "5"},
                                                                  {"run_stop", "-", "99"}}));
  EXPECT_EQ(times_of(profile), (Times{{"run", 94}}));
  ASSERT_EQ(profile.notes.size(), 1u);
  EXPECT_TRUE(has(profile.notes[0], "intervals of 'block' are left out"));
}

TEST(Mllog, TheTypeOfAnEventIsNotLookedAt) {
  const std::vector<std::array<std::string, 3>> events{{"run_start", "-", "0"}, {"run_stop", "-", "70"}};
  for (const char* const type : {"", "INTERVAL_START", "INTERVAL_END", "POINT_IN_TIME"})
    EXPECT_EQ(times_of(read_steps("x.log", mllog(events, type))), (Times{{"run", 70}})) << type;
}

TEST(Mllog, StandsAnywhereInALog) {
  const std::string log = "a line, that says nothing\n",
                    events = mllog({{"run_start", "-", "0"}, {"run_stop", "-", "70"}});
  std::string text;
  while (text.size() < 70 * 1024) text += log;
  EXPECT_EQ(times_of(read_steps("x.log", text + events)), (Times{{"run", 70}}));
}

TEST(Mllog, ALogWithoutIntervalsSaysSo) {
  const profile::StepProfile profile = read_steps("x.log", mllog({{"seed", "-", "0"}}));
  EXPECT_TRUE(profile.steps.empty());
  EXPECT_TRUE(has(profile.notes.at(0), "no interval begins in it"));
}

TEST(TensorFlow, TheDevicesOwnSteps) {
  const profile::StepProfile profile =
      read_steps("x.json", R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[
    {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"Steps"}},
    {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"Stream #7"}},{"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}},
    {"ph":"X","pid":1,"tid":1,"ts":1000.5,"dur":2000.25,"name":"17","args":{"group_id":"1","step_num":"17"}},
    {"ph":"X","pid":1,"tid":2,"ts":5000,"dur":10.000001,"name":"gemm","args":{"group_id":"1"}},
    {"ph":"X","pid":1,"tid":3,"ts":1100,"dur":10,"name":"fusion","args":{"group_id":"1"}},{}]})");
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "step 17");
  EXPECT_EQ(profile.steps[0].host_ns, std::nullopt);
  EXPECT_EQ(profile.steps[0].gpu_span_ns, 2000250);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 10000) << "streams only: XLA's own line repeats them";
}

TEST(TensorFlow, AStepOfTwoDevicesIsFromTheFirstToTheLast) {
  const auto device = [](const std::string& pid, const std::string& events) {
    return R"({"ph":"M","pid":)" + pid + R"(,"name":"process_name","args":{"name":"/device:GPU:0"}},)" +
           R"({"ph":"M","pid":)" + pid + R"(,"tid":1,"name":"thread_name","args":{"name":"Steps"}},)" + events;
  };
  const auto step = [](const std::string& pid, int ts, int dur) {
    return R"({"ph":"X","pid":)" + pid + R"(,"tid":1,"ts":)" + std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) +
           R"(,"name":"17"},)";
  };
  const profile::StepProfile profile =
      read_steps("x.json", R"({"metadata":{"highres-ticks":true},"traceEvents":[)" + device("1", step("1", 1000, 200)) +
                               device("2", step("2", 1050, 250) + step("2", 5000, 10)) + "{}]}");
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].gpu_span_ns, 300000) << "a later step of that number is another";
}

TEST(TensorFlow, StepsOfTheHost) {
  const profile::StepProfile profile = read_steps("x.json", R"({"metadata":{"highres-ticks":true},"traceEvents":[
    {"ph":"M","pid":7,"name":"process_name","args":{"name":"/host:CPU"}},
    {"ph":"X","pid":7,"tid":1,"ts":0,"dur":5,"name":"train","args":{"step_num":"5","group_id":"0"}},{}]})");
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "step 5");
  EXPECT_EQ(profile.steps[0].host_ns, 5000);
}

}  // namespace
}  // namespace seqpoint::testing
