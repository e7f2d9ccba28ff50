// Every profile format on an example whose figures can be worked out by hand.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "io/profiles/ncu_numbers.hpp"
#include "seqpoint/error.hpp"
#include "unit/profile_samples.hpp"
#include "unit/read_profile.hpp"

namespace seqpoint::testing {
namespace {

double metric(const StepProfile& profile, std::size_t step, const std::string& name) {
  for (std::size_t m = 0; m < profile.metrics.size(); ++m)
    if (profile.metrics[m] == name) return profile.steps.at(step).values[m];
  return std::nan("");
}

std::string problem_of(const std::string& name, const std::string& text, const std::string& format = {}) {
  try {
    read_profile_file(name, text, nullptr, format);
  } catch (const InputError& error) {
    return error.problems().front().message();
  }
  return {};
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ProfileFormats, EverySampleIsRecognisedAndHasItsSteps) {
  for (const ProfileSample& sample : profile_samples()) {
    SCOPED_TRACE(sample.format);
    const StepProfileFile file = read_profile_file(sample.file, sample.bytes);
    EXPECT_EQ(file.record.format, sample.format);
    EXPECT_EQ(file.profile.format, sample.format);
    EXPECT_EQ(file.profile.steps.size(), sample.steps);
    EXPECT_EQ(file.record.rows, sample.steps);
  }
}

TEST(ProfileFormats, EveryFormatHasASample) {
  for (const ProfileReader& reader : profile_readers()) {
    bool found = false;
    for (const ProfileSample& sample : profile_samples()) found = found || sample.format == reader.name;
    EXPECT_TRUE(found) << reader.name;
  }
}

// Cut anywhere, a profile ends in steps or in an error of ours.
TEST(ProfileFormats, EveryPrefixOfEverySample) {
  for (const ProfileSample& sample : profile_samples())
    for (std::size_t size = 0; size<sample.bytes.size(); size += sample.bytes.size()> 4096 ? 97 : 1) try {
        read_profile_file(sample.file, std::string_view(sample.bytes).substr(0, size), nullptr, sample.format);
      } catch (const InputError& error) {
        EXPECT_FALSE(error.problems().front().where.source.empty()) << sample.format << " " << size;
      }
}

TEST(ProfileFormats, LineEndsOfWindowsChangeNothing) {
  for (const ProfileSample& sample : profile_samples()) {
    if (sample.bytes.starts_with("SQLite")) continue;
    std::string crlf;
    for (const char c : sample.bytes) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const StepProfile plain = read_steps(sample.file, sample.bytes), windows = read_steps(sample.file, crlf);
    ASSERT_EQ(plain.steps.size(), windows.steps.size()) << sample.format;
    for (std::size_t s = 0; s < plain.steps.size(); ++s) {
      EXPECT_EQ(plain.steps[s].key, windows.steps[s].key) << sample.format;
      EXPECT_EQ(plain.steps[s].host_ns, windows.steps[s].host_ns) << sample.format;
      EXPECT_EQ(plain.steps[s].gpu_sum_ns, windows.steps[s].gpu_sum_ns) << sample.format;
    }
  }
}

TEST(ProfileFormats, AnythingElseIsRefusedWithTheListOfFormats) {
  EXPECT_TRUE(has(problem_of("x", "hello\n"), "is in no profile format that seqpoint recognises"));
  EXPECT_TRUE(has(problem_of("x", ""), "is empty"));
  EXPECT_TRUE(has(problem_of("x.db", sqlite_bytes("CREATE TABLE albums(id); CREATE TABLE tracks(id);")),
                  "its tables: albums, tracks"));
  EXPECT_THROW(read_profile_file("x", "hello\n", nullptr, "nothing"), UsageError);
}

// --- databases
// -----------------------------------------------------------------------------------------------------------

TEST(Nsys, LaunchesBelongToTheirProcess) {
  // Both processes use correlation 1: the kernel of 5000 ns was launched by the other one, which has no ranges.
  const StepProfile profile = read_steps("run.sqlite", nsys_sample());
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "iter seqlen=17");
  EXPECT_EQ(profile.steps[0].host_ns, 2000);
  EXPECT_EQ(profile.steps[0].gpu_ops, 2u);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 700);
  EXPECT_EQ(profile.steps[0].gpu_busy_ns, 600) << "they overlap by 100 ns";
  EXPECT_EQ(profile.steps[0].kernels, (std::vector<Operation>{{"gemm", 1, 500}, {"[CUDA memcpy HtoD]", 1, 200}}));
  EXPECT_EQ(profile.steps[0].operators,
            (std::vector<Operation>{{"(outside operators)", 0, 1700}, {"aten::mul", 1, 300}}));
  EXPECT_EQ(profile.unattributed_gpu_ops, 1u);
}

