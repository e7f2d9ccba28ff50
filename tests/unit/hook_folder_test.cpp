#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "io/process/job.hpp"

namespace seqpoint::io::process {
namespace {

namespace fs = std::filesystem;

/// A folder of its own that goes with the test.
class Prefix : public ::testing::Test {
 protected:
  Prefix() : root_(fs::temp_directory_path() / ("seqpoint-hook-" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
  }
  ~Prefix() override { fs::remove_all(root_); }

  void install(const std::string& packages) { fs::create_directories(root_ / packages / "seqpoint_companion/hook"); }
  /// The hook for a program there, from the root; "" if there is none.
  std::string hook_of(const std::string& program) const {
    const auto found = hook_folder_of((root_ / program).string());
    return found ? fs::path(*found).lexically_relative(root_).string() : "";
  }

 private:
  fs::path root_;
};

TEST_F(Prefix, HasNoHook) {
  install("other");
  EXPECT_EQ(hook_of("bin/seqpoint"), "");
}

TEST_F(Prefix, IsAnInstallation) {
  install("share/seqpoint/python");
  EXPECT_EQ(hook_of("bin/seqpoint"), "share/seqpoint/python/seqpoint_companion/hook");
}

TEST_F(Prefix, IsASourceTree) {
  install("python");
  EXPECT_EQ(hook_of("build/release/seqpoint"), "python/seqpoint_companion/hook");
}

TEST_F(Prefix, IsAVirtualEnvironment) {
  install("lib/python3.9/site-packages");
  EXPECT_EQ(hook_of("bin/seqpoint"), "lib/python3.9/site-packages/seqpoint_companion/hook");
}

TEST_F(Prefix, IsDebiansPipAsRoot) {
  install("local/lib/python3.11/dist-packages");
  EXPECT_EQ(hook_of("local/bin/seqpoint"), "local/lib/python3.11/dist-packages/seqpoint_companion/hook");
}

TEST_F(Prefix, IsATarget) {
  install(".");
  EXPECT_EQ(hook_of("bin/seqpoint"), "seqpoint_companion/hook");
}

TEST_F(Prefix, HasSeveralVersionsOfPython) {
  for (const char* const version : {"3.9", "3.12", "3.11"})
    install("lib/python" + std::string(version) + "/site-packages");
  install("lib/python2.7/site-packages");
  EXPECT_EQ(hook_of("bin/seqpoint"), "lib/python3.12/site-packages/seqpoint_companion/hook");
}

}  // namespace
}  // namespace seqpoint::io::process
