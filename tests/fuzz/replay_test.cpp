// Feeds every file of tests/fuzz/corpus/<target>/ to its target: seeds, and what once broke a reader.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/manifests/dataset.hpp"
#include "io/profiles/profile_formats.hpp"
#include "targets.hpp"

namespace seqpoint::fuzz {
namespace {

const std::filesystem::path kCorpus = std::filesystem::path(SEQPOINT_SOURCE_DIR) / "tests/fuzz/corpus";

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

TEST(FuzzCorpus, EveryFileEndsInAValueOrInAnErrorOfOurs) {
  for (const auto& folder : std::filesystem::directory_iterator(kCorpus))
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      SCOPED_TRACE(file.path().string());
      EXPECT_TRUE(feed(folder.path().filename().string(), bytes_of(file))) << "no target of that name";
    }
}

TEST(FuzzCorpus, EveryFormatHasASeed) {
  for (const io::manifests::Reader& reader : io::manifests::readers())
    EXPECT_TRUE(std::filesystem::exists(kCorpus / reader.name)) << reader.name;
}

TEST(FuzzCorpus, EveryProfileFormatHasASeed) {
  for (const io::profiles::ProfileReader& reader : io::profiles::profile_readers())
    EXPECT_TRUE(std::filesystem::exists(kCorpus / ("steps-" + std::string(reader.name)))) << reader.name;
}

// Cut anywhere, and the beginning of anything, an input of a few records is still no reason to crash.
TEST(FuzzCorpus, EveryPrefixOfEverySeed) {
  for (const auto& folder : std::filesystem::directory_iterator(kCorpus))
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      const std::string bytes = bytes_of(file);
      for (std::size_t size = 0; size < std::min<std::size_t>(bytes.size(), 600); ++size)
        feed(folder.path().filename().string(), std::string_view(bytes).substr(0, size));
    }
}

}  // namespace
}  // namespace seqpoint::fuzz
