// Tables of Nsight Compute, on examples whose figures can be worked out by hand.
#include <gtest/gtest.h>

#include "io/profiles/engine/ncu_numbers.hpp"
#include "unit/profile_checks.hpp"

namespace seqpoint::testing {
namespace {

constexpr auto kNcuHead =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

TEST(Ncu, UnitsMayDifferFromRowToRow) {
  const std::string long_form =
      std::string("==PROF== Connected\n") + kNcuHead +
      "\"0\",\"1\",\"gemm(float *)\",\"8.0\",\"Command line profiler "
      "metrics\",\"gpu__time_duration.sum\",\"nsecond\",\"152,192\"\n"
      "\"0\",\"1\",\"gemm(float *)\",\"8.0\",\"Command line profiler metrics\",\"dram__bytes.sum\",\"Mbyte\",\"2.50\"\n"
      "\"1\",\"1\",\"softmax\",\"8.0\",\"Command line profiler "
      "metrics\",\"gpu__time_duration.sum\",\"usecond\",\"3.20\"\n"
      "\"1\",\"1\",\"softmax\",\"8.0\",\"Command line profiler metrics\",\"dram__bytes.sum\",\"Kbyte\",\"n/a\"\n";
  const profile::StepProfile profile = read_steps("sp1.ncu.csv", long_form);
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "sp1");
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 152192 + 3200);
  EXPECT_EQ(profile.steps[0].kernels,
            (std::vector<profile::Operation>{{"gemm(float *)", 1, 152192}, {"softmax", 1, 3200}}));
  EXPECT_DOUBLE_EQ(metric(profile, 0, "dram__bytes.sum"), 2.5e6);
}

TEST(Ncu, ADurationThatWasNotMeasuredIsSaid) {
  const std::string text = std::string(kNcuHead) +
                           "\"0\",\"1\",\"a\",\"8.0\",\"s\",\"gpu__time_duration.sum\",\"ns\",\"3000\"\n"
                           "\"1\",\"1\",\"b\",\"8.0\",\"s\",\"gpu__time_duration.sum\",\"ns\",\"n/a\"\n";
  const profile::StepProfile profile = read_steps("x.csv", text);
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 3000);
  EXPECT_TRUE(has(profile.notes.back(), "1 duration not measured (n/a)"));
}

TEST(Ncu, ALastLineWithoutItsEndIsSaid) {
  const std::string text =
      std::string(kNcuHead) + "\"0\",\"1\",\"a\",\"8.0\",\"s\",\"gpu__time_duration.sum\",\"ns\",\"3000\"";
  EXPECT_TRUE(has(read_steps("x.csv", text).notes.back(), "x.csv: the last line has no line end"));
  EXPECT_FALSE(has(read_steps("x.csv", text + "\n").notes.back(), "no line end"));
}

TEST(Ncu, MeansCountAsMuchAsTheKernelTook) {
  const std::string text = std::string(kNcuHead) +
                           "\"0\",\"1\",\"a\",\"8.0\",\"s\",\"gpu__time_duration.sum\",\"ns\",\"3000\"\n\"0\",\"1\","
                           "\"a\",\"8.0\",\"s\",\"sm__warps.avg\",\"%\",\"10.5\"\n"
                           "\"1\",\"1\",\"b\",\"8.0\",\"s\",\"gpu__time_duration.sum\",\"ns\",\"1000\"\n\"1\",\"1\","
                           "\"b\",\"8.0\",\"s\",\"sm__warps.avg\",\"%\",\"50.5\"\n";
  EXPECT_DOUBLE_EQ(metric(read_steps("x.csv", text), 0, "sm__warps.avg"), (3 * 10.5 + 50.5) / 4);
}

