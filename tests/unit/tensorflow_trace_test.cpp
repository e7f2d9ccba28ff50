// Traces of TensorFlow, on examples whose figures can be worked out by hand.
#include <gtest/gtest.h>

#include "unit/profile_checks.hpp"

namespace seqpoint::testing {
namespace {

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

TEST(TensorFlow, OperationsWithoutAGroupBelongToTheStepOfTheirDevice) {
  const profile::StepProfile profile = read_steps("x.json", R"({"metadata":{"highres-ticks":true},"traceEvents":[
    {"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:TPU:0"}},{"ph":"M","pid":3,"tid":1,"name":"thread_name","args":{"name":"Steps"}},
    {"ph":"M","pid":3,"tid":2,"name":"thread_name","args":{"name":"XLA Ops"}},
    {"ph":"X","pid":9,"tid":1,"ts":1000,"dur":50,"name":"train","args":{"step_num":"5"}},
    {"ph":"X","pid":3,"tid":1,"ts":1020,"dur":90,"name":"5"},
    {"ph":"X","pid":3,"tid":2,"ts":1030,"dur":20,"name":"fusion"},{"ph":"X","pid":3,"tid":2,"ts":1100,"dur":5,"name":"fusion"},
    {"ph":"X","pid":3,"tid":2,"ts":1200,"dur":5,"name":"between"},{}]})");
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].host_ns, 50000);
  EXPECT_EQ(profile.steps[0].gpu_ops, 2u);
  EXPECT_EQ(profile.steps[0].gpu_busy_ns, 25000) << "the second runs after the host's step has ended";
  EXPECT_EQ(profile.steps[0].weak_gpu_ops, 0u);
}

}  // namespace
}  // namespace seqpoint::testing
