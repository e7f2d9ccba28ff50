// `scan --sampler nemo-semi-sorted` against orders that NeMo's own sampler made (tests/vectors/README.md).
#include <gtest/gtest.h>

#include "unit/order_cases.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;

/// The vectors seed NumPy before every epoch.
TEST(NemoSemiSortedOrders, EveryCase) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("nemo_semi_sorted.json")) {
    const Json& params = c["params"];
    SCOPED_TRACE(params.dump());
    const std::vector<std::string> options{"--sampler",
                                           "nemo-semi-sorted",
                                           "--sampler-version",
                                           "1.24",
                                           "--reseed-numpy",
                                           "--seed",
                                           params["np_seed_before_iter_each_rank"].dump(),
                                           "--semi-sort-sampler-seed",
                                           params["sampler_seed"].dump(),
                                           "--randomization-factor",
                                           params["randomization_factor"].dump(),
                                           "--batch-size",
                                           params["batch_size"].dump(),
                                           "--world-size",
                                           params["world_size"].dump(),
                                           "--epoch",
                                           params["epoch"].dump()};
    const lengths::Lengths lengths{{}, {}, c["lengths"].get<std::vector<double>>()};
    EXPECT_EQ(Json(ranks_of(scan_rows(lengths, options))), c["expected_batches_per_rank"]);
    ++compared;
  }
  EXPECT_EQ(compared, 4U);
}

/// Without --reseed-numpy the noise of an epoch goes on where that of the one before ended; with --drop-last it also
/// decides who is left out. Made by NeMo's sampler.
TEST(NemoSemiSortedOrders, EpochAfterEpoch) { expect_steps("nemo_epochs.json", 8); }

/// Since NumPy 2 the width of the noise is rounded to float32. Of the 8000 samples of this list two change places
/// (emulated).
TEST(NemoSemiSortedOrders, TheVersionOfNumpyMatters) {
  lengths::Lengths lengths;
  for (unsigned i = 0; i < 8000; ++i) lengths.seconds.push_back(0.5 + i * 7919 % 8000 / 500.0);
  const std::vector<std::string> options{"--sampler", "nemo-semi-sorted", "--no-shuffle", "--batch-size", "1", "--seed",
                                         "44"};
  std::vector<std::string> numpy_1 = options;
  numpy_1.insert(numpy_1.end(), {"--sampler-version", "1.24"});
  const auto old_order = batches_of(lengths, numpy_1), new_order = batches_of(lengths, options);
  ASSERT_EQ(old_order.size(), 8000U);
  EXPECT_EQ(old_order[6582], std::vector{1895U});
  EXPECT_EQ(new_order[6582], std::vector{1991U});
  EXPECT_EQ(old_order[6583], new_order[6582]);
  EXPECT_EQ(old_order[6582], new_order[6583]);
}

}  // namespace
}  // namespace seqpoint::testing
