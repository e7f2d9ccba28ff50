// Tables of profilers, on examples whose figures can be worked out by hand.
#include <gtest/gtest.h>

#include "io/profiles/engine/ncu_numbers.hpp"
#include "unit/profile_checks.hpp"

namespace seqpoint::testing {
namespace {

TEST(NsysStats, TheMedianOfTheInstances) {
  const profile::StepProfile profile =
      read_steps("nvtx.csv",
                 "Generating SQLite file /tmp/a.sqlite from /tmp/a.nsys-rep\nProcessing [/tmp/a.sqlite] with "
                 "[/opt/nvtx_sum.py]... \n"
                 "Time (%),Total Time (us),Instances,Avg (us),Med (us),Min (us),Max (us),StdDev (us),Style,Range\n"
                 "61.5,8000,4,2000.0,1950.0,1900,2200,135.4,PushPop,:iter seqlen=17\n"
                 "38.5,\"5,000\",1,5000.0,\"5,000.0\",5000,5000,0.0,PushPop,\"train:iter seqlen=42, warm\"\n\n"
                 "Time (%),Total Time (us),Instances,Avg (us),Med (us),Min (us),Max (us),StdDev (us),Name\n"
                 "75.0,3000,10,300.0,300.0,290,310,5.0,\"void gemm<float, 128>(T1 *)\"\n");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "iter seqlen=17");
  EXPECT_EQ(profile.steps[0].host_ns, 1950000);
  EXPECT_EQ(profile.steps[0].repeats, 4u);
  EXPECT_EQ(profile.steps[1].key, "train:iter seqlen=42, warm");
  EXPECT_EQ(profile.steps[1].host_ns, 5000000);
}

TEST(NsysStats, KernelsAloneAreOneStep) {
  const profile::StepProfile profile =
      read_steps("sp1.csv",
                 "Time(%),Total Time,Instances,Average,Minimum,Maximum,Name\n75.0,3000,10,300,290,310,\"a<b, "
                 "c>\"\n25.0,1000,20,50,49,51,d\n");
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 4000);
  EXPECT_EQ(profile.steps.at(0).gpu_ops, 30u);
}

TEST(NsysStats, ADecimalCommaIsNoThousands) {
  const auto report = [](const std::string& median) {
    return "Time (%),Total Time (ns),Instances,Med (ns),Range\n1,5000,1,\"" + median + "\",:seqlen=42\n";
  };
  EXPECT_EQ(read_steps("x.csv", report("1,234,567.0")).steps.at(0).host_ns, 1234567);
  EXPECT_TRUE(has(problem_of("x.csv", report("1234,5")), "\"1234,5\" is no duration"));
  EXPECT_TRUE(has(problem_of("x.csv", report("1.234,567")), "is no duration"));
}

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
  EXPECT_TRUE(
      has(profile.notes.at(0), "x.csv: 1 line of fewer cells than a row has: passed over, the first in line 4"));
}

TEST(Ncu, AnotherTableBehindItIsRefused) {
  const std::string row = "\"0\",\"1\",\"a\",\"8.0\",\"s\",\"gpu__time_duration.sum\",\"ns\",\"3000\"\n";
  EXPECT_TRUE(has(problem_of("x.csv", std::string(kNcuHead) + row +
                                          "\"ID\",\"Kernel Name\",\"CC\",\"x\"\n\"0\",\"a\",\"8\",\"1\"\n"),
                  "x.csv:3: another table begins here"));
  EXPECT_EQ(read_steps("x.csv", std::string(kNcuHead) + row + kNcuHead + row).steps.at(0).gpu_sum_ns, 3000)
      << "of the same launch";
}

TEST(NsysStats, ARowThatIsCutShortIsNoEndOfTheReport) {
  EXPECT_TRUE(has(
      problem_of("x.csv",
                 "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Range\n50.0,10,1,10.0,10.0,iter 1\n50.0,10,1\n"),
      "x.csv:3: has fewer fields than the header"));
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

TEST(Rocprof, AFileIsAStep) {
  const profile::StepProfile profile = read_steps(
      "sp3.csv",
      "\"Index\",\"KernelName\",\"gpu-id\",\"SQ_WAVES\",\"DispatchNs\",\"BeginNs\",\"EndNs\",\"CompleteNs\","
      "\"DurationNs\"\n"
      "0,\"gemm(float*, int) [clone .kd]\",1,10,1000,1200,2700,2711,1500\n1,softmax.kd,2,5,4000,2200,6700,6712,4500\n");
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "sp3");
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 6000);
  EXPECT_EQ(profile.steps[0].gpu_busy_ns, 5500) << "the two devices overlap";
  EXPECT_EQ(profile.steps[0].gpu_span_ns, 5500);
  EXPECT_EQ(profile.steps[0].kernels,
            (std::vector<profile::Operation>{{"softmax", 1, 4500}, {"gemm(float*, int)", 1, 1500}}));
  EXPECT_EQ(profile.metrics, std::vector<std::string>{"SQ_WAVES"});
  EXPECT_EQ(metric(profile, 0, "SQ_WAVES"), 15);
}

