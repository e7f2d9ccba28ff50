// `scan` with TRL's packer against what its own code made (tests/vectors/README.md).
#include <iterator>
#include <sstream>

#include "unit/order_cases.hpp"

namespace seqpoint::testing {
namespace {

using Rows = std::vector<std::uint32_t>;

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The rows of every batch.
std::vector<Rows> batches(const Rows& lengths, const std::string& options) {
  return batches_of(scan_rows(lengths, words(options)));
}

TEST(TrlOrders, EveryStrategy) { expect_steps("trl.json", 3); }

/// The loader sees packed sequences as samples: its order is that of as many of them.
TEST(TrlOrders, TheTrainersLoaderOrdersThePacks) {
  const Rows lengths{3, 9, 4, 8, 7, 5, 6};
  const std::string packing = "--sampler trl --seq-length 10 --batch-size 1";
  const std::vector<Rows> packed = batches(lengths, packing + " --loader sequential");
  for (const std::string loader : {"accelerate", "pytorch-distributed"}) {
    const std::string loading = " --seed 3 --epoch 1 --world-size 2";
    const auto order =
        ranks_of(scan_rows(Rows(packed.size(), 1), words("--sampler " + loader + " --batch-size 1" + loading)));
    const auto got = ranks_of(scan_rows(lengths, words(packing + " --loader " + loader + loading)));
    ASSERT_EQ(got.size(), order.size());
    for (std::size_t r = 0; r < order.size(); ++r)
      for (std::size_t i = 0; i < order[r].size(); ++i) EXPECT_EQ(got[r].at(i), packed.at(order[r][i].at(0))) << loader;
  }
}

/// 7 rows in 2 processes: 4 and 3, each in batches of 3.
TEST(TrlOrders, MapsShardsThenBatches) {
  const std::string packing =
      "--sampler trl --packing-strategy wrapped --seq-length 100 --batch-size 1 --loader sequential";
  EXPECT_EQ(batches(Rows(7, 1), packing + " --map-batch-size 3 --dataset-num-proc 2"),
            (std::vector<Rows>{{0, 1, 2}, {3}, {4, 5, 6}}));
  EXPECT_EQ(batches(Rows(7, 1), packing + " --map-batch-size 0"), (std::vector<Rows>{{0, 1, 2, 3, 4, 5, 6}}));
}

TEST(TrlOrders, RefusesWhatItCannotPack) {
  EXPECT_EQ(scan_status({{1, 2}, {}, {}}, words("--sampler trl --batch-size 1")), 2) << "no --seq-length";
  EXPECT_EQ(scan_status({{1, 2}, {3, 4}, {}}, words("--sampler trl --batch-size 1 --seq-length 5")), 2) << "pairs";
  EXPECT_EQ(scan_status({{0, 0}, {}, {}}, words("--sampler trl --batch-size 1 --seq-length 5")), 2) << "no token";
  EXPECT_EQ(scan_status({{1, 2}, {}, {}}, words("--sampler trl --batch-size 1 --seq-length 5 --packing-strategy ffd")),
            2);
  EXPECT_EQ(
      scan_status({{1, 2}, {}, {}}, words("--sampler trl --batch-size 1 --seq-length 5 --loader sequential --seed 1")),
      2);
}

}  // namespace
}  // namespace seqpoint::testing