TEST(Ncu, AnotherLocaleIsSeenInAnyOfTheValues) {
  const std::string text = std::string(kNcuHead) +
                           "\"0\",\"7\",\"gemm\",\"8.9\",\"s\",\"gpu__time_duration.sum\",\"ns\",\"117.344\"\n"
                           "\"0\",\"7\",\"gemm\",\"8.9\",\"s\",\"dram__bytes.sum\",\"byte\",\"27.595.520\"\n\"0\","
                           "\"7\",\"gemm\",\"8.9\",\"s\",\"sm__x.pct\",\"%\",\"65,77\"\n";
  const profile::StepProfile profile = read_steps("x.csv", text);
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 117344);
  EXPECT_EQ(metric(profile, 0, "dram__bytes.sum"), 27595520);
  EXPECT_DOUBLE_EQ(metric(profile, 0, "sm__x.pct"), 65.77);
}

TEST(Ncu, ColumnsOfRulesMayBeLeftOff) {
  const std::string text =
      "\"ID\",\"Process ID\",\"Kernel Name\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
      "Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\"\n"
      "\"0\",\"1\",\"gemm\",\"8.0\",\"GPU Speed Of Light Throughput\",\"Duration\",\"ns\",\"3,000\",\n"
      "\"0\",\"1\",\"gemm\",\"8.0\",\"SpeedOfLight\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\",\"Memory, mostly\"\n"
      "==WARNING== one line\n"
      "\"1\",\"1\",\"gemm\",\"8.0\",\"GPU Speed Of Light Throughput\",\"Duration\",\"ns\",\"1,000\",\n";
  const profile::StepProfile profile = read_steps("x.csv", text);
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 4000);
  EXPECT_EQ(profile.steps.at(0).gpu_ops, 2u);
  EXPECT_TRUE(has(profile.notes.at(0), "x.csv: 1 line with too few cells skipped, the first in line 4"));
}

TEST(Ncu, AnotherTableBehindItIsRefused) {
  const std::string row = "\"0\",\"1\",\"a\",\"8.0\",\"s\",\"gpu__time_duration.sum\",\"ns\",\"3000\"\n";
  EXPECT_TRUE(has(problem_of("x.csv", std::string(kNcuHead) + row +
                                          "\"ID\",\"Kernel Name\",\"CC\",\"x\"\n\"0\",\"a\",\"8\",\"1\"\n"),
                  "x.csv:3: another table begins here"));
  EXPECT_EQ(read_steps("x.csv", std::string(kNcuHead) + row + kNcuHead + row).steps.at(0).gpu_sum_ns, 3000)
      << "of the same launch";
}

TEST(NcuNumbers, TheStyleIsTheFiles) {
  const auto european = [](std::vector<std::string> cells) {
    return io::profiles::engine::NcuNumbers(cells).european();
  };
  EXPECT_TRUE(european({"117.344", "65,77"}));
  EXPECT_TRUE(european({"1.234.567"}));
  EXPECT_TRUE(european({"1.234,5"}));
  EXPECT_FALSE(european({"117.344"})) << "nothing says otherwise";
  EXPECT_FALSE(european({"1,234,567"}));
  EXPECT_FALSE(european({"1,234.5"}));
  EXPECT_FALSE(european({"2,848", "3.20"}));
}

TEST(Ncu, RangesOfTheLaunchAreSteps) {
  const std::string text =
      "\"ID\",\"Process ID\",\"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Kernel "
      "Name\",\"CC\",\"gpu__time_duration.sum\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"ns\"\n"
      "\"0\",\"42\",\"1  \"\"<default domain>:iter seqlen=17:none:none:none:none:none:none\"\"  \"\"<default "
      "domain>:forward:none:none:none:none:none:none\"\" \",\"a\",\"8.0\",\"1,500\"\n"
      "\"1\",\"42\",\"1  \"\"train:iter seqlen=42: warm:none:none:none:none:none:none\"\" \",\"b\",\"8.0\",\"4,500\"\n";
  const profile::StepProfile profile = read_steps("x.csv", text);
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "iter seqlen=17");
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 1500);
  EXPECT_EQ(profile.steps[1].key, "iter seqlen=42: warm");
  EXPECT_EQ(profile.steps[1].gpu_sum_ns, 4500);
}

}  // namespace
}  // namespace seqpoint::testing
