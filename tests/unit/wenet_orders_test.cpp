// `scan --sampler wenet` against batches that WeNet's own pipeline made (tests/vectors/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "unit/order_cases.hpp"

namespace seqpoint::testing {
namespace {

TEST(WenetOrders, EveryVector) {
  for (const nlohmann::json& c : load_vectors("wenet.json")) {
    const std::vector<std::string> options{"--sampler",
                                           "wenet",
                                           "--no-list-shuffle",
                                           "--no-shuffle",
                                           "--batch-type",
                                           "dynamic",
                                           "--sort-size",
                                           c["params"]["sort_size"].dump(),
                                           "--max-frames-in-batch",
                                           c["params"]["max_frames_in_batch"].dump()};
    const lengths::Lengths lengths{c["lengths"].get<std::vector<std::uint32_t>>(), {}, {}};
    EXPECT_EQ(nlohmann::json(batches_of(lengths, options)), c["expected_batches"]);
  }
}

/// Shuffles, loading processes, ranks and epochs, under PyTorch's own DataLoader.
TEST(WenetOrders, EveryLoader) { expect_steps("wenet_loader.json", 14); }

/// torch's Grouper holds 10000 samples: beyond, the fullest bucket is given out before its time.
TEST(WenetOrders, AFullGrouperGivesUpItsLargestBucket) {
  std::vector<std::uint32_t> lengths(10001, 3);
  std::fill(lengths.begin(), lengths.begin() + 4000, 300U);
  const auto batches = batches_of(
      {lengths, {}, {}}, {"--sampler", "wenet", "--no-list-shuffle", "--no-shuffle", "--no-sort", "--batch-type",
                          "bucket", "--bucket-boundaries", "100", "--bucket-batch-sizes", "20000,20000"});
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_EQ(batches[0].size(), 6000U);  // the short ones, begun later
  EXPECT_EQ(batches[1].size(), 4000U);
  EXPECT_EQ(batches[2].size(), 1U);
}

/// Whatever is drawn: a shuffle loses nothing.
TEST(WenetOrders, EveryRowOnce) {
  const lengths::Lengths lengths{std::vector<std::uint32_t>(1000, 5), {}, {}};
  for (const char* const size : {"1", "37", "1000", "5000"}) {
    std::vector<std::uint32_t> rows;
    for (const auto& batch :
         batches_of(lengths, {"--sampler", "wenet", "--batch-size", "7", "--shuffle-size", size, "--seed", size}))
      rows.insert(rows.end(), batch.begin(), batch.end());
    EXPECT_FALSE(std::is_sorted(rows.begin(), rows.end()));
    std::sort(rows.begin(), rows.end());
    std::vector<std::uint32_t> all(1000);
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(rows, all) << size;
  }
}

}  // namespace
}  // namespace seqpoint::testing
