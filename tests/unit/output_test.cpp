// Output files that were begun and not completed.
#include "io/stream/output.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace seqpoint::io::stream {
namespace {

namespace fs = std::filesystem;

TEST(UnfinishedOutputs, AreAllRemovedHoweverManyThereAre) {
  std::string folder = fs::temp_directory_path() / "outputs-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto files = [&] { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); };
  std::vector<std::unique_ptr<Output>> outputs;
  for (int i = 0; i < 40; ++i) outputs.push_back(std::make_unique<Output>(folder + "/" + std::to_string(i)));
  EXPECT_EQ(files(), 40);
  outputs.back()->commit();
  remove_unfinished_outputs();
  EXPECT_EQ(files(), 1) << "the committed one";
  outputs.clear();
  fs::remove_all(folder);
}

}  // namespace
}  // namespace seqpoint::io::stream
