// What holds for every profile format, and measurements of one's own.
#include <gtest/gtest.h>

#include "unit/profile_checks.hpp"
#include "unit/profile_samples.hpp"

namespace seqpoint::testing {
namespace {

std::vector<profile::ProfiledStep> steps_of(const io::profiles::StepProfileFile& file) {
  std::vector<profile::ProfiledStep> steps;
  io::profiles::for_each_step(std::span(&file, 1), [&](const auto&, const auto& step) { steps.push_back(step); });
  return steps;
}

TEST(ProfileFormats, EverySampleIsRecognisedAndHasItsSteps) {
  for (const ProfileSample& sample : profile_samples()) {
    SCOPED_TRACE(sample.format);
    const io::profiles::StepProfileFile file = read_profile_file(sample.file, sample.bytes);
    EXPECT_EQ(file.record.format, sample.format);
    EXPECT_EQ(file.profile.format, sample.format);
    EXPECT_EQ(steps_of(file).size(), sample.steps);
    EXPECT_EQ(file.record.rows, sample.steps);
  }
}

TEST(ProfileFormats, EveryFormatHasASample) {
  for (const io::profiles::ProfileReader& reader : io::profiles::profile_readers()) {
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
    if (sample.bytes.find('\0') != std::string::npos) continue;  // no text
    std::string crlf;
    for (const char c : sample.bytes) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const profile::StepProfile plain = read_steps(sample.file, sample.bytes), windows = read_steps(sample.file, crlf);
    ASSERT_EQ(plain.steps.size(), windows.steps.size()) << sample.format;
    for (std::size_t s = 0; s < plain.steps.size(); ++s) {
      EXPECT_EQ(plain.steps[s].key, windows.steps[s].key) << sample.format;
      EXPECT_EQ(plain.steps[s].host_ns, windows.steps[s].host_ns) << sample.format;
      EXPECT_EQ(plain.steps[s].gpu_sum_ns, windows.steps[s].gpu_sum_ns) << sample.format;
    }
  }
}

TEST(ProfileFormats, AnythingElseIsRefusedWithTheListOfFormats) {
  EXPECT_TRUE(has(problem_of("x", "hello\n"), "is in no known profile format"));
  EXPECT_TRUE(has(problem_of("x", ""), "is empty"));
  EXPECT_TRUE(has(problem_of("x.db", sqlite_bytes("CREATE TABLE albums(id); CREATE TABLE tracks(id);")),
                  "its tables: albums, tracks"));
  EXPECT_THROW(read_profile_file("x", "hello\n", nullptr, "nothing"), UsageError);
}

TEST(Measurements, SpreadsheetsHaveSemicolonsAndDecimalCommas) {
  const io::profiles::StepProfileFile file =
      read_profile_file("x.csv", "\xef\xbb\xbfseqlen;runtime_ms;watts\r\n17;12,3;1,5\r\n");
  ASSERT_TRUE(file.table.has_value());
  EXPECT_EQ(file.table->metrics, (std::vector<std::string>{"runtime_s", "watts"}));
  EXPECT_DOUBLE_EQ(file.table->values.at(0).at(0), 0.0123);
  EXPECT_EQ(steps_of(file).at(0).host_ns, 12300000);
}

TEST(Measurements, UnitsOfTimeAreInTheName) {
  const auto seconds = [](const std::string& column) {
    return read_profile_file("x.csv", "seqlen," + column + "\n17,1500\n").table->values.at(0).at(0);
  };
  EXPECT_DOUBLE_EQ(seconds("latency_us"), 0.0015);
  EXPECT_DOUBLE_EQ(seconds("runtime (ms)"), 1.5);
  EXPECT_DOUBLE_EQ(seconds("time_ns"), 1.5e-6);
  EXPECT_DOUBLE_EQ(seconds("duration_s"), 1500);
  EXPECT_TRUE(has(problem_of("x.csv", "seqlen,runtime\n17,1\n"), "field 'runtime': has no unit"));
  EXPECT_TRUE(has(problem_of("x.csv", "seqlen,time_s,time_ms\n17,1,1000\n"), "is there in two units"));
}

TEST(Measurements, ARowMaySayThatItIsWarmUp) {
  const io::profiles::StepProfileFile file = read_profile_file("x.csv", "seqlen,warmup,runtime_s\n17,1,9\n17,0,1\n");
  EXPECT_TRUE(file.table->rows.at(0).warmup);
  EXPECT_FALSE(file.table->rows.at(1).warmup);
  EXPECT_EQ(file.table->metrics, std::vector<std::string>{"runtime_s"});
}

TEST(Measurements, IterationsThatBeginAgainWithEachEpochTellNone) {
  const std::string rows = "\n0,5,17,1\n0,6,18,2\n1,5,17,3\n";
  EXPECT_TRUE(has(problem_of("x.csv", "epoch,iteration,watts,runtime_s" + rows),
                  "x.csv:4: field 'iteration': 5 is of epoch 1, and was of epoch 0 before"));
  const io::profiles::StepProfileFile file = read_profile_file("x.csv", "epoch,iteration,seqlen,runtime_s" + rows);
  EXPECT_EQ(file.table->rows.at(0).iteration, std::nullopt);
  EXPECT_TRUE(has(file.profile.notes.at(0), "begins again with each epoch, and is not used"));
}

TEST(ForeignProfiles, AreNamedWithAWayOut) {
  const auto refused = [](const std::string& name, const std::string& text, const std::string& as) {
    EXPECT_TRUE(has(problem_of(name, text), as)) << name << ": " << problem_of(name, text);
  };
  refused("run.nsys-rep", "any bytes", "is a report of Nsight Systems");
  refused("run.ncu-rep", "any bytes", "is a report of Nsight Compute");
  refused("ncu.csv", "\"ID\",\"Process ID\",\"Kernel Name\"\n", "is a table of Nsight Compute");
  refused("host.trace.json", R"({"metadata":{"highres-ticks":true},"traceEvents":[]})", "is a trace of TensorFlow's");
  refused("x.xplane.pb", "\n\x12", "is an XPlane protocol buffer");
}

}  // namespace
}  // namespace seqpoint::testing
