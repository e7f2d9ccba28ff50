// MosaicML streaming's StreamingDataset of one stream (streaming/base/partition/orig.py, streaming/base/shuffle):
// places of samples are dealt to nodes and ranks, canonical node by canonical node in turn, and a shuffle says which
// sample is at which place. Workers take a rank's batches in turn, so their number does not matter.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/frameworks/mosaicml_shuffles.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::uint64_t kBlocksOfAllNodes = 4'000'000, kLeastBlock = 1U << 18U;

/// Numbers of physical and canonical nodes, and of the ranks of a physical one.
struct Nodes {
  std::uint64_t physical = 1, canonical = 1, ranks = 1;
};

[[noreturn]] void refuse_few(std::size_t samples, const Nodes& nodes) {
  throw ParameterError("sampler",
                       fmt::format("mosaicml-streaming: {} samples are too few for {} canonical nodes and {} ranks; "
                                   "the original would repeat them over and over",
                                   samples, nodes.canonical, nodes.physical * nodes.ranks),
                       "a smaller `num-canonical-nodes` or `world_size`");
}

Nodes nodes_of(std::size_t samples, const BatchPolicy& policy, std::string_view algorithm) {
  Nodes nodes{.physical = policy.options.count_or("num-physical-nodes", 1)};
  if (nodes.physical == 0 || policy.world_size % nodes.physical != 0)
    throw ParameterError("num-physical-nodes", "must divide `world_size`");
  const bool scatters = algorithm == "py1s" || algorithm == "py2s";
  nodes.canonical = policy.options.count_or("num-canonical-nodes", (scatters ? 64 : 1) * nodes.physical);
  nodes.ranks = policy.world_size / nodes.physical;
  if (nodes.canonical == 0 || nodes.canonical % nodes.physical != 0)
    throw ParameterError("num-canonical-nodes", "must be a multiple of `num-physical-nodes`");
  if (samples < nodes.canonical) refuse_few(samples, nodes);
  return nodes;
}

/// The places of a physical node: those of its canonical nodes in turn. A canonical node that has one place less than
/// others has its last one twice; ranks share evenly by places from near the end that come twice.
Rows places_of_node(std::size_t samples, const Nodes& nodes, std::uint64_t physical) {
  Rows places;
  const std::size_t most = (samples + nodes.canonical - 1) / nodes.canonical;
  for (std::size_t i = 0; i < most; ++i)
    for (std::uint64_t node = physical; node < nodes.canonical; node += nodes.physical) {
      const std::size_t begin = node * samples / nodes.canonical, end = (node + 1) * samples / nodes.canonical;
      places.push_back(static_cast<std::uint32_t>(std::min(begin + i, end - 1)));
    }
  if (const std::size_t over = places.size() % nodes.ranks; over > 0) {
    const std::size_t missing = nodes.ranks - over;
    if (nodes.ranks + missing - 1 > places.size()) refuse_few(samples, nodes);
    const std::size_t begin = places.size() - nodes.ranks - missing + 1;
    for (std::size_t i = 0; i < missing; ++i) places.push_back(places[begin + i]);
  }
  return places;
}

std::vector<std::uint64_t> shards_of(std::size_t samples, const BatchPolicy& policy) {
  std::vector<std::uint64_t> sizes = policy.options.counts("shard-sizes");
  const std::uint64_t each = policy.options.count_or("shard-samples", 0);
  if (sizes.empty() == (each == 0))
    throw ParameterError("sampler", "mosaicml-streaming needs either the samples of a shard, or those of every one",
                         "`shard-samples` N, or `shard-sizes` N,N,...; index.json of the data set has them");
  for (std::uint64_t left = sizes.empty() ? samples : 0; left > 0; left -= sizes.back())
    sizes.push_back(std::min<std::uint64_t>(each, left));
  std::uint64_t sum = 0;
  for (const std::uint64_t size : sizes) sum += std::min<std::uint64_t>(size, samples + 1);
  if (sum != samples || std::find(sizes.begin(), sizes.end(), 0U) != sizes.end())
    throw ParameterError("shard-sizes", fmt::format("must be above 0 and add up to the {} samples", samples));
  return sizes;
}

StreamShuffle shuffle_of(const BatchPolicy& policy, std::string_view algorithm, const Nodes& nodes) {
  const std::uint64_t block =
      policy.options.count_or("shuffle-block-size", std::max(kBlocksOfAllNodes / nodes.canonical, kLeastBlock));
  if (block < 4) throw ParameterError("shuffle-block-size", "must be 4 or more");
  return {algorithm, nodes.canonical, policy.seed.value_or(0), block};
}

