// The same measurements, written as every kind of profile, project to the same whole run.
#include <gtest/gtest.h>

#include "core/project/projection.hpp"
#include "unit/read_profile.hpp"

namespace seqpoint::testing {
namespace {

/// What was measured: two repeats of three points, in milliseconds. The means are 0.5, 1 and 2 s.
struct Measured {
  std::string point;
  std::uint32_t src_len;
  std::int64_t ms;
};
const std::vector<Measured> kMeasured{{"sp1", 10, 400}, {"sp1", 10, 600},  {"sp2", 20, 1250},
                                      {"sp2", 20, 750}, {"sp3", 40, 2000}, {"sp3", 40, 2000}};
constexpr double kTotal = 2 * 0.5 + 2 * 1 + 1 * 2;  // weight x mean

select::Selection points() {
  select::Selection selection;
  selection.run.iterations = 5;
  selection.run.samples = 20;
  selection.run.histogram = {{{10, 0, 4}, 2}, {{20, 0, 4}, 2}, {{40, 0, 4}, 1}};
  const auto add = [&](const char* id, std::uint32_t src_len, std::int64_t weight,
                       std::vector<std::uint64_t> iterations) {
    selection.points.push_back({id, {src_len, 0, 4}, {weight * select::Weight::kUnit}, std::move(iterations), {}});
  };
  add("sp1", 10, 2, {0, 2});
  add("sp2", 20, 2, {1, 4});
  add("sp3", 40, 1, {3});
  return selection;
}

/// Header, a piece for each measurement, and what is between and behind them.
template <class Piece>
std::string joined(const std::string& header, const std::string& between, const std::string& end, Piece piece) {
  std::string text = header;
  for (std::size_t i = 0; i < kMeasured.size(); ++i) text += (i > 0 ? between : "") + piece(kMeasured[i], i);
  return text + end;
}
std::string name_of(const Measured& m) { return "seqlen=" + std::to_string(m.src_len); }

std::string kineto() {
  return joined("{\"schemaVersion\":1,\"traceEvents\":[", ",", "]}", [](const Measured& m, std::size_t i) {
    const std::string ts = std::to_string(10'000'000 * i), inside = std::to_string(10'000'000 * i + 1),
                      us = std::to_string(m.ms * 1000);
    return R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" + std::to_string(i) +
           R"(","pid":1,"tid":1,"ts":)" + ts + R"(,"dur":)" + us + R"(.000},)" +
           R"({"ph":"X","cat":"user_annotation","name":")" + name_of(m) + R"(","pid":1,"tid":1,"ts":)" + inside +
           R"(,"dur":2},)" + R"({"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":2,"ts":)" + inside +
           R"(,"dur":1,"args":{"correlation":)" + std::to_string(i) + R"(}},)" +
           R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" + inside + R"(,"dur":)" + us +
           R"(,"args":{"correlation":)" + std::to_string(i) + "}}";
  });
}

std::string nsys() {
  return sqlite_bytes(
      joined("CREATE TABLE StringIds(id, value); INSERT INTO StringIds VALUES(1, 'gemm'); CREATE TABLE "
             "META_DATA_EXPORT(name, value);"
             "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, \"end\", globalTid, correlationId);"
             "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, \"end\", correlationId, globalPid, shortName);"
             "CREATE TABLE NVTX_EVENTS(start, \"end\", eventType, text, globalTid);",
             "", "", [](const Measured& m, std::size_t i) {
               const std::int64_t start = static_cast<std::int64_t>(i) * 10'000'000'000, end = start + m.ms * 1'000'000;
               const std::string from = std::to_string(start), until = std::to_string(end), id = std::to_string(i);
               return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(" + from + "," + from + ",16777217," + id + ");" +
                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + from + "," + until + "," + id +
                      ",16777216,1);" + "INSERT INTO NVTX_EVENTS VALUES(" + from + "," + until + ",60,'iter " +
                      testing::name_of(m) + "',16777217);";
             }));
}

