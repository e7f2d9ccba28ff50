// `scan` with packers and balancers of language models against what their own code made (tests/vectors/README.md).
#include <iterator>
#include <sstream>

#include "core/batching/frameworks/mosaicml_shuffles.hpp"
#include "core/batching/karmarkar_karp.hpp"
#include "unit/order_cases.hpp"

namespace seqpoint::testing {
namespace {

using Rows = std::vector<std::uint32_t>;

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The rows of every batch.
std::vector<Rows> batches(const Rows& lengths, const std::string& options) {
  return batches_of(scan_rows(lengths, words(options)));
}

TEST(TrlOrders, EveryStrategy) { expect_steps("trl.json", 3); }

/// The loader sees packed sequences as samples: its order is that of as many of them.
TEST(TrlOrders, TheTrainersLoaderOrdersThePacks) {
  const Rows lengths{3, 9, 4, 8, 7, 5, 6};
  const std::string packing = "--sampler trl --seq-length 10 --batch-size 1";
  const std::vector<Rows> packed = batches(lengths, packing + " --loader sequential");
  for (const std::string loader : {"accelerate", "pytorch-distributed"}) {
    const std::string loading = " --seed 3 --epoch 1 --world-size 2";
    const auto order =
        ranks_of(scan_rows(Rows(packed.size(), 1), words("--sampler " + loader + " --batch-size 1" + loading)));
    const auto got = ranks_of(scan_rows(lengths, words(packing + " --loader " + loader + loading)));
    ASSERT_EQ(got.size(), order.size());
    for (std::size_t r = 0; r < order.size(); ++r)
      for (std::size_t i = 0; i < order[r].size(); ++i) EXPECT_EQ(got[r].at(i), packed.at(order[r][i].at(0))) << loader;
  }
}

/// 7 rows in 2 processes: 4 and 3, each in batches of 3.
TEST(TrlOrders, MapsShardsThenBatches) {
  const std::string packing =
      "--sampler trl --packing-strategy wrapped --seq-length 100 --batch-size 1 --loader sequential";
  EXPECT_EQ(batches(Rows(7, 1), packing + " --map-batch-size 3 --dataset-num-proc 2"),
            (std::vector<Rows>{{0, 1, 2}, {3}, {4, 5, 6}}));
  EXPECT_EQ(batches(Rows(7, 1), packing + " --map-batch-size 0"), (std::vector<Rows>{{0, 1, 2, 3, 4, 5, 6}}));
}

TEST(TrlOrders, RefusesWhatItCannotPack) {
  EXPECT_EQ(scan_status({{1, 2}, {}, {}}, words("--sampler trl --batch-size 1")), 2) << "no --seq-length";
  EXPECT_EQ(scan_status({{1, 2}, {3, 4}, {}}, words("--sampler trl --batch-size 1 --seq-length 5")), 2) << "pairs";
  EXPECT_EQ(scan_status({{0, 0}, {}, {}}, words("--sampler trl --batch-size 1 --seq-length 5")), 2) << "no token";
  EXPECT_EQ(scan_status({{1, 2}, {}, {}}, words("--sampler trl --batch-size 1 --seq-length 5 --packing-strategy ffd")),
            2);
  EXPECT_EQ(
      scan_status({{1, 2}, {}, {}}, words("--sampler trl --batch-size 1 --seq-length 5 --loader sequential --seed 1")),
      2);
}

/// The first three in file order, one of them on four ranks; the others over a RandomSampler, on one, two and four.
TEST(AxolotlOrders, EveryRun) { expect_steps("axolotl.json", 12); }

TEST(AxolotlOrders, SeveralRanksRepeatTheirFirstEpoch) {
  const auto got = scan_rows(Rows{5, 3, 4, 6, 2, 7, 1, 8},
                             words("--sampler axolotl --seq-length 9 --batch-size 1 --world-size 2 --epochs 2"));
  const std::size_t half = got.size() / 2;
  ASSERT_GT(half, 0U);
  for (std::size_t i = 0; i < half; ++i) EXPECT_EQ(got[i].ranks, got[half + i].ranks);
}

TEST(LlamaFactoryOrders, KnapsacksAndBlocks) { expect_steps("llama_factory.json", 2); }

TEST(HfGroupTextsOrders, Blocks) { expect_steps("hf_group_texts.json", 1); }

/// Two with --max-packs, behind whose last sequence a row is too long, which torchtune never reads.
TEST(TorchtuneOrders, WholeAndSplit) { expect_steps("torchtune.json", 4); }

TEST(TorchtuneOrders, ReadsOneRowBehindTheLastSequence) {
  const std::string packing = "--sampler torchtune --max-seq-len 10 --batch-size 1 --loader sequential --max-packs 1";
  EXPECT_EQ(batches({6, 5, 11}, packing), (std::vector<Rows>{{0}}));
  EXPECT_EQ(scan_status({{6, 4, 11}, {}, {}}, words(packing)), 2) << "the first sequence is not yet known to be full";
}

/// Each packer over all rows; each again over global batches of three, four and five ranks.
TEST(NemoRlOrders, EveryPacker) { expect_steps("nemo_rl.json", 16); }

TEST(NemoRlOrders, RefusesWhatDoesNotFit) {
  const std::string packing = "--sampler nemo-rl --train-mb-tokens 10";
  EXPECT_EQ(scan_status({{3, 11}, {}, {}}, words(packing)), 2);
  EXPECT_EQ(scan_status({{3, 0}, {}, {}}, words(packing)), 2);
  EXPECT_EQ(scan_status({{3, 0}, {}, {}}, words(packing + " --algorithm concatenative")), 0);
  EXPECT_EQ(scan_status({{3, 4}, {}, {}}, words(packing + " --seed 1")), 2) << "nothing is drawn";
  EXPECT_EQ(scan_status({{3, 4}, {}, {}}, words(packing + " --world-size 3")), 2) << "two rows for three ranks";
}

/// One rank, several, with and without the order of micro-batches, many equal lengths; and versions since 0.4.
TEST(VerlOrders, EveryGlobalBatch) { expect_steps("verl.json", 13); }

TEST(VerlOrders, RefusesWhatDoesNotFit) {
  const lengths::Lengths lengths{{1, 2, 3, 4}, {}, {}};
  const std::string balancing = "--sampler verl --max-token-len 9 --batch-size 4 ";
  EXPECT_EQ(scan_status(lengths, words(balancing + "--force-group-size 3")), 2);
  EXPECT_EQ(scan_status(lengths, words(balancing + "--force-group-size 2 --min-num-micro-batch 3")), 2);
  EXPECT_EQ(scan_status(lengths, words(balancing + "--force-group-size 2 --min-num-micro-batch 2")), 0);
  EXPECT_EQ(scan_status(lengths, words(balancing + "--force-group-size 2 --sampler-version 0.7")), 2) << "since 0.7.1";
  EXPECT_EQ(scan_status(lengths, words(balancing + "--min-num-micro-batch 2 --sampler-version 0.3")), 2);
  EXPECT_EQ(scan_status(lengths, words(balancing + "--sampler-version 0.10")), 2) << "was not checked";
}

TEST(VerlOrders, PartitionsByLength) {
  for (const nlohmann::json& c : load_vectors("verl_partitions.json"))
    EXPECT_EQ(
        nlohmann::json(batching::balanced_partitions(c["lengths"].get<std::vector<std::uint64_t>>(),
                                                     c["partitions"].get<std::size_t>(), c["equal_size"].get<bool>())),
        c["expected"]);
}

/// Frames and seconds; every order of batches with set_epoch and without; two with bounds that were given.
TEST(SpeechBrainOrders, EveryPass) { expect_steps("speechbrain.json", 15); }

TEST(SpeechBrainOrders, RefusesBoundsThatDoNotAscend) {
  const std::string bounds = "--sampler speechbrain --max-batch-length 9 --bucket-boundaries ";
  for (const std::string wrong : {"3,3", "4,3", "0,3", "-1,3", "3,", "x", "nan"})
    EXPECT_EQ(scan_status({{1, 2}, {}, {}}, words(bounds + wrong)), 2) << wrong;
  EXPECT_EQ(scan_status({{1, 2}, {}, {}}, words(bounds + "1,3 --num-buckets 2")), 2);
  EXPECT_EQ(scan_status({{1, 2}, {}, {}}, words(bounds + "1.5,3")), 0);
}

TEST(Fairseq2Orders, EveryPipeline) { expect_steps("fairseq2.json", 4); }

TEST(Fairseq2Orders, NoTruncateRefusesALongRow) {
  const std::string packing = "--sampler fairseq2 --pipeline pack --no-truncate --num-elements 9";
  EXPECT_EQ(scan_status({{3, 10}, {}, {}}, words(packing)), 2);
  EXPECT_EQ(scan_status({{3, 9}, {}, {}}, words(packing + " --max-seq-len 8")), 2);
  EXPECT_EQ(scan_status({{3, 9}, {}, {}}, words(packing)), 0);
}

/// Three rows of 4 tokens, filled up with a shorter one, are a whole batch; one row of 1 token, of which twelve were.
TEST(Fairseq2Orders, DropLastDropsTheRemainder) {
  const std::string buckets = "--sampler fairseq2 --max-num-elements 12 --max-seq-len 4";
  EXPECT_EQ(batches({4, 4, 3, 1}, buckets), (std::vector<Rows>{{0, 1, 2}, {3}}));
  EXPECT_EQ(batches({4, 4, 3, 1}, buckets + " --drop-last"), (std::vector<Rows>{{0, 1, 2}}));
}

/// Four of sorted buffers; two of batches by length and two by samples, each on one rank and on several.
TEST(FunAsrOrders, EveryEpoch) { expect_steps("funasr.json", 8); }

TEST(FunAsrOrders, RefusesAnEmptyBatch) {
  EXPECT_EQ(scan_status({{5, 30, 20}, {}, {}}, words("--sampler funasr --batch-size 10 --sort-size 1")), 2);
  EXPECT_EQ(scan_status({{5, 30, 20}, {}, {}}, words("--sampler funasr --batch-size 10 --sort-size 0 --epoch 1")), 2);
}

TEST(FunAsrOrders, DropLastBySamplesRefusesARest) {
  const std::string samples = "--sampler funasr --batch-type example --batch-size 2 --drop-last";
  EXPECT_EQ(scan_status({{1, 2, 3}, {}, {}}, words(samples)), 2);
  EXPECT_EQ(scan_status({{1, 2, 3, 4}, {}, {}}, words(samples)), 0);
}

/// Every shuffle on one, two and four nodes, with workers; and places without a shuffle.
TEST(MosaicMlStreamingOrders, EveryRank) { expect_steps("mosaicml_streaming.json", 16); }

TEST(MosaicMlStreamingOrders, EveryShuffle) {
  std::size_t compared = 0;
  for (const nlohmann::json& c : load_vectors("mosaicml_shuffles.json"))
    for (const nlohmann::json& run : c["runs"]) {
      const std::string algorithm = c["algorithm"];
      SCOPED_TRACE(algorithm + run["num_canonical_nodes"].dump() + run["epoch"].dump());
      const batching::frameworks::StreamShuffle shuffle{algorithm, run["num_canonical_nodes"].get<std::uint64_t>(),
                                                        run["seed"].get<std::uint64_t>(),
                                                        run["block_size"].get<std::uint64_t>()};
      EXPECT_EQ(nlohmann::json(batching::frameworks::shuffled_samples(
                    c["shard_sizes"].get<std::vector<std::uint64_t>>(), shuffle, run["epoch"].get<std::uint64_t>())),
                run["ids"]);
      ++compared;
    }
  EXPECT_EQ(compared, 11U);
}

TEST(MosaicMlStreamingOrders, RefusesShardsThatDoNotAddUp) {
  const lengths::Lengths lengths{{1, 2, 3, 4}, {}, {}};
  const std::string streaming = "--sampler mosaicml-streaming --batch-size 1 ";
  EXPECT_EQ(scan_status(lengths, words(streaming)), 2);
  EXPECT_EQ(scan_status(lengths, words(streaming + "--shard-sizes 1,2")), 2);
  EXPECT_EQ(scan_status(lengths, words(streaming + "--shard-sizes 4,0")), 2);
  EXPECT_EQ(scan_status(lengths, words(streaming + "--shard-sizes 1,3")), 0);
  EXPECT_EQ(scan_status(lengths, words(streaming + "--shard-samples 3")), 0);
  EXPECT_EQ(scan_status(lengths, words(streaming + "--shuffle-algo naive")), 0);
  EXPECT_EQ(scan_status(lengths, words(streaming + "--no-shuffle --world-size 4")), 0);
  EXPECT_EQ(scan_status(lengths, words(streaming + "--no-shuffle --world-size 5")), 2) << "fewer samples than ranks";
  EXPECT_EQ(scan_status(lengths, words(streaming + "--no-shuffle --num-canonical-nodes 3 --num-physical-nodes 2")), 2);
}

}  // namespace
}  // namespace seqpoint::testing
