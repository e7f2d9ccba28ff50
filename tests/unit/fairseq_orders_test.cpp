// `scan --sampler fairseq` against batches and epochs that fairseq's own code made (tests/vectors/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/rng/rng.hpp"
#include "unit/scan_rows.hpp"
#include "unit/vectors.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::uint32_t>;
using Batches = std::vector<Rows>;

std::vector<std::string> fairseq_command_of(const Json& params) {
  std::vector<std::string> options{"--sampler",
                                   "fairseq",
                                   "--seed",
                                   params["seed"].dump(),
                                   "--required-batch-size-multiple",
                                   params["required_batch_size_multiple"].dump()};
  if (!params["max_tokens"].is_null()) options.insert(options.end(), {"--max-tokens", params["max_tokens"].dump()});
  if (!params["max_sentences"].is_null())
    options.insert(options.end(), {"--batch-size", params["max_sentences"].dump()});
  return options;
}

std::vector<std::string> operator+(std::vector<std::string> options, const std::vector<std::string>& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

bool is_translation(const Json& c) { return c.contains("src_lengths"); }

lengths::Lengths pairs_of(const Json& c) { return {c["src_lengths"].get<Rows>(), c["tgt_lengths"].get<Rows>(), {}}; }

/// fairseq counts epochs from 1, and we from 0.
std::string zero_based(const std::string& epoch) { return std::to_string(std::stoul(epoch) - 1); }

TEST(FairseqOrders, TranslationEveryEpochOnOneAndTwoRanks) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("fairseq.json")) {
    if (!is_translation(c)) continue;
    SCOPED_TRACE(c["params"].dump());
    const std::vector<std::string> options =
        fairseq_command_of(c["params"]) +
        std::vector<std::string>{"--restart-epoch", zero_based(c["params"]["epoch_for_batches"].dump())};
    for (const auto& [epoch, expected] : c["expected_epoch"].items()) {
      const auto at = options + std::vector<std::string>{"--epoch", zero_based(epoch)};
      EXPECT_EQ(Json(ranks_of(scan_rows(pairs_of(c), at + std::vector<std::string>{"--world-size", "2"}))), expected);
      EXPECT_EQ(Json(ranks_of(scan_rows(pairs_of(c), at)).at(0)), c["expected_epoch_world1"][epoch]);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 16U);
}

/// A curriculum of one epoch leaves the first as it was batched.
TEST(FairseqOrders, TheBatchesThemselves) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("fairseq.json")) {
    if (!is_translation(c) || c["params"]["epoch_for_batches"] != 1) continue;
    const auto batches = ranks_of(
        scan_rows(pairs_of(c), fairseq_command_of(c["params"]) + std::vector<std::string>{"--curriculum", "1"}));
    EXPECT_EQ(Json(batches.at(0)), c["expected_frozen_batches"]);
    ++compared;
  }
  EXPECT_EQ(compared, 4U);
}

/// Rows of lengths that differ, and batches of one: batches are shuffled as rows are.
TEST(FairseqOrders, ATrainingThatStartsWithinItsCurriculumNeverShuffles) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("fairseq_curriculum.json")) {
    SCOPED_TRACE(c.dump());
    Rows src(c["rows"].get<std::size_t>());
    std::iota(src.begin(), src.end(), 1U);
    std::vector<std::string> options{"--sampler",
                                     "fairseq",
                                     "--seed",
                                     c["seed"].dump(),
                                     "--batch-size",
                                     "1",
                                     "--required-batch-size-multiple",
                                     "1",
                                     "--curriculum",
                                     c["curriculum"].dump(),
                                     "--restart-epoch",
                                     c["restart_epoch"].dump()};
    if (c["version"] != "") options = options + std::vector<std::string>{"--sampler-version", c["version"]};
    for (const auto& [epoch, expected] : c["epochs"].items()) {
      Rows rows;
      const Batches batches =
          batches_of(scan_rows({src, {}, {}}, options + std::vector<std::string>{"--epoch", zero_based(epoch)}));
      for (const Rows& batch : batches) rows.insert(rows.end(), batch.begin(), batch.end());
      EXPECT_EQ(Json(rows), expected) << epoch;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 30U);
}