TEST(Nsys, WithoutRangesTheCaptureIsOneStep) {
  const std::string bytes = sqlite_bytes(
      "CREATE TABLE StringIds(id, value); INSERT INTO StringIds VALUES(1, 'gemm');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2(start, \"end\", shortName, correlationId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V2 VALUES(100, 150, 1, 7), (120, 170, 1, 8); CREATE TABLE "
      "META_DATA_EXPORT(name, value);");
  const StepProfile profile = read_steps("folder/sp2.sqlite", bytes);
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "sp2") << "named after the file";
  EXPECT_EQ(profile.steps[0].host_ns, std::nullopt);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 100);
  EXPECT_EQ(profile.steps[0].gpu_busy_ns, 70);
}

TEST(Nsys, ADamagedDatabaseIsAnInputError) {
  std::string bytes = nsys_sample();
  for (std::size_t at = 512; at + 64 < bytes.size(); at += 512)
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 64, '\xff');
  EXPECT_TRUE(has(problem_of("run.sqlite", bytes), "SQLite database")) << problem_of("run.sqlite", bytes);
  EXPECT_TRUE(has(problem_of("run.sqlite", "SQLite format 3\0 and nothing else"), "run.sqlite"));
}

TEST(Nsys, ALockedDatabaseIsAnInputError) {
  const std::string path = ::testing::TempDir() + "seqpoint_locked_" + std::to_string(::getpid()) + ".sqlite";
  std::ofstream(path, std::ios::binary) << nsys_sample();
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &writer), SQLITE_OK);
  EXPECT_EQ(read_step_profile(Input::open(path)).profile.steps.size(), 1u) << "open by another program, but not locked";
  ASSERT_EQ(sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  try {
    read_step_profile(Input::open(path));
    ADD_FAILURE() << "read although locked";
  } catch (const InputError& error) {
    EXPECT_TRUE(has(error.problems().front().message(), "is locked by another program"));
  }
  sqlite3_close(writer);
  std::remove(path.c_str());
}

TEST(Nsys, AnOperationThatEndsBeforeItBeginsIsRefused) {
  const std::string bytes = sqlite_bytes(
      "CREATE TABLE StringIds(id, value); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, \"end\");"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(100, 50);");
  EXPECT_TRUE(has(problem_of("run.sqlite", bytes), "ends before it begins"));
}

TEST(Rocpd, RegionsAreSteps) {
  const StepProfile profile = read_steps("run.db", rocpd_sample());
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "iter:17");
  EXPECT_EQ(profile.steps[0].host_ns, 2000000);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 1500000);
  EXPECT_EQ(profile.steps[1].gpu_sum_ns, 4500000);
}

TEST(Rocpd, RangesWithoutDurationLeaveTheirKernels) {
  std::string sql = rocpd_sql();
  sql += "UPDATE r SET \"end\" = start WHERE category LIKE 'MARKER%';";
  const StepProfile profile = read_steps("run.db", sqlite_bytes(sql));
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "iter:17");
  EXPECT_EQ(profile.steps[0].host_ns, std::nullopt);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 1500000);
}

// --- tables of profilers
// ---------------------------------------------------------------------------------------------------

TEST(NsysStats, TheMedianOfTheInstances) {
  const StepProfile profile =
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
  const StepProfile profile =
      read_steps("sp1.csv",
                 "Time(%),Total Time,Instances,Average,Minimum,Maximum,Name\n75.0,3000,10,300,290,310,\"a<b, "
                 "c>\"\n25.0,1000,20,50,49,51,d\n");
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 4000);
  EXPECT_EQ(profile.steps.at(0).gpu_ops, 30u);
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
  const StepProfile profile = read_steps("sp1.ncu.csv", long_form);
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "sp1");
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 152192 + 3200);
  EXPECT_EQ(profile.steps[0].kernels, (std::vector<Operation>{{"gemm(float *)", 1, 152192}, {"softmax", 1, 3200}}));
  EXPECT_DOUBLE_EQ(metric(profile, 0, "dram__bytes.sum"), 2.5e6);
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
  const StepProfile profile = read_steps("x.csv", text);
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 117344);
  EXPECT_EQ(metric(profile, 0, "dram__bytes.sum"), 27595520);
  EXPECT_DOUBLE_EQ(metric(profile, 0, "sm__x.pct"), 65.77);
}

