// `scan --sampler accelerate` against orders and shards that Accelerate's own code made (tests/vectors/README.md).
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/scan_rows.hpp"
#include "unit/vectors.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;

/// A rank that has nothing in a round has no batch there.
Epochs without_empty(Epochs ranks) {
  for (auto& batches : ranks) std::erase_if(batches, [](const auto& batch) { return batch.empty(); });
  return ranks;
}

std::vector<std::string> shard_command(const Json& params, bool split) {
  std::vector<std::string> options{"--sampler",
                                   "accelerate",
                                   "--no-shuffle",
                                   "--batch-size",
                                   params["batch_size"].dump(),
                                   "--world-size",
                                   params["num_processes"].dump()};
  if (split) options.emplace_back("--split-batches");
  if (params["drop_last"].get<bool>()) options.emplace_back("--drop-last");
  if (!params["even_batches"].get<bool>()) options.emplace_back("--no-even-batches");
  return options;
}

TEST(AccelerateOrders, EveryShard) {
  std::size_t compared = 0, empty = 0;
  for (const Json& c : load_vectors("accelerate_batch_sampler_shard.json")) {
    SCOPED_TRACE(c["sampler"].dump() + c["params"].dump() + " n=" + c["n"].dump());
    const bool split = c["sampler"].get<std::string>().find("split_batches=True") != std::string::npos;
    const std::vector<std::string> command = shard_command(c["params"], split);
    const lengths::Lengths lengths{std::vector<std::uint32_t>(c["n"].get<std::size_t>(), 7), {}, {}};
    const Epochs expected = c["expected_batches_per_rank"].get<Epochs>();
    if (std::all_of(expected.begin(), expected.end(), [](const auto& rank) { return rank.empty(); })) {
      EXPECT_EQ(scan_status(lengths, command), 2);  // no iteration is left
      ++empty;
      continue;
    }
    EXPECT_EQ(without_empty(ranks_of(scan_rows(lengths, command))), expected);
    ++compared;
  }
  EXPECT_EQ(compared, 44U);
  EXPECT_EQ(empty, 4U);
}

TEST(AccelerateOrders, EveryEpochOfTheSeedableSampler) {
  for (const Json& c : load_vectors("accelerate_seedable.json")) {
    const std::vector<std::uint32_t> lengths(c["n"].get<std::size_t>(), 7);
    const Epochs epochs = epochs_of(scan_rows(lengths, {"--sampler", "accelerate", "--batch-size", "1000", "--epochs",
                                                        "3", "--seed", c["params"]["seed"].dump()}));
    ASSERT_EQ(epochs.size(), c["expected_order"].size());
    for (std::size_t e = 0; e < epochs.size(); ++e) EXPECT_EQ(Json(epochs[e].at(0)), c["expected_order"][e]) << e;
  }
}

TEST(AccelerateOrders, OneProcessFillsNothing) {
  const Epochs epochs = epochs_of(
      scan_rows(std::vector<std::uint32_t>(5, 7), {"--sampler", "accelerate", "--batch-size", "2", "--no-shuffle"}));
  EXPECT_EQ(epochs, (Epochs{{{0, 1}, {2, 3}, {4}}}));
}

TEST(AccelerateOrders, ASplitBatchMustDivide) {
  EXPECT_EQ(scan_status({{1, 2, 3}, {}, {}},
                        {"--sampler", "accelerate", "--batch-size", "5", "--split-batches", "--world-size", "2"}),
            2);
}

}  // namespace
}  // namespace seqpoint::testing