TEST(Rocprof, CountersWithoutTimesHaveNoTime) {
  const profile::StepProfile profile = read_steps("x.csv", "Index,KernelName,gpu-id,SQ_WAVES\n\n0,gemm,1,10\n");
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, std::nullopt);
  EXPECT_EQ(metric(profile, 0, "SQ_WAVES"), 10);
}

TEST(Rocprof, AKernelThatEndsBeforeItBeginsIsRefused) {
  EXPECT_TRUE(has(problem_of("x.csv", "Index,KernelName,gpu-id,BeginNs,EndNs\n0,a,1,200,100\n"),
                  "x.csv:2: field 'EndNs': 100 is before the start, 200"));
  EXPECT_TRUE(has(problem_of("x.csv", "Index,KernelName,gpu-id,BeginNs,EndNs\n0,a,1,2x,100\n"),
                  "\"2x\" is not a whole number"));
  EXPECT_TRUE(has(problem_of("x.csv", "Index,KernelName,gpu-id,BeginNs,EndNs\n"), "no kernels"));
}

constexpr auto kV3Kernels =
    "\"Kind\",\"Agent_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
    "\"KERNEL_DISPATCH\",\"Agent 4\",\"softmax\",12,9000,9500\n\"KERNEL_DISPATCH\",\"Agent 4\",\"gemm\",11,1500,1900\n";
constexpr auto kV3Markers =
    "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
    "\"MARKER_CORE_API\",\"iter seqlen=17\",7,7,1,1000,2000\n\"MARKER_CORE_API\",\"a mark\",7,7,2,1100,1100\n"
    "\"MARKER_CORE_RANGE_API\",\"iter seqlen=42\",7,0,3,2000,4000\n";

TEST(Rocprofv3, ThreeFilesOfARunTogether) {
  MemoryFiles files;
  files.contents = {
      {"d/run_marker_api_trace.csv", kV3Markers},
      {"d/run_hip_api_trace.csv",
       "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
       "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",7,7,11,1200,1210\n\"HIP_RUNTIME_API\",\"hipLaunchKernel\",7,7,12,2100,"
       "2110\n"}};
  const profile::StepProfile profile =
      read_profile_file("d/run_kernel_trace.csv", kV3Kernels, nullptr, {}, files).profile;
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "iter seqlen=17");
  EXPECT_EQ(profile.steps[0].host_ns, 1000);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 400);
  EXPECT_EQ(profile.steps[1].gpu_sum_ns, 500) << "launched in the second range, though it ran long after";
}

TEST(Rocprofv3, WithoutAHipTraceKernelsCountWhereTheyRan) {
  MemoryFiles files;
  files.contents = {{"run_marker_api_trace.csv", kV3Markers}};
  const profile::StepProfile profile =
      read_profile_file("run_kernel_trace.csv", kV3Kernels, nullptr, {}, files).profile;
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 400);
  EXPECT_EQ(profile.steps.at(1).gpu_sum_ns, 0);
  EXPECT_EQ(profile.unattributed_gpu_ops, 1u);
}

TEST(Rocprofv3, RenamedKernelsAreSteps) {
  const profile::StepProfile profile = read_steps(
      "run_kernel_trace.csv",
      "Kind,Kernel_Name,Start_Timestamp,End_Timestamp\nK,seqlen=17,10,15\nK,seqlen=17,15,25\nK,seqlen=42,30,37\n");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "seqlen=17");
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 15);
}

TEST(Rocprofv3, ADispatchHasARowACounterAndItsTimeOnce) {
  const profile::StepProfile profile = read_steps(
      "sp1.csv",
      "Dispatch_Id,Agent_Id,Process_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n"
      "1,Agent 1,5,a,SQ_WAVES,10.0,100,150\n1,Agent 1,5,a,GRBM_COUNT,7,100,150\n2,Agent 1,5,a,SQ_WAVES,1,200,260\n");
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 110);
  EXPECT_EQ(metric(profile, 0, "SQ_WAVES"), 11);
  EXPECT_EQ(metric(profile, 0, "GRBM_COUNT"), 7);
}

}  // namespace
}  // namespace seqpoint::testing