std::vector<std::string> audio_command(const Json& params) {
  auto options =
      fairseq_command_of(params) + std::vector<std::string>{"--task", "audio_pretraining", "--curriculum", "1"};
  if (!params["max_sample_size"].is_null())
    options = options + std::vector<std::string>{"--max-sample-size", params["max_sample_size"].dump()};
  return options;
}

/// The vectors' rule for a batch that is cropped: the shortest of it, and no longer than max_sample_size.
std::uint32_t cropped(const Rows& batch, const Rows& lengths, const Json& most) {
  std::uint32_t length = most.is_null() ? 0xFFFFFFFFU : most.get<std::uint32_t>();
  for (const std::uint32_t row : batch) length = std::min(length, lengths[row]);
  return length;
}

TEST(FairseqOrders, AudioIsBatchedLongestFirstAndCropped) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("fairseq.json")) {
    if (is_translation(c)) continue;
    SCOPED_TRACE(c["params"].dump());
    const Rows lengths = c["lengths"].get<Rows>();
    Batches batches;
    for (const ScannedIteration& iteration : scan_rows(lengths, audio_command(c["params"]))) {
      batches.push_back(iteration.ranks.at(0));
      EXPECT_EQ(iteration.src_len, cropped(batches.back(), lengths, c["params"]["max_sample_size"]));
    }
    EXPECT_EQ(Json(batches), c["expected_frozen_batches"]);
    ++compared;
  }
  EXPECT_EQ(compared, 2U);
}

TEST(FairseqOrders, PaddedAudioIsAsLongAsItsLongestUpToTheCap) {
  const auto iterations = scan_rows(
      Rows{10, 30, 20}, {"--sampler", "fairseq", "--task", "audio_pretraining", "--enable-padding", "--batch-size", "3",
                         "--required-batch-size-multiple", "1", "--max-sample-size", "25"});
  ASSERT_EQ(iterations.size(), 1U);
  EXPECT_EQ(iterations[0].src_len, 25U);
}

/// 11 equal lengths in batches of 4: the last has 3, no multiple of 4.
TEST(FairseqOrders, TheIncompleteLastBatchByVersion) {
  const Rows lengths(11, 7);
  const std::vector<std::string> options{"--sampler", "fairseq", "--batch-size", "4", "--required-batch-size-multiple",
                                         "4"};
  const auto batches = [&](const std::vector<std::string>& more) { return scan_rows(lengths, options + more).size(); };
  EXPECT_EQ(batches({}), 2U);
  EXPECT_EQ(batches({"--sampler-version", "main"}), 2U);
  EXPECT_EQ(batches({"--sampler-version", "0.12.2"}), 3U);
  EXPECT_EQ(batches({"--sampler-version", "0.12", "--drop-last"}), 2U);
}

/// Equal lengths in batches of one, unshuffled: what orders the rows was seeded with the seed alone.
TEST(FairseqOrders, UpTo012TheRowsAreOrderedByTheSeedAlone) {
  const Rows lengths(11, 7);
  const std::vector<std::string> options{
      "--sampler",    "fairseq", "--batch-size", "1", "--required-batch-size-multiple", "1",
      "--curriculum", "9",       "--seed",       "5"};
  const auto order = [&](const std::vector<std::string>& more) {
    Rows rows;
    for (const ScannedIteration& iteration : scan_rows(lengths, options + more))
      rows.push_back(iteration.ranks[0].at(0));
    return rows;
  };
  EXPECT_EQ(order({}), rng::NumpyRandom(6).permutation(11));
  EXPECT_EQ(order({"--restart-epoch", "2"}), rng::NumpyRandom(8).permutation(11));
  EXPECT_EQ(order({"--sampler-version", "0.12"}), rng::NumpyRandom(5).permutation(11));
  EXPECT_EQ(order({"--sampler-version", "0.12", "--restart-epoch", "2"}), rng::NumpyRandom(5).permutation(11));
}

