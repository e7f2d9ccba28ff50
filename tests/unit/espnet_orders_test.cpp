// `scan --sampler espnet` against batches that ESPnet's own samplers and SequenceIterFactory made, and vectors from
// reading their source (tests/vectors/README.md).
#include <gtest/gtest.h>

#include "unit/order_cases.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;

std::string batch_type_of(const Json& c) {
  const std::string name = c["sampler"];  // "ESPnet2 NumElementsBatchSampler (...)"
  if (name.find("NumElements") != std::string::npos) return "numel";
  if (name.find("Length") != std::string::npos) return "length";
  if (name.find("Folded") != std::string::npos) return "folded";
  return name.find("Unsorted") != std::string::npos ? "unsorted" : "sorted";
}

std::string joined(const Json& numbers) {
  std::string text;
  for (const Json& number : numbers) text += (text.empty() ? "" : ",") + number.dump();
  return text;
}

/// The vectors count bins as ESPnet up to 0.9.8 does.
std::vector<std::string> espnet_command_of(const Json& c) {
  std::vector<std::string> options{"--sampler", "espnet",       "--sampler-version",
                                   "0.9.8",     "--batch-type", batch_type_of(c)};
  const Json& params = c["params"];
  const auto add = [&](const char* name, const char* option) {
    if (params.contains(name))
      options.insert(options.end(), {option, params[name].is_array() ? joined(params[name]) : params[name].dump()});
  };
  add("batch_bins", "--batch-bins");
  add("batch_size", "--batch-size");
  add("min_batch_size", "--min-batch-size");
  add("feat_dims", "--feat-dims");
  add("fold_lengths", "--fold-length");
  return options;
}

/// "utt07" is row 7.
std::vector<std::vector<std::uint32_t>> rows_of(const Json& batches) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (const Json& batch : batches) {
    rows.emplace_back();
    for (const std::string key : batch) rows.back().push_back(static_cast<std::uint32_t>(std::stoul(key.substr(3))));
  }
  return rows;
}

TEST(EspnetOrders, EveryVector) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("espnet.json")) {
    SCOPED_TRACE(c["sampler"].dump() + c["params"].dump());
    using Lengths = std::vector<std::uint32_t>;
    const lengths::Lengths lengths{c["shape1"].get<Lengths>(), c["shape2"].get<Lengths>(), {}};
    std::vector<std::string> options = espnet_command_of(c);
    EXPECT_EQ(batches_of(lengths, options), rows_of(c["expected_epoch1_shuffled_seed0"]));
    options.emplace_back("--no-shuffle");
    EXPECT_EQ(batches_of(lengths, options), rows_of(c["expected_batches"]));
    ++compared;
  }
  EXPECT_EQ(compared, 5U);
}

/// Every batch type, several epochs, ranks, parts of an epoch; the last four with ESPnet 0.9.8, the others with 202310.
TEST(EspnetOrders, EpochsAndRanks) { expect_steps("espnet_epochs.json", 14); }

TEST(EspnetOrders, RefusesWhatIsNotSaid) {
  const lengths::Lengths lengths{{20, 30, 25}, {}, {}};
  EXPECT_EQ(scan_status(lengths, {"--sampler", "espnet", "--batch-size", "2"}), 2) << "folded, without --fold-length";
  EXPECT_EQ(scan_status(lengths, {"--sampler", "espnet", "--batch-type", "sorted"}), 2) << "no batch size";
  EXPECT_EQ(scan_status(lengths,
                        {"--sampler", "espnet", "--batch-type", "folded", "--batch-size", "2", "--fold-length", "5,6"}),
            2);
  EXPECT_EQ(
      scan_status(lengths, {"--sampler", "espnet", "--batch-type", "sorted", "--batch-size", "2", "--world-size", "4"}),
      2);
}

}  // namespace
}  // namespace seqpoint::testing
