// `scan --sampler opennmt` against orders that OpenNMT-py's own iterator made (tests/vectors/README.md).
#include <gtest/gtest.h>

#include "unit/order_cases.hpp"

namespace seqpoint::testing {
namespace {

TEST(OpenNmtOrders, EveryCase) { expect_steps("opennmt.json", 12); }

/// A bucket that spans two passes over the corpus has sentences twice; a batch drops the second.
TEST(OpenNmtOrders, ASentenceIsOnceInABatch) {
  const lengths::Lengths lengths{{3, 3, 3, 3}, {}, {}};
  const auto steps =
      scan_rows(lengths, {"--sampler", "opennmt", "--batch-size", "8", "--epochs", "2", "--num-workers", "0"});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].ranks.at(0), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(OpenNmtOrders, HasNoEpochsToBeginWith) {
  EXPECT_EQ(scan_status({{3, 4}, {}, {}}, {"--sampler", "opennmt", "--batch-size", "8", "--epoch", "1"}), 2);
  EXPECT_EQ(scan_status({{3, 4}, {}, {}}, {"--sampler", "opennmt", "--batch-size", "8", "--bucket-size", "0"}), 2);
}

}  // namespace
}  // namespace seqpoint::testing
