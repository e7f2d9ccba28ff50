// Databases of profilers, on examples whose figures can be worked out by hand.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "unit/profile_checks.hpp"
#include "unit/profile_samples.hpp"

namespace seqpoint::testing {
namespace {

TEST(Nsys, LaunchesBelongToTheirProcess) {
  // Both processes use correlation 1: the kernel of 5000 ns was launched by the other one, which has no ranges.
  const profile::StepProfile profile = read_steps("run.sqlite", nsys_sample());
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "iter seqlen=17");
  EXPECT_EQ(profile.steps[0].host_ns, 2000);
  EXPECT_EQ(profile.steps[0].gpu_ops, 2u);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 700);
  EXPECT_EQ(profile.steps[0].gpu_busy_ns, 600) << "they overlap by 100 ns";
  EXPECT_EQ(profile.steps[0].kernels,
            (std::vector<profile::Operation>{{"gemm", 1, 500}, {"[CUDA memcpy HtoD]", 1, 200}}));
  EXPECT_EQ(profile.steps[0].operators,
            (std::vector<profile::Operation>{{"(outside operators)", 0, 1700}, {"aten::mul", 1, 300}}));
  EXPECT_EQ(profile.unattributed_gpu_ops, 1u);
}

TEST(Nsys, WithoutRangesTheCaptureIsOneStep) {
  const std::string bytes = sqlite_bytes(
      "CREATE TABLE StringIds(id, value); INSERT INTO StringIds VALUES(1, 'gemm');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2(start, \"end\", shortName, correlationId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V2 VALUES(100, 150, 1, 7), (120, 170, 1, 8); CREATE TABLE "
      "META_DATA_EXPORT(name, value);");
  const profile::StepProfile profile = read_steps("folder/sp2.sqlite", bytes);
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "sp2") << "named after the file";
  EXPECT_EQ(profile.steps[0].host_ns, std::nullopt);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 100);
  EXPECT_EQ(profile.steps[0].gpu_busy_ns, 70);
}

TEST(Nsys, WithoutTablesOfAGpuThereIsNoStepAndItIsSaid) {
  // The second is what an export of 2021 has of a program that made no call of CUDA.
  for (const char* const table : {"META_DATA_EXPORT(name, value)", "TARGET_INFO_SESSION_START_TIME(utcEpochNs)"}) {
    const profile::StepProfile profile = read_steps(
        "run.sqlite", sqlite_bytes(std::string("CREATE TABLE StringIds(id, value); CREATE TABLE ") + table + ";"));
    EXPECT_TRUE(profile.steps.empty());
    EXPECT_TRUE(has(profile.notes.at(1), "contains no GPU work")) << table;
  }
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
  EXPECT_EQ(io::profiles::read_step_profile(io::stream::Input::open(path)).profile.steps.size(), 1u)
      << "open by another program, but not locked";
  ASSERT_EQ(sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  try {
    io::profiles::read_step_profile(io::stream::Input::open(path));
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
  const profile::StepProfile profile = read_steps("run.db", rocpd_sample());
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "iter:17");
  EXPECT_EQ(profile.steps[0].host_ns, 2000000);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 1500000);
  EXPECT_EQ(profile.steps[1].gpu_sum_ns, 4500000);
}

TEST(Rocpd, RangesWithoutDurationLeaveTheirKernels) {
  std::string sql = rocpd_sql();
  sql += "UPDATE r SET \"end\" = start WHERE category LIKE 'MARKER%';";
  const profile::StepProfile profile = read_steps("run.db", sqlite_bytes(sql));
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].key, "iter:17");
  EXPECT_EQ(profile.steps[0].host_ns, std::nullopt);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 1500000);
}

}  // namespace
}  // namespace seqpoint::testing
