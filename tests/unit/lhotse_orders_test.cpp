// `scan --sampler lhotse-...` against orders that Lhotse itself made (tests/vectors/README.md).
#include <gtest/gtest.h>

#include "unit/order_cases.hpp"
#include "unit/sha256.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;

std::string sampler_of(const Json& c) {
  if (c["sampler"] == "SimpleCutSampler") return "lhotse-simple";
  return c["sampler"] == "DynamicCutSampler" ? "lhotse-dynamic" : "lhotse-bucketing";
}

/// The vectors' parameters have our options' names, with underscores.
std::vector<std::string> lhotse_command_of(const Json& c) {
  std::vector<std::string> options{"--sampler", sampler_of(c)};
  for (const auto& [name, value] : c["params"].items()) {
    if (name == "cuts" || name == "concurrent" || value.is_null()) continue;
    std::string option = "--" + name;
    std::replace(option.begin(), option.end(), '_', '-');
    if (name == "sync_buckets") {
      if (!value.get<bool>()) options.emplace_back("--no-sync-buckets");
    } else if (value.is_boolean()) {
      if (value.get<bool>()) options.push_back(option);
    } else {
      options.insert(options.end(), {option, value.dump()});
    }
  }
  return options;
}

TEST(LhotseOrders, EveryCase) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("lhotse.json")) {
    SCOPED_TRACE(c["sampler"].dump() + c["params"].dump());
    const lengths::Lengths lengths{{}, {}, c["lengths"].get<std::vector<double>>()};
    EXPECT_EQ(Json(batches_of(lengths, lhotse_command_of(c))), c["expected_batches"]);
    ++compared;
  }
  EXPECT_EQ(compared, 180U);
}

TEST(LhotseOrders, EveryRank) { expect_steps("lhotse_ranks.json", 16); }

/// The digest is of samples, not frames: a frame every sample.
TEST(LhotseOrders, AWholeEpochOfLibriSpeech) {
  for (const Json& c : load_vectors("realdata.json")) {
    if (c["name"] != "librispeech100 Lhotse DynamicBucketingSampler") continue;
    const auto iterations =
        scan_rows_of_file(std::string(SEQPOINT_SOURCE_DIR) + "/examples/data/librispeech-train-clean-100.csv",
                          {"--sampler", "lhotse-bucketing", "--max-duration", "200", "--num-buckets", "30",
                           "--buffer-size", "2000", "--shuffle", "--frame-shift", "0.0000625"});
    std::vector<std::uint32_t> samples, rows;
    for (const ScannedIteration& iteration : iterations) {
      samples.push_back(iteration.src_len);
      rows.insert(rows.end(), iteration.ranks.at(0).begin(), iteration.ranks.at(0).end());
    }
    EXPECT_EQ(iterations.size(), c["iterations"]);
    EXPECT_EQ(sha256_of(samples), c["sha256_sl_comma_joined"]);
    EXPECT_EQ(sha256_of(rows), c["sha256_indices_comma_joined"]);
    return;
  }
  FAIL() << "no such entry";
}

TEST(LhotseOrders, GivenBinsStandForEstimatedOnes) {
  const Json c = load_vectors("lhotse.json").at(2);
  ASSERT_TRUE(c.contains("expected_bins"));
  std::string bins;
  for (const Json& bin : c["expected_bins"]) bins += (bins.empty() ? "" : ",") + bin.dump();
  std::vector<std::string> options = lhotse_command_of(c);
  options.insert(options.end(), {"--duration-bins", bins, "--num-cuts-for-bins-estimate", "1"});
  EXPECT_EQ(Json(batches_of({{}, {}, c["lengths"].get<std::vector<double>>()}, options)), c["expected_batches"]);
}

TEST(LhotseOrders, WithoutSetEpochEveryEpochIsTheFirst) {
  const lengths::Lengths cuts{{}, {}, {4, 9, 3.5, 12, 7, 1.25, 8, 8, 2}};
  const std::vector<std::string> options{"--sampler", "lhotse-simple", "--max-duration", "20", "--shuffle"};
  std::vector<std::string> later = options;
  later.insert(later.end(), {"--epoch", "5", "--no-set-epoch"});
  EXPECT_EQ(batches_of(cuts, options), batches_of(cuts, later));
}

TEST(LhotseOrders, RefusesWhatLhotseRefuses) {
  const lengths::Lengths cuts{{}, {}, {4, 9, 3.5}};
  const std::vector<std::vector<std::string>> refused{
      {"--sampler", "lhotse-simple"},
      {"--sampler", "lhotse-dynamic", "--max-duration", "0"},
      {"--sampler", "lhotse-dynamic", "--max-duration", "1e"},
      {"--sampler", "lhotse-dynamic", "--max-cuts", "0"},
      {"--sampler", "lhotse-bucketing", "--max-cuts", "2", "--num-buckets", "1"},
      {"--sampler", "lhotse-bucketing", "--max-cuts", "2", "--num-buckets", "4"},
      {"--sampler", "lhotse-bucketing", "--max-cuts", "2", "--duration-bins", "5,4"},
  };
  for (const auto& options : refused) EXPECT_EQ(scan_status(cuts, options), 2) << Json(options);
  EXPECT_EQ(scan_status({{4, 9}, {}, {}}, {"--sampler", "lhotse-simple", "--max-cuts", "2"}), 2) << "no durations";
}

}  // namespace
}  // namespace seqpoint::testing
