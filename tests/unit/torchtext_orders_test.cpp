// `scan --sampler torchtext` against orders that torchtext's own iterator made (tests/vectors/README.md).
#include <gtest/gtest.h>

#include "unit/order_cases.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;

TEST(TorchtextOrders, EveryCase) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("torchtext_bucket_iterator.json")) {
    const Json& params = c["params"];
    SCOPED_TRACE(c["sampler"].dump() + params.dump());
    std::vector<std::string> options{"--sampler",    "torchtext",
                                     "--batch-size", params["batch_size"].dump(),
                                     "--seed",       params["random_seed"].dump(),
                                     "--epochs",     params["epochs"].dump()};
    if (params["sort_within_batch"].get<bool>()) options.emplace_back("--sort-within-batch");
    if (c["sampler"] != "legacy BucketIterator") options.insert(options.end(), {"--batch-size-fn", "tokens"});
    const auto lengths = c["lengths"].get<std::vector<std::uint32_t>>();
    EXPECT_EQ(Json(epochs_of(scan_rows(lengths, options))), c["expected_batches"]);
    ++compared;
  }
  EXPECT_EQ(compared, 3U);
}

TEST(TorchtextOrders, PairsUnderEveryBatchSizeFunction) { expect_steps("torchtext_pairs.json", 8); }

TEST(TorchtextOrders, RefusesWhatTorchtextHasNot) {
  const lengths::Lengths lengths{{5, 50, 7}, {}, {}};
  EXPECT_EQ(scan_status(lengths, {"--sampler", "torchtext", "--batch-size", "2", "--drop-last"}), 2);
  EXPECT_EQ(scan_status(lengths, {"--sampler", "torchtext", "--batch-size", "2", "--world-size", "2"}), 2);
  EXPECT_EQ(scan_status({{50}, {}, {}}, {"--sampler", "torchtext", "--batch-size", "20", "--batch-size-fn", "tokens"}),
            2);
  EXPECT_EQ(scan_status(lengths, {"--sampler", "torchtext", "--batch-size", "2", "--batch-size-fn", "words"}), 2);
}

}  // namespace
}  // namespace seqpoint::testing
