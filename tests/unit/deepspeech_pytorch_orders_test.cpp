// `scan --sampler deepspeech-pytorch` against orders that its own samplers made (tests/vectors/README.md), on small
// lists and on three epochs of LibriSpeech train-clean-100.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "unit/scan_rows.hpp"
#include "unit/sha256.hpp"
#include "unit/vectors.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::uint32_t>;

std::vector<std::string> deepspeech_command(std::vector<std::string> more) {
  more.insert(more.begin(), {"--sampler", "deepspeech-pytorch"});
  return more;
}

/// What a vector's sampler is on our command line.
std::vector<std::string> deepspeech_command_of(const Json& c) {
  const Json& params = c["params"];
  const bool random = c["sampler"].get<std::string>().starts_with("V2.1");
  std::vector<std::string> options =
      deepspeech_command({"--batch-size", params["batch_size"].dump(), "--epochs", params["epochs"].dump(),
                          "--sampler-version", random ? "2.1" : "2.0"});
  for (const char* seed : {"np_seed", "np_seed_each_rank"})
    if (params.contains(seed)) options.insert(options.end(), {"--seed", params[seed].dump()});
  if (params.contains("num_replicas")) options.insert(options.end(), {"--world-size", params["num_replicas"].dump()});
  if (!params.value("sorta_grad", true)) options.emplace_back("--no-sorta-grad");
  return options;
}

Json lengths_of_epochs(const std::vector<ScannedIteration>& iterations) {
  std::vector<Rows> lengths;
  for (const ScannedIteration& iteration : iterations) {
    lengths.resize(iteration.epoch + 1);
    lengths.back().push_back(iteration.src_len);
  }
  return lengths;
}

/// Rank, epoch, batch, row.
std::vector<Epochs> ranks_by_epoch(const std::vector<ScannedIteration>& iterations) {
  std::vector<Epochs> ranks;
  for (const ScannedIteration& iteration : iterations) {
    ranks.resize(iteration.ranks.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      ranks[r].resize(iteration.epoch + 1);
      ranks[r].back().push_back(iteration.ranks[r]);
    }
  }
  return ranks;
}

TEST(DeepspeechPytorchOrders, EveryCase) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("deepspeech_pytorch.json")) {
    SCOPED_TRACE(c["sampler"].dump() + c["params"].dump());
    const auto iterations = scan_rows(c["lengths"].get<Rows>(), deepspeech_command_of(c));
    if (c.contains("expected_batches_per_rank")) {
      EXPECT_EQ(Json(ranks_by_epoch(iterations)), c["expected_batches_per_rank"]);
    } else {
      EXPECT_EQ(Json(epochs_of(iterations)), c["expected_batches"]);
      EXPECT_EQ(lengths_of_epochs(iterations), c["expected_sl"]);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 10U);
}

/// An epoch asked for alone is the one that a run from the first epoch on comes to.
TEST(DeepspeechPytorchOrders, LaterEpochsDoNotDependOnWhereTheScanBegins) {
  for (const char* version : {"2.0", "3"}) {
    for (const char* ranks : {"1", "3"}) {
      const auto scan = [&](const std::string& epoch, const std::string& epochs) {
        return ranks_by_epoch(
            scan_rows(Rows(22, 7), deepspeech_command({"--batch-size", "4", "--world-size", ranks, "--sampler-version",
                                                       version, "--epoch", epoch, "--epochs", epochs})));
      };
      const auto whole = scan("0", "3"), last = scan("2", "1");
      for (std::size_t r = 0; r < whole.size(); ++r) EXPECT_EQ(whole[r].at(2), last.at(r).back()) << version << r;
    }
  }
}

/// Without set_epoch every epoch has the bins of the first.
TEST(DeepspeechPytorchOrders, WithoutSetEpochTheBinsRepeat) {
  const auto lengths = lengths_of_epochs(scan_rows(
      Rows{1, 2, 3, 4, 5, 6, 7, 8},
      deepspeech_command({"--batch-size", "2", "--epochs", "2", "--sampler-version", "3.0", "--no-set-epoch"})));
  EXPECT_EQ(lengths[0], lengths[1]);
}

TEST(DeepspeechPytorchOrders, WithoutShuffleTheBinsStay) {
  const auto lengths = lengths_of_epochs(scan_rows(
      Rows{1, 2, 3, 4, 5},
      deepspeech_command({"--batch-size", "2", "--epochs", "2", "--sampler-version", "2.0", "--no-shuffle"})));
  EXPECT_EQ(lengths, Json({{2, 4, 5}, {2, 4, 5}}));
}

TEST(DeepspeechPytorchOrders, RefusesOptionsOfOtherVersions) {
  const lengths::Lengths lengths{{1, 2, 3}, {}, {}};
  EXPECT_EQ(
      scan_status(lengths, deepspeech_command({"--batch-size", "2", "--sampler-version", "2.1", "--no-sorta-grad"})),
      2);
  EXPECT_EQ(
      scan_status(lengths, deepspeech_command({"--batch-size", "2", "--sampler-version", "2.0", "--no-set-epoch"})), 2);
  EXPECT_EQ(scan_status(lengths, deepspeech_command({"--batch-size", "2", "--no-shuffle"})), 2) << "3.0 is the default";
  EXPECT_EQ(
      scan_status(lengths, deepspeech_command({"--batch-size", "2", "--sampler-version", "2.0", "--world-size", "5"})),
      2);  // 2 bins: the original asserts
  EXPECT_EQ(scan_status(lengths, deepspeech_command({"--batch-size", "2", "--seed", "-1"})), 2);  // not for NumPy
}

/// LibriSpeech as deepspeech.pytorch has it: sorted by length, in frames of librosa's centred STFT.
Rows librispeech_frames() {
  std::ifstream file(std::string(SEQPOINT_SOURCE_DIR) + "/examples/data/librispeech-train-clean-100.csv");
  Rows frames;
  std::string line;
  std::getline(file, line);  // utterance,samples
  while (std::getline(file, line))
    frames.push_back(static_cast<std::uint32_t>(1 + std::stoul(line.substr(line.find(',') + 1)) / 160));
  return frames;
}

TEST(Sha256, OfThreeLetters) {  // FIPS 180-4's example
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(DeepspeechPytorchOrders, ThreeEpochsOfLibriSpeech) {
  Rows frames = librispeech_frames();
  ASSERT_EQ(frames.size(), 28539U);
  std::sort(frames.begin(), frames.end());
  std::vector<Rows> lengths(3), rows(3);
  for (const ScannedIteration& iteration :
       scan_rows(frames, deepspeech_command({"--batch-size", "64", "--sampler-version", "2.0", "--seed", "123456",
                                             "--epochs", "3"}))) {
    lengths[iteration.epoch].push_back(iteration.src_len);
    rows[iteration.epoch].insert(rows[iteration.epoch].end(), iteration.ranks[0].begin(), iteration.ranks[0].end());
  }
  std::size_t epoch = 0;
  for (const Json& c : load_vectors("realdata.json")) {
    if (c["name"].get<std::string>().find("deepspeech.pytorch v2.0") == std::string::npos) continue;
    SCOPED_TRACE(c["name"].get<std::string>());
    EXPECT_EQ(lengths[epoch].size(), c["iterations"].get<std::size_t>());
    EXPECT_EQ(sha256_of(lengths[epoch]), c["sha256_sl_comma_joined"]);
    EXPECT_EQ(sha256_of(rows[epoch]), c["sha256_indices_comma_joined"]);
    ++epoch;
  }
  EXPECT_EQ(epoch, 3U);
}

}  // namespace
}  // namespace seqpoint::testing
