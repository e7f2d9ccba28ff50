// Real profiles and figures that another program worked out in exact decimals. They are not part of this repository:
// the folder is given by SEQPOINT_PROFILE_DATA, and the tests are skipped where it is not. Sources:
// HolisticTraceAnalysis (kineto/), nsys-ai (nsys/); docs/profiles.md has the figures.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "io/profiles/profile_formats.hpp"

namespace seqpoint {
namespace {

std::filesystem::path folder() {
  const char* const path = std::getenv("SEQPOINT_PROFILE_DATA");
  return path != nullptr ? path : "";
}
#define SKIP_WITHOUT_DATA() \
  if (folder().empty()) GTEST_SKIP() << "SEQPOINT_PROFILE_DATA does not name a folder of profiles"

profile::StepProfile read(const std::string& file) {
  return io::profiles::read_step_profile(io::stream::Input::open((folder() / file).string())).profile;
}
std::int64_t fact(const profile::StepProfile& profile, const std::string& name) {
  for (const auto& [known, value] : profile.facts)
    if (known == name) return value;
  return -1;
}

struct KinetoStep {
  const char* key;
  std::int64_t host, gpu_ops, sum, busy, span;  ///< ns; span -1: none
};
struct KinetoTrace {
  const char* file;
  std::int64_t without_launch, outside;
  std::vector<KinetoStep> steps;
};

const std::vector<KinetoTrace> kTraces{
    {"hta_alexnet_no_profilerstep", 0, 98, {}},
    {"hta_amd_mi250_2steps", 0, 0, {{"1", 9288291, 16, 149042, 149042, 8911887}, {"2", 49073, 0, 0, 0, -1}}},
    {"hta_cpu_only", 0, 0, {{"551", 210109162, 0, 0, 0, -1}}},
    {"hta_cupti_profiler_counters", 0, 0, {}},
    {"hta_legacy_async_cpu_to_gpu",
     614,
     0,
     {{"1009", 100298000, 2503, 150930000, 126099000, 156645000},
      {"1010", 122149000, 2503, 151422000, 124121000, 173694000},
      {"1011", 166403000, 2503, 151055000, 122324000, 166282000},
      {"1012", 81971000, 2503, 155443000, 117642000, 122696000},
      {"1013", 107230000, 2503, 147957000, 121420000, 157567000},
      {"1014", 166350000, 2503, 150438000, 122154000, 166493000}}},
    {"hta_legacy_cpu_only", 0, 0, {{"1009", 75473000, 0, 0, 0, -1}}},
    {"hta_nccl_3steps_basetime",
     0,
     0,
     {{"4", 222442191, 1258, 51381015, 49438921, 215769424},
      {"5", 219726905, 1258, 51596866, 49728926, 213532750},
      {"6", 224936243, 1258, 62207957, 58332167, 218764039}}},
    {"hta_ns_resolution_5steps",
     0,
     0,
     {{"101", 35115869, 1219, 94569795, 94569795, 97662895},
      {"102", 72077474, 1219, 94591138, 94591138, 95736026},
      {"103", 95697341, 1219, 94459362, 94459362, 95569787},
      {"104", 95551087, 1219, 94561467, 94561467, 95663323},
      {"105", 95699037, 1219, 94272679, 94272679, 95394012}}},
    {"hta_sampled_rank0_2steps_int_us",
     0,
     0,
     {{"551", 607312000, 602, 302241000, 278680000, 600058000},
      {"552", 622928000, 602, 305603000, 268976000, 615601000}}},
    {"hta_triton_example", 0, 0, {{"1", 13336315805, 1, 1760, 1760, 1760}}}};

TEST(ProfileOracles, KinetoToTheNanosecond) {
  SKIP_WITHOUT_DATA();
  for (const KinetoTrace& trace : kTraces) {
    SCOPED_TRACE(trace.file);
    const profile::StepProfile profile = read("kineto/" + std::string(trace.file) + ".json.gz");
    EXPECT_EQ(fact(profile, "gpu_ops_without_launch"), trace.without_launch);
    EXPECT_EQ(fact(profile, "gpu_ops_outside_steps"), trace.outside);
    ASSERT_EQ(profile.steps.size(), trace.steps.size());
    for (std::size_t s = 0; s < trace.steps.size(); ++s) {
      const KinetoStep& expected = trace.steps[s];
      const profile::ProfiledStep& step = profile.steps[s];
      EXPECT_EQ(step.key, std::string("ProfilerStep#") + expected.key);
      EXPECT_EQ(step.host_ns, expected.host);
      EXPECT_EQ(step.gpu_ops, expected.gpu_ops);
      EXPECT_EQ(step.gpu_sum_ns, expected.sum);
      EXPECT_EQ(step.gpu_busy_ns, expected.busy);
      EXPECT_EQ(step.gpu_span_ns.value_or(-1), expected.span);
      std::int64_t operators = 0;
      for (const profile::Operation& operation : step.operators) operators += operation.ns;
      EXPECT_EQ(operators, expected.host) << "operators add up to the step";
    }
  }
}

struct NsysCapture {
  const char* file;
  std::int64_t kernels, ns, calls, with_launch, of_any_process, ranges;  ///< ranges -1: no table of them
};

TEST(ProfileOracles, OperationsWithoutALaunchAreWeak) {
  SKIP_WITHOUT_DATA();
  const profile::StepProfile profile = read("kineto/hta_legacy_async_cpu_to_gpu.json.gz");
  for (const profile::ProfiledStep& step : profile.steps) {
    const bool first = step.key == "ProfilerStep#1009";
    EXPECT_EQ(step.weak_gpu_ops, first ? 614u : 0u);
    EXPECT_EQ(step.weak_gpu_sum_ns, first ? 56517000 : 0);
  }
}

TEST(ProfileOracles, NsightSystems) {
  SKIP_WITHOUT_DATA();
  for (const NsysCapture& expected : {NsysCapture{"nsysai_h100_2gpu_1s", 3442, 44829522, 5796, 1632, 1643, 16782},
                                      NsysCapture{"nsysai_mfu_2gpu_before", 4010, 535200650, 7466, 3986, 4280, 19118},
                                      NsysCapture{"nsysai_healthy_1pct", 400, 400000000, 400, 400, 400, -1},
                                      NsysCapture{"nsysai_mock", 2, 4129, 9, 2, 2, -1}}) {
    SCOPED_TRACE(expected.file);
    const profile::StepProfile profile = read("nsys/" + std::string(expected.file) + ".sqlite");
    EXPECT_EQ(fact(profile, "kernels"), expected.kernels);
    EXPECT_EQ(fact(profile, "kernel_ns"), expected.ns);
    EXPECT_EQ(fact(profile, "runtime_calls"), expected.calls);
    EXPECT_EQ(fact(profile, "kernels_with_launch"), expected.with_launch);
    EXPECT_EQ(fact(profile, "launches_of_any_process"), expected.of_any_process);
    EXPECT_EQ(fact(profile, "nvtx_ranges"), expected.ranges);
  }
}

TEST(ProfileOracles, OtherProfilers) {
  SKIP_WITHOUT_DATA();
  const profile::StepProfile rocpd = read("synthetic/synthetic_rocpd_schema3.db");
  ASSERT_EQ(rocpd.steps.size(), 2u);
  EXPECT_EQ(rocpd.steps[0].key, "iter:17");
  EXPECT_EQ(rocpd.steps[0].gpu_sum_ns, 1500000);
  EXPECT_EQ(rocpd.steps[0].host_ns, 2000000);
  EXPECT_EQ(rocpd.steps[1].gpu_sum_ns, 4500000);
  EXPECT_EQ(rocpd.steps[1].host_ns, 5000000);
}

}  // namespace
}  // namespace seqpoint
