// `scan --rows` against orders that PyTorch's own loaders made (tests/vectors/README.md).
#include <gtest/gtest.h>

#include "unit/scan_rows.hpp"
#include "unit/vectors.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;
using Epochs = std::vector<std::vector<std::vector<std::uint32_t>>>;  // epoch, batch, row

/// The version that a variant of the vectors stands for, and what else it means on our command line.
std::vector<std::string> options_of(const std::string& variant, const Json& params) {
  if (variant == "A") return {"--sampler-version", "1.6"};
  if (variant == "B") return {"--sampler-version", "1.8"};
  if (variant == "C") return {"--sampler-version", "1.9"};
  if (variant == "G") return {"--generator-seed", params["generator_seed"].dump()};
  if (variant == "C-persistent") return {"--persistent-workers"};
  if (variant == "C-val") return {"--val-loaders", "1"};
  ADD_FAILURE() << "unknown variant " << variant;
  return {};
}

std::vector<std::string> pytorch_command_of(const Json& c) {
  const Json& params = c["params"];
  std::vector<std::string> options = options_of(c["variant"], params);
  for (const auto& word : {"--sampler", "pytorch", "--batch-size"}) options.emplace_back(word);
  options.push_back(params["batch_size"].dump());
  options.insert(options.end(), {"--epochs", params["epochs"].dump()});
  if (params.contains("manual_seed")) options.insert(options.end(), {"--seed", params["manual_seed"].dump()});
  if (params.value("drop_last", false)) options.emplace_back("--drop-last");
  return options;
}

std::vector<std::uint32_t> lengths_in(const Json& c) { return c["lengths"].get<std::vector<std::uint32_t>>(); }

TEST(PytorchOrders, EveryVariantAndCase) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("torch_dataloader.json")) {
    SCOPED_TRACE(c["variant"].get<std::string>() + " " + c["params"].dump());
    Epochs batches;
    std::vector<std::vector<std::uint32_t>> lengths;
    for (const ScannedIteration& iteration : scan_rows(lengths_in(c), pytorch_command_of(c))) {
      batches.resize(iteration.epoch + 1);
      lengths.resize(iteration.epoch + 1);
      batches[iteration.epoch].push_back(iteration.ranks.at(0));
      lengths[iteration.epoch].push_back(iteration.src_len);
    }
    EXPECT_EQ(batches, c["expected_batches"].get<Epochs>());
    if (c.contains("expected_sl")) {
      EXPECT_EQ(Json(lengths), c["expected_sl"]);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 22U);
}

/// An epoch asked for alone is the one that a run from the first epoch on comes to.
TEST(PytorchOrders, LaterEpochsDoNotDependOnWhereTheScanBegins) {
  for (const Json& c : load_vectors("torch_dataloader.json")) {
    SCOPED_TRACE(c["variant"].get<std::string>() + " " + c["params"].dump());
    std::vector<std::string> options = pytorch_command_of(c);
    for (std::size_t i = 0; i < options.size(); ++i)
      if (options[i] == "--epochs")
        options.erase(options.begin() + static_cast<std::ptrdiff_t>(i),
                      options.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    options.insert(options.end(), {"--epoch", "1"});
    std::vector<std::vector<std::uint32_t>> batches;
    for (const ScannedIteration& iteration : scan_rows(lengths_in(c), options))
      batches.push_back(iteration.ranks.at(0));
    EXPECT_EQ(batches, c["expected_batches"].get<Epochs>()[1]);
  }
}

/// The rows each rank reads, batches joined.
std::vector<std::vector<std::uint32_t>> rows_of_ranks(const std::vector<ScannedIteration>& iterations) {
  std::vector<std::vector<std::uint32_t>> ranks;
  for (const ScannedIteration& iteration : iterations) {
    ranks.resize(iteration.ranks.size());
    for (std::size_t r = 0; r < ranks.size(); ++r)
      ranks[r].insert(ranks[r].end(), iteration.ranks[r].begin(), iteration.ranks[r].end());
  }
  return ranks;
}

TEST(PytorchDistributedOrders, EveryCase) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("torch_distributed_sampler.json")) {
    const Json& params = c["params"];
    SCOPED_TRACE(params.dump() + " n=" + c["n"].dump());
    std::vector<std::string> options{"--sampler", "pytorch-distributed", "--world-size", params["num_replicas"].dump(),
                                     "--seed",    params["seed"].dump(), "--epoch",      params["epoch"].dump()};
    if (!params["shuffle"].get<bool>()) options.emplace_back("--no-shuffle");
    // The vectors are of the sampler alone: a batch of one sample, so that the loader drops nothing more.
    if (params["drop_last"].get<bool>()) options.emplace_back("--drop-last");
    options.insert(options.end(), {"--batch-size", "1"});
    const std::vector<std::uint32_t> lengths(c["n"].get<std::size_t>(), 7);
    EXPECT_EQ(Json(rows_of_ranks(scan_rows(lengths, options))), c["expected_indices_per_rank"]);
    ++compared;
  }
  EXPECT_EQ(compared, 28U);
}

}  // namespace
}  // namespace seqpoint::testing
