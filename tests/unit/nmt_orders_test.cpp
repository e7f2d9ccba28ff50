// `scan --rows --sampler nmt` against the vectors, and against the shuffle and the buckets told apart.
#include <gtest/gtest.h>

#include "seqpoint/batches.hpp"
#include "seqpoint/error.hpp"
#include "unit/scan_rows.hpp"
#include "unit/vectors.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::uint32_t>;

/// A buffer of one row shuffles nothing.
TEST(NmtOrders, BucketsAreThoseOfTheVectors) {
  const Json c = load_vectors("tensorflow.json")[3];
  const auto got = scan_rows(c["src_lengths"].get<Rows>(), c["tgt_lengths"].get<Rows>(),
                             {"--sampler", "nmt", "--output-buffer-size", "1", "--batch-size",
                              c["params"]["batch_size"].dump(), "--num-buckets", c["params"]["num_buckets"].dump()});
  EXPECT_EQ(Json(batches_of(got)), c["expected_batches"]);
}

/// Without buckets a batch size of 1 shows the shuffle, which is that of tf.data.
TEST(NmtOrders, ShufflesAsTfDataDoes) {
  const Json c = load_vectors("tensorflow.json")[0];
  const auto lengths = c["lengths"].get<Rows>();
  const auto got = scan_rows(lengths, lengths,
                             {"--sampler", "nmt", "--num-buckets", "1", "--batch-size", "1", "--output-buffer-size",
                              c["params"]["buffer_size"].dump(), "--seed", "42"});
  Rows order;
  for (const Rows& batch : batches_of(got)) order.push_back(batch.at(0));
  EXPECT_EQ(Json(order), c["expected_order"]);
}

TEST(NmtOrders, DropsEmptySidesAndCutsLongOnes) {
  const auto got =
      scan_rows({3, 0, 70, 4}, {5, 6, 2, 0},
                {"--sampler", "nmt", "--num-buckets", "1", "--batch-size", "4", "--output-buffer-size", "1"});
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].ranks[0], (Rows{0, 2}));
  EXPECT_EQ(got[0].src_len, 50U);
  EXPECT_EQ(got[0].tgt_len, 5U);
  EXPECT_EQ(got[0].tokens, 3U + 5 + 50 + 2);
}

lengths::Lengths read_with_symbols(std::uint32_t symbols) {
  lengths::Lengths lengths{{1, 1, 1, 1}, {9, 8, 9, 8}, {}};
  for (std::uint32_t& tgt : lengths.tgt) tgt += symbols;
  lengths.tgt_symbols = symbols;
  return lengths;
}

/// 9 words and the symbol are in the bucket of 10 to 19, whether the reader has counted the symbol or not.
TEST(NmtOrders, SymbolsThatTheReaderAddedAreNotCountedTwice) {
  batching::BatchPolicy policy;
  policy.sampler = "nmt";
  policy.batch_size = 2;
  policy.options.set("output-buffer-size", "1");
  for (const std::uint32_t symbols : {0U, 1U}) {
    std::vector<Rows> batches;
    Rows lengths;
    batching::for_each_micro_batch(read_with_symbols(symbols), policy, [&](const batching::MicroBatch& step) {
      batches.emplace_back(step.rows.begin(), step.rows.end());
      lengths.push_back(step.shapes[0].tgt_len);
    });
    EXPECT_EQ(batches, (std::vector<Rows>{{0, 2}, {1, 3}}));
    EXPECT_EQ(lengths, (Rows{9 + symbols, 8 + symbols}));
  }
}

TEST(NmtOrders, NeedsPairsAndOneProcess) {
  batching::BatchPolicy policy;
  policy.sampler = "nmt";
  policy.batch_size = 2;
  EXPECT_THROW(batching::for_each_micro_batch({{1, 2}, {}, {}}, policy, [](const batching::MicroBatch&) {}),
               UsageError);
  policy.world_size = 2;
  EXPECT_THROW(batching::for_each_micro_batch({{1, 2}, {1, 2}, {}}, policy, [](const batching::MicroBatch&) {}),
               UsageError);
}

}  // namespace
}  // namespace seqpoint::testing
