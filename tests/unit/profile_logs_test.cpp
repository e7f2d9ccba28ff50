// Logs of training and traces of TensorFlow, on examples whose figures can be worked out by hand.
#include <gtest/gtest.h>

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
