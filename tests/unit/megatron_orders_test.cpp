// `scan --rows --sampler megatron` against what Megatron-LM's own samplers and GPTDataset made
// (tests/vectors/README.md).
#include <gtest/gtest.h>

#include "core/batching/batches.hpp"
#include "seqpoint/error.hpp"
#include "unit/scan_rows.hpp"
#include "unit/vectors.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::uint32_t>;

std::vector<std::string> options_of(const Json& params) {
  std::vector<std::string> options{"--sampler",    "megatron",
                                   "--batch-size", params["micro_batch_size"].dump(),
                                   "--world-size", params["data_parallel_size"].dump()};
  if (!params["data_sharding"].get<bool>()) options.emplace_back("--no-data-sharding");
  return options;
}

/// One sequence a batch.
std::vector<std::string> options_of_sequences(const Json& params) {
  std::vector<std::string> options{"--sampler",    "megatron",
                                   "--batch-size", "1",
                                   "--seq-length", params["sequence_length"].dump(),
                                   "--seed",       params["random_seed"].dump()};
  if (!params["num_samples"].is_null())
    options.insert(options.end(), {"--train-samples", params["num_samples"].dump()});
  return options;
}

TEST(MegatronOrders, AnEpochOfEveryRank) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("megatron.json")) {
    SCOPED_TRACE(c["params"].dump());
    std::vector<std::string> options = options_of(c["params"]);
    options.insert(options.end(), {"--epoch", c["params"]["epoch"].dump()});
    std::vector<std::vector<Rows>> ranks(c["params"]["data_parallel_size"].get<std::size_t>());
    for (const ScannedIteration& iteration :
         scan_rows(Rows(c["params"]["total_samples"].get<std::size_t>(), 7), options))
      for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r].push_back(iteration.ranks.at(r));
    EXPECT_EQ(Json(ranks), c["expected_batches_per_rank"]);
    ++compared;
  }
  EXPECT_EQ(compared, 4U);
}

/// Ranks that get a batch more than others are behind them in the epochs that follow.
TEST(MegatronOrders, RunsOfSeveralEpochs) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("megatron_runs.json")) {
    if (!c.contains("expected_steps")) continue;
    SCOPED_TRACE(c["params"].dump());
    std::vector<std::string> options = options_of(c["params"]);
    options.insert(options.end(), {"--epochs", c["params"]["epochs"].dump()});
    std::vector<std::vector<Rows>> steps;
    for (const ScannedIteration& iteration :
         scan_rows(Rows(c["params"]["total_samples"].get<std::size_t>(), 7), options))
      steps.push_back(iteration.ranks);
    EXPECT_EQ(Json(steps), c["expected_steps"]);
    ++compared;
  }
  EXPECT_EQ(compared, 4U);
}

TEST(MegatronOrders, DocumentsOfTheSequencesOfAGptDataset) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("megatron_runs.json")) {
    if (!c.contains("expected_documents")) continue;
    const Json& params = c["params"];
    SCOPED_TRACE(params.dump());
    std::vector<std::string> options = options_of_sequences(params);
    std::vector<Rows> documents;
    for (const ScannedIteration& iteration : scan_rows(c["lengths"].get<Rows>(), options)) {
      documents.push_back(iteration.ranks.at(0));
      EXPECT_EQ(Json(iteration.src_len), params["sequence_length"]);
      EXPECT_EQ(iteration.batch_size, 1U);
    }
    EXPECT_EQ(Json(documents), c["expected_documents"]);
    ++compared;
  }
  EXPECT_EQ(compared, 6U);
}

TEST(MegatronOrders, DocumentsOfABlend) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("megatron_blends.json")) {
    const Json& params = c["params"];
    SCOPED_TRACE(params.dump());
    std::vector<std::string> options = options_of_sequences(params);
    if (const std::string weights = params["weights"].dump(); weights != "null")
      options.insert(options.end(), {"--blend", weights.substr(1, weights.size() - 2)});
    lengths::Lengths lengths;
    for (const Json& set : c["lengths"]) {
      lengths.src.insert(lengths.src.end(), set.begin(), set.end());
      lengths.manifest_ends.push_back(lengths.src.size());
    }
    std::vector<Rows> documents;
    for (const ScannedIteration& iteration : scan_rows(lengths, options)) documents.push_back(iteration.ranks.at(0));
    EXPECT_EQ(Json(documents), c["expected_documents"]);
    ++compared;
  }
  EXPECT_EQ(compared, 8U);
}

TEST(MegatronOrders, ASinglePassIsInOrder) {
  const auto got = scan_rows(
      Rows(9, 7), {"--sampler", "megatron", "--dataloader-type", "single", "--batch-size", "2", "--world-size", "2"});
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[1].ranks, (std::vector<Rows>{{4, 5}, {6, 7}}));
}

TEST(MegatronOrders, RefusesWhatCannotBe) {
  const auto refused = [](const std::vector<std::pair<std::string, std::string>>& options, std::uint64_t epochs) {
    batching::BatchPolicy policy;
    policy.sampler = "megatron";
    policy.batch_size = 2;
    policy.epochs = epochs;
    for (const auto& [name, value] : options) policy.options.set(name, value);
    EXPECT_THROW(batching::for_each_micro_batch({.src = {3, 4, 5}}, policy, [](const batching::MicroBatch&) {}),
                 UsageError);
  };
  refused({{"dataloader-type", "single"}}, 2);
  refused({{"dataloader-type", "external"}}, 1);
  refused({{"train-samples", "3"}}, 1);
  refused({{"seq-length", "0"}}, 1);
  refused({{"seq-length", "12"}}, 1);  // 12 tokens are a sequence of 12, but have no label for the last
  refused({{"seq-length", "6"}}, 1);   // one sequence: not a micro-batch of two
  refused({{"seq-length", "1000000"}, {"train-samples", "4294967295"}}, 1);  // 12 tokens, some 10^14 times
  refused({{"blend", "1"}}, 1);
  refused({{"seq-length", "2"}, {"blend", "1"}}, 1);
  refused({{"seq-length", "2"}, {"train-samples", "4"}, {"blend", "1,1"}}, 1);
  refused({{"seq-length", "2"}, {"train-samples", "4"}, {"blend", "0"}}, 1);
  refused({{"seq-length", "2"}, {"train-samples", "4"}, {"blend", "a"}}, 1);
}

}  // namespace
}  // namespace seqpoint::testing
