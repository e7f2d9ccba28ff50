#include "core/batching/frameworks/mosaicml_shuffles.hpp"

#include <algorithm>
#include <numeric>

#include "core/batching/distribute.hpp"
#include "core/rng/rng.hpp"

namespace seqpoint::batching::frameworks {
namespace {

/// A shard, or a part of one: its samples in their present order.
using Spans = std::vector<Rows>;

Spans spans_of(std::span<const std::uint64_t> shards) {
  Spans spans;
  std::uint32_t next = 0;
  for (const std::uint64_t size : shards) {
    Rows& span = spans.emplace_back(size);
    std::iota(span.begin(), span.end(), next);
    next += static_cast<std::uint32_t>(size);
  }
  return spans;
}

/// The spans of each node, which has an equal part of the samples; spans that cross its end are cut there.
std::vector<Spans> divided(const Spans& spans, std::uint64_t nodes) {
  std::uint64_t samples = 0;
  for (const Rows& span : spans) samples += span.size();
  std::vector<Spans> parts(nodes);
  std::uint64_t so_far = 0, node = 0;
  for (const Rows& span : spans)
    for (std::size_t begin = 0; begin < span.size();) {
      while (samples * (node + 1) / nodes <= so_far) ++node;
      const std::size_t taken = std::min<std::size_t>(span.size() - begin, samples * (node + 1) / nodes - so_far);
      const auto from = span.begin() + static_cast<std::ptrdiff_t>(begin);
      parts[node].emplace_back(from, from + static_cast<std::ptrdiff_t>(taken));
      begin += taken;
      so_far += taken;
    }
  return parts;
}

void shuffle_each(Spans& spans, rng::NumpyGenerator& generator) {
  for (Rows& span : spans) generator.shuffle(std::span(span));
}

Rows joined(const Spans& spans) {
  Rows all;
  for (const Rows& span : spans) all.insert(all.end(), span.begin(), span.end());
  return all;
}

std::uint64_t random_block(std::uint64_t block, rng::NumpyGenerator& generator) {
  const auto size = static_cast<double>(block);
  return generator.integers(static_cast<std::uint64_t>(0.75 * size), static_cast<std::uint64_t>(1.25 * size));
}

/// py1e: every sample moves by a random distance, within a block around its span and within its node.
Rows expanded(Spans& spans, std::uint64_t block, rng::NumpyGenerator& generator) {
  shuffle_each(spans, generator);
  const Rows samples = joined(spans);
  std::vector<double> position(samples.size());
  double offset = 0;
  for (const Rows& span : spans) {
    const auto size = static_cast<double>(span.size());
    const double room = (static_cast<double>(random_block(block, generator)) - size) / 2, most = std::max(room, 0.0);
    const double low = std::max(-most, -offset);
    const double high = std::min(most, static_cast<double>(samples.size()) - offset - size);
    for (std::size_t i = 0; i < span.size(); ++i) {
      const double at = offset + static_cast<double>(i);
      position[static_cast<std::size_t>(at)] = at + generator.uniform(low, high);
    }
    offset += size;
  }
  Rows order = file_order(samples.size()), moved;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return position[a] < position[b]; });
  for (const std::uint32_t i : order) moved.push_back(samples[i]);
  return moved;
}

/// py1br: blocks of random sizes, the first cut short by `stagger`, each shuffled.
void shuffle_blocks(Rows& samples, std::uint64_t block, std::uint64_t stagger, rng::NumpyGenerator& generator) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t end = 0; end < samples.size();) {
    const std::uint64_t stop = end + random_block(block, generator);
    const std::size_t first = end < stagger ? 0 : end - stagger;
    const std::size_t last = std::min<std::size_t>(stop < stagger ? 0 : stop - stagger, samples.size());
    ranges.emplace_back(first, last);
    end += last - first;
  }
  for (const auto& [first, last] : ranges) generator.shuffle(std::span(samples).subspan(first, last - first));
}

/// The spans as the run has them, divided over the nodes: for the py1 shuffles; of py2s the samples are shuffled, too.
std::vector<Spans> spans_of_run(std::span<const std::uint64_t> shards, const StreamShuffle& shuffle) {
  rng::NumpyGenerator run(shuffle.seed);
  Spans spans = spans_of(shards);
  run.shuffle(std::span(spans));
  if (shuffle.algorithm == "py2s") shuffle_each(spans, run);
  return divided(spans, shuffle.nodes);
}

}  // namespace

std::vector<std::uint32_t> shuffled_samples(std::span<const std::uint64_t> shards, const StreamShuffle& shuffle,
                                            std::uint64_t epoch) {
  rng::NumpyGenerator generator(shuffle.seed + epoch);
  Rows ids;
  if (shuffle.algorithm == "naive") {
    ids = file_order(std::accumulate(shards.begin(), shards.end(), std::uint64_t{0}));
    generator.shuffle(std::span(ids));
    return ids;
  }
  std::vector<Spans> nodes = spans_of_run(shards, shuffle);
  if (shuffle.algorithm != "py2s")
    for (Spans& spans : nodes) generator.shuffle(std::span(spans));
  std::vector<std::uint64_t> stagger(nodes.size(), 0);
  if (shuffle.algorithm == "py1br")
    for (std::uint64_t& start : stagger)
      start = generator.integers(0, static_cast<std::uint64_t>(0.75 * static_cast<double>(shuffle.block_size)));
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    Rows samples;
    if (shuffle.algorithm == "py1e") {
      samples = expanded(nodes[node], shuffle.block_size, generator);
    } else if (shuffle.algorithm == "py1br") {
      samples = joined(nodes[node]);
      shuffle_blocks(samples, shuffle.block_size, stagger[node], generator);
    } else {
      if (shuffle.algorithm == "py2s") generator.shuffle(std::span(nodes[node]));
      shuffle_each(nodes[node], generator);
      samples = joined(nodes[node]);
    }
    ids.insert(ids.end(), samples.begin(), samples.end());
  }
  return ids;
}

}  // namespace seqpoint::batching::frameworks