TEST(NcuNumbers, TheStyleIsTheFiles) {
  const auto european = [](std::vector<std::string> cells) { return NcuNumbers(cells).european(); };
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
  const StepProfile profile = read_steps("x.csv", text);
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "iter seqlen=17");
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 1500);
  EXPECT_EQ(profile.steps[1].key, "iter seqlen=42: warm");
  EXPECT_EQ(profile.steps[1].gpu_sum_ns, 4500);
}

TEST(Rocprof, AFileIsAStep) {
  const StepProfile profile = read_steps(
      "sp3.csv",
      "\"Index\",\"KernelName\",\"gpu-id\",\"SQ_WAVES\",\"DispatchNs\",\"BeginNs\",\"EndNs\",\"CompleteNs\","
      "\"DurationNs\"\n"
      "0,\"gemm(float*, int) [clone .kd]\",1,10,1000,1200,2700,2711,1500\n1,softmax.kd,2,5,4000,2200,6700,6712,4500\n");
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "sp3");
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 6000);
  EXPECT_EQ(profile.steps[0].gpu_busy_ns, 5500) << "the two devices overlap";
  EXPECT_EQ(profile.steps[0].gpu_span_ns, 5500);
  EXPECT_EQ(profile.steps[0].kernels, (std::vector<Operation>{{"softmax", 1, 4500}, {"gemm(float*, int)", 1, 1500}}));
  EXPECT_EQ(profile.metrics, std::vector<std::string>{"SQ_WAVES"});
  EXPECT_EQ(metric(profile, 0, "SQ_WAVES"), 15);
}

TEST(Rocprof, CountersWithoutTimesHaveNoTime) {
  const StepProfile profile = read_steps("x.csv", "Index,KernelName,gpu-id,SQ_WAVES\n\n0,gemm,1,10\n");
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
  const StepProfile profile = read_profile_file("d/run_kernel_trace.csv", kV3Kernels, nullptr, {}, files).profile;
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "iter seqlen=17");
  EXPECT_EQ(profile.steps[0].host_ns, 1000);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 400);
  EXPECT_EQ(profile.steps[1].gpu_sum_ns, 500) << "launched in the second range, though it ran long after";
}

TEST(Rocprofv3, WithoutAHipTraceKernelsCountWhereTheyRan) {
  MemoryFiles files;
  files.contents = {{"run_marker_api_trace.csv", kV3Markers}};
  const StepProfile profile = read_profile_file("run_kernel_trace.csv", kV3Kernels, nullptr, {}, files).profile;
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 400);
  EXPECT_EQ(profile.steps.at(1).gpu_sum_ns, 0);
  EXPECT_EQ(profile.unattributed_gpu_ops, 1u);
}

TEST(Rocprofv3, RenamedKernelsAreSteps) {
  const StepProfile profile = read_steps(
      "run_kernel_trace.csv",
      "Kind,Kernel_Name,Start_Timestamp,End_Timestamp\nK,seqlen=17,10,15\nK,seqlen=17,15,25\nK,seqlen=42,30,37\n");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "seqlen=17");
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 15);
}

TEST(Rocprofv3, ADispatchHasARowACounterAndItsTimeOnce) {
  const StepProfile profile = read_steps(
      "sp1.csv",
      "Dispatch_Id,Agent_Id,Process_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n"
      "1,Agent 1,5,a,SQ_WAVES,10.0,100,150\n1,Agent 1,5,a,GRBM_COUNT,7,100,150\n2,Agent 1,5,a,SQ_WAVES,1,200,260\n");
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 110);
  EXPECT_EQ(metric(profile, 0, "SQ_WAVES"), 11);
  EXPECT_EQ(metric(profile, 0, "GRBM_COUNT"), 7);
}

// --- benchmarks
// ------------------------------------------------------------------------------------------------------------

TEST(GoogleBenchmark, RepetitionsGoBeforeAggregates) {
  const StepProfile profile = read_steps("x.json", R"(Run on (4 X 2.7 MHz)
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
  EXPECT_EQ(profile.steps[0].identity.src_len, 42u);
  EXPECT_EQ(profile.steps[1].host_ns, 2500000);
  EXPECT_EQ(profile.steps[2].key, "BM/50");
  EXPECT_EQ(profile.steps[2].host_ns, 7000);
  EXPECT_EQ(profile.steps[2].repeats, 5u);
  EXPECT_EQ(metric(profile, 0, "flops"), 9);
}

TEST(Hyperfine, EveryRunThatSucceeded) {
  const StepProfile profile = read_steps(
      "x.json",
      R"({"results": [{"command": "train", "mean": 9, "times": [0.01074585146, 0.25, 0.5], "exit_codes": [0, 1, null],
    "parameters": {"seqlen": "42"}}, {"command": "train --seqlen 17", "mean": 0.125}]})");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].host_ns, 10745851);
  EXPECT_EQ(profile.steps[0].identity.src_len, 42u);
  EXPECT_EQ(profile.steps[1].host_ns, 125000000);
  EXPECT_EQ(profile.steps[1].identity.src_len, 17u);
  EXPECT_TRUE(has(profile.notes.at(0), "2 runs failed"));
}

