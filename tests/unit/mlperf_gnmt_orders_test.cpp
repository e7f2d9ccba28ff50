// `scan --sampler mlperf-gnmt` against orders that MLPerf's own samplers made on torch 1.13 (tests/vectors/README.md).
#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "unit/scan_rows.hpp"
#include "unit/vectors.hpp"

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::uint32_t>;

bool is_order(const Json& c) { return c["sampler"] != "setup_seeds"; }

/// The vectors' epoch seeds are those of master seed 7: with one worker from the second draw on, with two from the
/// third.
constexpr auto kMasterSeed = "7";

std::vector<std::string> mlperf_command_of(const Json& c) {
  const Json& params = c["params"];
  const std::string name = c["sampler"];  // "mlperf gnmt bucketing"
  std::vector<std::string> options{"--sampler",
                                   "mlperf-gnmt",
                                   "--seed",
                                   kMasterSeed,
                                   "--batching",
                                   name.substr(name.rfind(' ') + 1),
                                   "--batch-size",
                                   params["batch_size"].dump(),
                                   "--world-size",
                                   params["world_size"].dump(),
                                   "--epoch",
                                   params["epoch"].dump(),
                                   "--max-length-train",
                                   params["max_len"].dump()};
  if (params.contains("shard_size")) options.insert(options.end(), {"--shard-size", params["shard_size"].dump()});
  if (params.contains("num_buckets")) options.insert(options.end(), {"--num-buckets", params["num_buckets"].dump()});
  return options;
}

lengths::Lengths lengths_of_pairs(const Json& c) {
  return {c["src_lengths"].get<Rows>(), c["tgt_lengths"].get<Rows>(), {}};
}

/// The lengths of the rank with the most work, from the vectors' lists of each.
std::pair<std::uint32_t, std::uint32_t> heaviest_lengths(const Json& c, const ScannedIteration& iteration,
                                                         std::size_t i) {
  std::tuple<std::size_t, std::uint32_t, std::uint32_t> most{};  // work, source, target
  for (std::size_t r = 0; r < iteration.ranks.size(); ++r) {
    const std::uint32_t source = c["expected_src_sl"][r][i], target = c["expected_tgt_sl"][r][i];
    const std::tuple here{iteration.ranks[r].size() * (source + target), source, target};
    if (std::tie(std::get<0>(here), source) > std::tie(std::get<0>(most), std::get<1>(most))) most = here;
  }
  return {std::get<1>(most), std::get<2>(most)};
}

TEST(MlperfGnmtOrders, EveryCase) {
  std::size_t compared = 0;
  for (const Json& c : load_vectors("mlperf_gnmt.json")) {
    if (!is_order(c)) continue;
    SCOPED_TRACE(c["sampler"].dump() + c["params"].dump());
    const auto iterations = scan_rows(lengths_of_pairs(c), mlperf_command_of(c));
    EXPECT_EQ(Json(ranks_of(iterations)), c["expected_batches_per_rank"]);
    for (std::size_t i = 0; i < iterations.size(); ++i)
      EXPECT_EQ(std::pair(iterations[i].src_len, iterations[i].tgt_len), heaviest_lengths(c, iterations[i], i));
    ++compared;
  }
  EXPECT_EQ(compared, 18U);
}

/// The cases with shards tell a stable sort from PyTorch's.
TEST(MlperfGnmtOrders, ShardsAreNotSortedStably) {
  for (const Json& c : load_vectors("mlperf_gnmt.json")) {
    if (!c.contains("expected_batches_per_rank_if_sort_were_stable")) continue;
    EXPECT_NE(Json(ranks_of(scan_rows(lengths_of_pairs(c), mlperf_command_of(c)))),
              c["expected_batches_per_rank_if_sort_were_stable"]);
  }
}

/// 10 pairs, batches of 2 on 2 ranks: two global batches of 4, and the rest is left out.
TEST(MlperfGnmtOrders, RestsAreLeftOut) {
  const lengths::Lengths pairs{Rows(10, 7), Rows(10, 7), {}};
  const std::vector<std::string> options{"--sampler", "mlperf-gnmt", "--batch-size", "2", "--world-size", "2"};
  EXPECT_EQ(scan_rows(pairs, options).size(), 2U);
  EXPECT_EQ(scan_status({Rows(3, 7), Rows(3, 7), {}}, options), 2);
}

TEST(MlperfGnmtOrders, NeedsBothSidesUnlessAtRandom) {
  const lengths::Lengths sources{Rows(10, 7), {}, {}};
  EXPECT_EQ(scan_status(sources, {"--sampler", "mlperf-gnmt", "--batch-size", "2"}), 2);
  EXPECT_EQ(scan_status(sources, {"--sampler", "mlperf-gnmt", "--batch-size", "2", "--batching", "random"}), 0);
  EXPECT_EQ(scan_status(sources, {"--sampler", "mlperf-gnmt", "--batch-size", "2", "--batching", "sorted"}), 2);
}

}  // namespace
}  // namespace seqpoint::testing