std::string rocpd() {
  return sqlite_bytes(
      joined("CREATE TABLE rocpd_metadata(tag, value);"
             "CREATE TABLE regions(start, \"end\", name, pid, tid, category, guid, stack_id);"
             "CREATE TABLE kernels(start, \"end\", name, pid, guid, stack_id, parent_stack_id, region, "
             "agent_abs_index, queue_id);",
             "", "", [](const Measured& m, std::size_t i) {
               const std::int64_t start = static_cast<std::int64_t>(i) * 10'000'000'000, end = start + m.ms * 1'000'000;
               const std::string from = std::to_string(start), until = std::to_string(end), id = std::to_string(i + 1),
                                 name = testing::name_of(m);
               return "INSERT INTO regions VALUES(" + from + "," + until + ",'" + name +
                      "',7,7,'MARKER_CORE_API','g'," + id + ");" + "INSERT INTO kernels VALUES(" + from + "," + until +
                      ",'gemm',7,'g',100," + id + ",'" + name + "',4,1);";
             }));
}

std::string measurements() {
  return joined("point;runtime_ms\n", "", "",
                [](const Measured& m, std::size_t) { return m.point + ";" + std::to_string(m.ms) + ",0\n"; });
}
double projected(std::vector<io::profiles::StepProfileFile> files, std::optional<profile::TimeKind> kind = {}) {
  const select::Selection selection = points();
  std::vector<profile::StepProfile> profiles;
  std::vector<profile::ProfileTable> tables;
  for (io::profiles::StepProfileFile& file : files) {
    if (file.table)
      tables.push_back(*file.table);
    else
      profiles.push_back(std::move(file.profile));
  }
  const profile::StepTables steps =
      profile::tables_of(profiles, selection, profile::NameRules{}, profile::common_time_kind(profiles, kind));
  tables.insert(tables.end(), steps.tables.begin(), steps.tables.end());
  const project::NamedMeasurements named{"v", profile::match(tables, selection)};
  EXPECT_EQ(named.measurements.matched_rows, kMeasured.size());
  return project::project(selection, std::span(&named, 1), {}).configurations.at(0).metrics.at(0).value;
}

double projected(const std::string& file, const std::string& bytes, const std::string& format,
                 std::optional<profile::TimeKind> kind = {}) {
  std::vector<io::profiles::StepProfileFile> files;
  files.push_back(read_profile_file(file, bytes));
  EXPECT_EQ(files[0].record.format, format);
  return projected(std::move(files), kind);
}

TEST(SameMeasurements, EveryFormatProjectsThemToTheSameTotal) {
  EXPECT_DOUBLE_EQ(projected("v.csv", measurements(), "csv"), kTotal);
  EXPECT_DOUBLE_EQ(projected("t.json", kineto(), "kineto"), kTotal);
  EXPECT_DOUBLE_EQ(projected("t.sqlite", nsys(), "nsys"), kTotal);
  EXPECT_DOUBLE_EQ(projected("t.db", rocpd(), "rocpd"), kTotal);
}

TEST(SameMeasurements, WhateverTheKindOfTime) {
  for (const auto& [name, kind] : profile::kTimeKinds) {
    EXPECT_DOUBLE_EQ(projected("t.json", kineto(), "kineto", kind), kTotal) << seqpoint::profile::name_of(kind);
    EXPECT_DOUBLE_EQ(projected("t.sqlite", nsys(), "nsys", kind), kTotal) << seqpoint::profile::name_of(kind);
    EXPECT_DOUBLE_EQ(projected("t.db", rocpd(), "rocpd", kind), kTotal) << seqpoint::profile::name_of(kind);
  }
}

/// A profile of one step with that time alone.
profile::StepProfile profile_with(std::optional<std::int64_t> profile::ProfiledStep::*time) {
  profile::StepProfile profile;
  profile.steps.emplace_back().*time = 1000;
  return profile;
}

TEST(SameMeasurements, KindsAreNeverMixed) {
  std::vector<profile::StepProfile> profiles{profile_with(&profile::ProfiledStep::host_ns)};
  profiles.push_back(read_steps("both.json", kineto()));
  EXPECT_EQ(profile::common_time_kind(profiles, {}), profile::TimeKind::host);
  profiles.push_back(profile_with(&profile::ProfiledStep::gpu_sum_ns));
  EXPECT_THROW(profile::common_time_kind(profiles, {}), UsageError);
  EXPECT_THROW(profile::common_time_kind(profiles, profile::TimeKind::host), UsageError);
  profiles.erase(profiles.begin());
  EXPECT_EQ(profile::common_time_kind(profiles, profile::TimeKind::gpu_sum), profile::TimeKind::gpu_sum);
  EXPECT_THROW(profile::common_time_kind(profiles, {}), UsageError) << "host and gpu-sum";
}

}  // namespace
}  // namespace seqpoint::testing