TEST(PytestBenchmark, RoundsElseTheirMean) {
  const StepProfile profile = read_steps("x.json", R"({"machine_info": {}, "benchmarks": [
    {"name": "test[a]", "params": {"seqlen": 42}, "stats": {"mean": 9, "rounds": 2, "data": [0.001, 0.002]}},
    {"name": "test[17]", "params": null, "stats": {"mean": 0.5, "rounds": 9987}}]})");
  ASSERT_EQ(profile.steps.size(), 3u);
  EXPECT_EQ(profile.steps[1].host_ns, 2000000);
  EXPECT_EQ(profile.steps[2].host_ns, 500000000);
  EXPECT_EQ(profile.steps[2].repeats, 9987u);
  EXPECT_EQ(profile.steps[2].identity.src_len, 17u);
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
  const StepProfile profile = read_steps(
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

TEST(PerfStat, SeparatedValuesWithIntervalsAndCpus) {
  const StepProfile profile =
      read_steps("x.txt",
                 "# started on Mon\n\n     1.000112;CPU0;1;70;;page-faults:u;1204272;100.00;58.1;K/sec\n"
                 "     1.000112;CPU1;1;30;;page-faults:u;1204272;100.00;;\n     "
                 "2.000112;CPU0;1;7;;page-faults:u;1204272;100.00;;\n");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "interval 1.000112");
  EXPECT_EQ(metric(profile, 0, "page-faults:u"), 100);
  EXPECT_EQ(metric(profile, 1, "page-faults:u"), 7);
}

TEST(Mllog, IntervalsAreSteps) {
  const StepProfile profile = read_steps(
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
  const StepProfile profile =
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
  const StepProfile profile =
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
  const StepProfile profile = read_steps("x.json", R"({"metadata":{"highres-ticks":true},"traceEvents":[
    {"ph":"M","pid":7,"name":"process_name","args":{"name":"/host:CPU"}},
    {"ph":"X","pid":7,"tid":1,"ts":0,"dur":5,"name":"train","args":{"step_num":"5","group_id":"0"}},{}]})");
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "step 5");
  EXPECT_EQ(profile.steps[0].host_ns, 5000);
}

// --- measurements
// ------------------------------------------------------------------------------------------------------------

TEST(Measurements, SpreadsheetsHaveSemicolonsAndDecimalCommas) {
  const StepProfileFile file = read_profile_file("x.csv", "\xef\xbb\xbfseqlen;runtime_ms;watts\r\n17;12,3;1,5\r\n");
  ASSERT_TRUE(file.table.has_value());
  EXPECT_EQ(file.table->metrics, (std::vector<std::string>{"runtime_s", "watts"}));
  EXPECT_DOUBLE_EQ(file.table->rows.at(0).values[0], 0.0123);
  EXPECT_EQ(file.profile.steps.at(0).host_ns, 12300000);
}

TEST(Measurements, UnitsOfTimeAreInTheName) {
  const auto seconds = [](const std::string& column) {
    return read_profile_file("x.csv", "seqlen," + column + "\n17,1500\n").table->rows.at(0).values[0];
  };
  EXPECT_DOUBLE_EQ(seconds("latency_us"), 0.0015);
  EXPECT_DOUBLE_EQ(seconds("runtime (ms)"), 1.5);
  EXPECT_DOUBLE_EQ(seconds("time_ns"), 1.5e-6);
  EXPECT_DOUBLE_EQ(seconds("duration_s"), 1500);
  EXPECT_TRUE(has(problem_of("x.csv", "seqlen,runtime\n17,1\n"), "field 'runtime': has no unit"));
  EXPECT_TRUE(has(problem_of("x.csv", "seqlen,time_s,time_ms\n17,1,1000\n"), "stands there in two units"));
}

TEST(Measurements, ARowMaySayThatItIsWarmUp) {
  const StepProfileFile file = read_profile_file("x.csv", "seqlen,warmup,runtime_s\n17,1,9\n17,0,1\n");
  EXPECT_TRUE(file.table->rows.at(0).warmup);
  EXPECT_FALSE(file.table->rows.at(1).warmup);
  EXPECT_EQ(file.table->metrics, std::vector<std::string>{"runtime_s"});
}

}  // namespace
}  // namespace seqpoint::testing