/// Groups of a batch a rank stay together: with a sample a batch, in order of length, both ranks' samples are
/// neighbours.
TEST(FairseqOrders, GroupedShufflingKeepsRoundsTogether) {
  const Rows lengths{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<std::string> options{
      "--sampler",    "fairseq", "--batch-size",       "1", "--required-batch-size-multiple", "1",
      "--world-size", "2",       "--grouped-shuffling"};
  const auto iterations = scan_rows(lengths, options);
  ASSERT_EQ(iterations.size(), 4U);  // the ninth batch fills no group
  std::vector<std::uint32_t> groups;
  for (const ScannedIteration& iteration : iterations) {
    const std::uint32_t first = iteration.ranks[0].at(0);
    EXPECT_EQ(iteration.ranks[1].at(0), first + 1);
    EXPECT_EQ(first % 2, 0U);
    groups.push_back(first / 2);
  }
  EXPECT_EQ(groups, rng::NumpyRandom(1).permutation(4));  // seed 0 and fairseq's epoch 1
}

/// An accumulation that an epoch cuts short ends with it.
TEST(FairseqOrders, UpdateFrequencyNumbersSteps) {
  const auto iterations =
      scan_rows(Rows(5, 7), {"--sampler", "fairseq", "--batch-size", "1", "--required-batch-size-multiple", "1",
                             "--grad-accumulation", "2", "--epochs", "2"});
  std::vector<std::uint64_t> steps;
  for (const ScannedIteration& iteration : iterations) steps.push_back(iteration.step);
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{0, 0, 1, 1, 2, 3, 3, 4, 4, 5}));
}

TEST(FairseqOrders, LongSamplesStopItUnlessSkipped) {
  const lengths::Lengths lengths{{5, 2000, 6}, {5, 6, 7}, {}};
  const std::vector<std::string> options{"--sampler", "fairseq", "--batch-size", "4", "--required-batch-size-multiple",
                                         "1"};
  EXPECT_EQ(scan_status(lengths, options), 2);
  EXPECT_EQ(scan_status(lengths, options + std::vector<std::string>{"--max-source-positions", "2000"}), 0);
  const auto iterations =
      scan_rows(lengths, options + std::vector<std::string>{"--skip-invalid-size-inputs-valid-test"});
  ASSERT_EQ(iterations.size(), 1U);
  EXPECT_EQ(iterations[0].ranks.at(0), (Rows{0, 2}));
}

TEST(FairseqOrders, RefusesWhatFairseqRefuses) {
  const lengths::Lengths lengths{{5, 50, 6}, {}, {}};
  EXPECT_EQ(scan_status(lengths, {"--sampler", "fairseq"}), 2);                         // no limit at all
  EXPECT_EQ(scan_status(lengths, {"--sampler", "fairseq", "--max-tokens", "40"}), 2);   // a sample beyond it
  EXPECT_EQ(scan_status(lengths, {"--sampler", "fairseq", "--max-tokens", "150"}), 2);  // the only batch is dropped
  EXPECT_EQ(scan_status(lengths, {"--sampler", "fairseq", "--batch-size", "2", "--max-sentences", "3"}), 2);
  EXPECT_EQ(scan_status(lengths, {"--sampler", "fairseq", "--batch-size", "2", "--sampler-version", "0.10"}), 2);
  EXPECT_EQ(scan_status(lengths, {"--sampler", "fairseq", "--batch-size", "2", "--seed", "4294967295"}), 2);
}

}  // namespace
}  // namespace seqpoint::testing