void run_streaming(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const std::size_t samples = lengths.size();
  const std::string_view algorithm = policy.options.one_of("shuffle-algo", kStreamShuffles);
  const Nodes nodes = nodes_of(samples, policy, algorithm);
  const bool shuffles = !policy.options.has("no-shuffle");
  const std::vector<std::uint64_t> shards =
      shuffles && algorithm != "naive" ? shards_of(samples, policy) : std::vector<std::uint64_t>{samples};
  std::vector<Rows> node_places;
  for (std::uint64_t node = 0; node < nodes.physical; ++node)
    node_places.push_back(places_of_node(samples, nodes, node));
  const std::size_t share = node_places[0].size() / nodes.ranks;
  MicroBatchBuilder builder(sink);
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e) {
    const Rows order =
        shuffles ? shuffled_samples(shards, shuffle_of(policy, algorithm, nodes), e) : file_order(samples);
    for (std::size_t begin = 0; begin < share; begin += policy.batch_size) {
      const std::size_t end = std::min<std::size_t>(share, begin + policy.batch_size);
      if (policy.drop_last && end - begin < policy.batch_size) break;
      for (const Rows& places : node_places)
        for (std::uint64_t rank = 0; rank < nodes.ranks; ++rank) {
          Rows batch;
          for (std::size_t i = begin; i < end; ++i) batch.push_back(order[places[rank + i * nodes.ranks]]);
          builder.add_rank(batch);
        }
      builder.send(e);
    }
  }
}

/// The places that are left are dealt as they would have been, but for those that come twice where the last are few.
void require_same_streaming(const lengths::Lengths& lengths, const BatchPolicy& policy, const ResumePoint& at) {
  const Nodes nodes = nodes_of(lengths.size(), policy, policy.options.one_of("shuffle-algo", kStreamShuffles));
  const std::uint64_t most = (lengths.size() + nodes.canonical - 1) / nodes.canonical;
  const std::uint64_t places = most * (nodes.canonical / nodes.physical), over = places % nodes.ranks;
  const std::uint64_t left = places - at.done * policy.batch_size * nodes.ranks;
  const std::uint64_t ranks = policy.world_size, dropped = at.done * policy.batch_size * ranks;
  if (dropped > lengths.size() + ranks - lengths.size() % ranks)
    throw ParameterError("resume_at",
                         fmt::format("{}: the original does not go on behind {} of {} samples", policy.resume_at,
                                     dropped, lengths.size()),
                         "an earlier checkpoint");
  if (at.done == 0 || over == 0 || left + over + 1 >= 2 * nodes.ranks) return;
  throw ParameterError("resume_at",
                       fmt::format("{}: the original fills up the ranks otherwise where only {} samples of an "
                                   "epoch are left to {}",
                                   policy.resume_at, left, nodes.ranks),
                       "an earlier checkpoint");
}

std::string assumes_streaming(const BatchPolicy& policy) {
  std::string text =
      "the data set is one stream of which every sample is taken once, with batching_method random (the default)";
  if (policy.resume_at == 0) text += ", and the run was not resumed (`resume_at`)";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kStreamingOptions{
    OptionSpec{"no-shuffle", Kind::flag, "", "shuffle=False"},
    OptionSpec{"num-canonical-nodes", Kind::count, "",
               "canonical nodes; unless given as many as physical ones, of py1s and py2s 64 times as many"},
    OptionSpec{"num-physical-nodes", Kind::count, "1", "machines that share the ranks"},
    OptionSpec{"shard-samples", Kind::count, "", "samples of a shard, where the last one alone may have fewer"},
    OptionSpec{"shard-sizes", Kind::text, "", "samples of every shard, with commas between them"},
    OptionSpec{"shuffle-algo", Kind::text, "py1e", "py1e, py1br, py1s, py2s or naive"},
    OptionSpec{"shuffle-block-size", Kind::count, "",
               "of py1e and py1br; unless given 4000000 / canonical nodes, at least 262144"},
};

}  // namespace

const Sampler kMosaicMlStreaming{
    .name = "mosaicml-streaming",
    .summary = "StreamingDataset of MosaicML streaming, with its shuffles; `seed` is shuffle_seed",
    .checked_against = "MosaicML streaming's own code and vectors",
    .example = "`batch_size` 32 `world_size` 2 `shard-samples` 500 `seed` 9176",
    .options = kStreamingOptions,
    .run = run_streaming,
    .assumes = assumes_streaming,
    .resuming = {.same_batches = true,
                 .about = "StreamingDataLoader's state_dict is loaded with the ranks and the batch size of before",
                 .require_same = require_same_streaming}};

}  // namespace seqpoint::batching::frameworks
