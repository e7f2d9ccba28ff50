// `scan --rows --sampler tf-bucket` against vectors (tests/vectors/README.md), and what TensorFlow's documentation
// shows.
#include <gtest/gtest.h>

#include "seqpoint/batches.hpp"
#include "seqpoint/error.hpp"
#include "unit/scan_rows.hpp"
#include "unit/vectors.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::uint32_t>;

/// One bucket, one sample a batch: the order of the shuffle alone.
Rows shuffled(const Rows& lengths, const std::vector<std::string>& more) {
  std::vector<std::string> options{"--sampler", "tf-bucket", "--bucket-boundaries", "1000", "--batch-size", "1"};
  options.insert(options.end(), more.begin(), more.end());
  Rows order;
  for (const Rows& batch : batches_of(scan_rows(lengths, options))) order.push_back(batch.at(0));
  return order;
}

TEST(TfBucketOrders, ShuffleIsThatOfTheVectors) {
  const Json cases = load_vectors("tensorflow.json");
  for (const std::size_t i : {0U, 1U}) {
    const Json& c = cases[i];
    ASSERT_EQ(c["params"]["seed"], 87654321) << "no global seed";
    std::vector<std::string> options{"--buffer-size", c["params"]["buffer_size"].dump(), "--seed",
                                     c["params"]["seed2"].dump()};
    if (i == 1) options.emplace_back("--no-reshuffle-each-iteration");
    EXPECT_EQ(Json(shuffled(c["lengths"].get<Rows>(), options)), c["expected_order"]) << c["sampler"];
  }
}

TEST(TfBucketOrders, BucketsAreThoseOfTheVectors) {
  const Json c = load_vectors("tensorflow.json")[2];
  const auto got = scan_rows(c["lengths"].get<Rows>(), {"--sampler", "tf-bucket", "--bucket-boundaries", "10,20,40",
                                                        "--bucket-batch-sizes", "8,4,2,1"});
  EXPECT_EQ(Json(batches_of(got)), c["expected_batches"]);
}

const Rows kFrames{1, 4, 3, 5, 6, 2};  // the example in the documentation of bucket_by_sequence_length

TEST(TfBucketOrders, TheDocumentedExample) {
  const std::vector<std::string> options{"--sampler", "tf-bucket", "--bucket-boundaries", "3,5", "--batch-size", "2"};
  EXPECT_EQ(batches_of(scan_rows(kFrames, options)), (std::vector<Rows>{{1, 2}, {3, 4}, {0, 5}}));
}

TEST(TfBucketOrders, TheDocumentedPaddingToTheBoundary) {
  std::vector<std::string> options{"--sampler",    "tf-bucket", "--bucket-boundaries",     "4,7",
                                   "--batch-size", "2",         "--pad-to-bucket-boundary"};
  const auto got = scan_rows(kFrames, options);
  EXPECT_EQ(batches_of(got), (std::vector<Rows>{{0, 2}, {1, 3}, {5}, {4}}));
  Rows lengths;
  for (const ScannedIteration& iteration : got) lengths.push_back(iteration.src_len);
  EXPECT_EQ(lengths, (Rows{3, 6, 3, 6}));
  EXPECT_EQ(got[0].tokens, 4U) << "padding is no token";
  options.emplace_back("--drop-last");
  EXPECT_EQ(batches_of(scan_rows(kFrames, options)), (std::vector<Rows>{{0, 2}, {1, 3}}));
}

TEST(TfBucketOrders, TheLongerSideOfAPairDecides) {
  const auto got = scan_rows(
      {2, 9, 3, 2}, {9, 2, 3, 1},
      {"--sampler", "tf-bucket", "--bucket-boundaries", "5,10", "--batch-size", "2", "--pad-to-bucket-boundary"});
  EXPECT_EQ(batches_of(got), (std::vector<Rows>{{0, 1}, {2, 3}}));
  EXPECT_EQ(got[0].src_len, 9U);
  EXPECT_EQ(got[1].tgt_len, 4U);
}

/// tensorflow/python/framework/random_seed.py: seeds are taken modulo 2^31 - 1, and (0, 0) becomes (0, 2^31 - 1).
TEST(TfBucketOrders, SeedsAreTakenModulo) {
  const Rows lengths(30, 7);
  const auto with = [&](const std::string& seed, const std::string& global) {
    return shuffled(lengths, {"--buffer-size", "30", "--seed", seed, "--global-seed", global});
  };
  EXPECT_EQ(with("5", "9"), with("2147483652", "2147483656"));
  EXPECT_EQ(with("-1", "9"), with("2147483646", "9"));
  EXPECT_EQ(with("42", "87654321"), shuffled(lengths, {"--buffer-size", "30", "--seed", "42"}));
  EXPECT_NE(with("5", "9"), with("9", "5"));
}

TEST(TfBucketOrders, EachWorkerReadsItsShardAndTheFirstToEndEndsTheEpoch) {
  const auto got = scan_rows(
      Rows(7, 1), {"--sampler", "tf-bucket", "--bucket-boundaries", "3", "--batch-size", "1", "--world-size", "3"});
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[1].ranks, (std::vector<Rows>{{3}, {4}, {5}}));
}

TEST(TfBucketOrders, RefusesWhatTensorFlowRefuses) {
  const lengths::Lengths lengths{kFrames, {}, {}};
  batching::BatchPolicy policy;
  policy.sampler = "tf-bucket";
  policy.batch_size = 2;
  const auto refused = [&](const std::string& boundaries, const std::string& sizes, bool pad) {
    batching::BatchPolicy p = policy;
    if (!boundaries.empty()) p.options.set("bucket-boundaries", boundaries);
    if (!sizes.empty()) p.options.set("bucket-batch-sizes", sizes);
    if (pad) p.options.set("pad-to-bucket-boundary", "true");
    EXPECT_THROW(batching::for_each_micro_batch(lengths, p, [](const batching::MicroBatch&) {}), UsageError)
        << boundaries << " " << sizes;
  };
  refused("", "", false);
  refused("5,3", "", false);
  refused("3,5,", "", false);
  refused("3;5", "", false);
  refused("3,5", "2,2", false);
  refused("3,5", "2,2,0", false);
  refused("3,6", "", true);  // a length of 6 is in the bucket without a bound
}

}  // namespace
}  // namespace seqpoint::testing
