// `scan --sampler hf-length-grouped` against orders that transformers' LengthGroupedSampler made
// (tests/vectors/README.md).
#include <gtest/gtest.h>

#include <algorithm>

#include "core/rng/rng.hpp"
#include "unit/order_cases.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::uint32_t>;

std::vector<std::string> hf_command(std::vector<std::string> more) {
  more.insert(more.begin(), {"--sampler", "hf-length-grouped"});
  return more;
}

/// Of the releases whose sampler has a generator of its own.
std::vector<std::string> hf_command_430(std::vector<std::string> more) {
  more.insert(more.end(), {"--sampler-version", "4.30"});
  return hf_command(std::move(more));
}

Rows joined(const std::vector<Rows>& batches) {
  Rows rows;
  for (const Rows& batch : batches) rows.insert(rows.end(), batch.begin(), batch.end());
  return rows;
}

TEST(HfLengthGroupedOrders, EveryCase) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("hf_length_grouped.json")) {
    SCOPED_TRACE(c["params"].dump());
    const Epochs epochs = epochs_of(
        scan_rows(c["lengths"].get<Rows>(), hf_command_430({"--batch-size", c["params"]["batch_size"].dump(), "--seed",
                                                            c["params"]["generator_seed"].dump()})));
    EXPECT_EQ(Json(epochs.at(0)), c["expected_batches"]);
    ++compared;
  }
  EXPECT_EQ(compared, 4U);
}

/// The classes of transformers 5 give what those of 4.30 gave: two seeds of one process, and four processes. And an
/// epoch of the Trainer itself.
TEST(HfLengthGroupedOrders, Version5) { expect_steps("hf_length_grouped_5.json", 4); }

/// The case of 57 samples; its megabatches are of 12, three batches of 4.
const Json& case_of_57() {
  static const Json vectors = load_vectors("hf_length_grouped.json");
  return vectors[1];
}

/// A batch of 2 twice a step groups as a batch of 4 does, and is then cut in two; before 4.16 it does not.
TEST(HfLengthGroupedOrders, AnOptimiserStepIsGroupedAsOneBatch) {
  const Rows lengths = case_of_57()["lengths"].get<Rows>();
  const auto rows = [&](const std::string& version) {
    return joined(epochs_of(scan_rows(lengths, hf_command({"--batch-size", "2", "--grad-accumulation", "2", "--seed",
                                                           "5", "--sampler-version", version})))
                      .at(0));
  };
  EXPECT_EQ(Json(rows("4.16")), case_of_57()["expected_indices"]);
  EXPECT_EQ(rows("4.16"), rows("4.30"));
  EXPECT_NE(Json(rows("4.15")), case_of_57()["expected_indices"]);
}

/// Several processes: seed + epoch seeds the generator, and rank r has rows r, r + W, ... of the order and its head.
TEST(HfLengthGroupedOrders, RanksShareTheOrderOfOneProcess) {
  Rows order = case_of_57()["expected_indices"].get<Rows>();
  order.resize(60);
  std::copy_n(order.begin(), 3, order.begin() + 57);
  const auto iterations =
      scan_rows(case_of_57()["lengths"].get<Rows>(),
                hf_command_430({"--batch-size", "4", "--world-size", "4", "--seed", "3", "--epoch", "2"}));
  const auto ranks = ranks_of(iterations);
  ASSERT_EQ(ranks.size(), 4U);
  for (std::size_t r = 0; r < 4; ++r) {
    Rows expected;
    for (std::size_t k = r; k < order.size(); k += 4) expected.push_back(order[k]);
    EXPECT_EQ(joined(ranks[r]), expected) << r;
  }
}

/// The generator of one process goes on: its second permutation is not that of a seed one higher.
TEST(HfLengthGroupedOrders, OneProcessNeverReseeds) {
  const Rows lengths(30, 7);  // equal lengths: what is left is the permutation
  const Epochs epochs =
      epochs_of(scan_rows(lengths, hf_command_430({"--batch-size", "30", "--epochs", "3", "--seed", "9"})));
  rng::TorchGenerator generator(9);
  for (const auto& epoch : epochs) EXPECT_EQ(epoch.at(0), generator.permutation(30));
}

TEST(HfLengthGroupedOrders, TheTrainersSeedIsDrawnFrom) {
  const Rows lengths(30, 7);
  const auto first = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--batch-size", "30"});
    return epochs_of(scan_rows(lengths, hf_command(std::move(more)))).at(0).at(0);
  };
  rng::TorchGenerator trainer(42);
  EXPECT_EQ(first({"--trainer-seed", "42", "--sampler-version", "4.30"}),
            rng::TorchGenerator(trainer.int64()).permutation(30));
  // From 4.31 on the default generator is the sampler's; the loader's _base_seed takes two outputs.
  rng::TorchGenerator shared(42);
  shared.skip(2);
  EXPECT_EQ(first({"--trainer-seed", "42", "--sampler-version", "4.31"}), shared.permutation(30));
  shared.skip(2);
  EXPECT_EQ(first({"--seed", "42", "--sampler-version", "4.40", "--epoch", "1"}), shared.permutation(30));
}

TEST(HfLengthGroupedOrders, TheDefaultIsTheOrderOfCurrentReleases) {
  const auto rows = [](const std::vector<std::string>& version) {
    std::vector<std::string> options = hf_command({"--batch-size", "4", "--seed", "5"});
    options.insert(options.end(), version.begin(), version.end());
    return joined(batches_of(lengths::Lengths{case_of_57()["lengths"].get<Rows>(), {}, {}}, options));
  };
  for (const char* const current : {"4.31", "4.57", "5.0", "5.17"})
    EXPECT_EQ(rows({}), rows({"--sampler-version", current}));
  EXPECT_NE(rows({}), rows({"--sampler-version", "4.30"}));
}

/// From 4.31 on Accelerate deals whole batches, and fills the last round from the head.
TEST(HfLengthGroupedOrders, AccelerateDealsFrom431On) {
  const Rows lengths(10, 7);
  rng::TorchGenerator shared(1);
  shared.skip(2);
  Rows order = shared.permutation(10);
  order.insert(order.end(), order.begin(), order.begin() + 2);
  const auto ranks = ranks_of(scan_rows(
      lengths, hf_command({"--batch-size", "3", "--world-size", "2", "--seed", "1", "--sampler-version", "4.31"})));
  const auto part = [&](std::ptrdiff_t begin) { return Rows(order.begin() + begin, order.begin() + begin + 3); };
  EXPECT_EQ(ranks, (Epochs{{part(0), part(6)}, {part(3), part(9)}}));
}

TEST(HfLengthGroupedOrders, RefusesWhatItDoesNotKnow) {
  const lengths::Lengths lengths{{1, 2, 3}, {}, {}};
  EXPECT_EQ(scan_status(lengths, hf_command({"--batch-size", "2", "--sampler-version", "4.9"})), 2);
  EXPECT_EQ(scan_status(lengths, hf_command({"--batch-size", "2", "--seed", "1", "--trainer-seed", "1"})), 2);
  EXPECT_EQ(scan_status(lengths, hf_command_430({"--batch-size", "2", "--world-size", "7"})), 2);
  EXPECT_EQ(scan_status(lengths, hf_command_430({"--batch-size", "2", "--world-size", "6"})), 0);
}

}  // namespace
}  // namespace seqpoint::testing
