// `scan --sampler sockeye` against batches that Sockeye's own iterator made (tests/vectors/README.md).
#include <gtest/gtest.h>

#include "unit/order_cases.hpp"

namespace seqpoint::testing {
namespace {

/// Rows and the bounds of the bucket that they are padded to.
TEST(SockeyeOrders, EveryCase) { expect_steps("sockeye.json", 10); }

TEST(SockeyeOrders, OneLengthStandsForBothSides) {
  const std::vector<std::string> options{"--sampler", "sockeye", "--batch-size", "3"};
  const auto one = scan_rows(lengths::Lengths{{2, 9, 30, 12, 7}, {}, {}}, options);
  const auto both = scan_rows(lengths::Lengths{{2, 9, 30, 12, 7}, {2, 9, 30, 12, 7}, {}}, options);
  ASSERT_EQ(one.size(), both.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].ranks, both[i].ranks);
    EXPECT_EQ(one[i].src_len, both[i].tgt_len);
  }
}

TEST(SockeyeOrders, RefusesWhatSockeyeCannotDo) {
  const lengths::Lengths lengths{{20, 30}, {}, {}};
  EXPECT_EQ(scan_status(lengths, {"--sampler", "sockeye", "--batch-size", "20", "--batch-type", "word"}), 2);
  EXPECT_EQ(scan_status(lengths, {"--sampler", "sockeye", "--batch-size", "2", "--world-size", "2"}), 2);
  EXPECT_EQ(scan_status(lengths, {"--sampler", "sockeye", "--batch-size", "2", "--max-seq-len", "10"}), 2);
  EXPECT_EQ(scan_status(lengths, {"--sampler", "sockeye", "--batch-size", "2", "--max-seq-len", "ten"}), 2);
}

}  // namespace
}  // namespace seqpoint::testing
