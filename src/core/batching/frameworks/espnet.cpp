// ESPnet2's SequenceIterFactory (espnet2/iterators/sequence_iter_factory.py): the batches of every epoch, shuffled with
// RandomState(epoch + seed), epochs counted from 1. With num_iters_per_epoch the shuffled lists of the real epochs,
// counted from 0, are cut into epochs of that many batches.
#include <fmt/core.h>

#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/espnet_batches.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

class IterFactory {
 public:
  IterFactory(std::size_t batches, const BatchPolicy& policy)
      : policy_(policy),
        batches_(static_cast<std::uint32_t>(batches)),
        iters_(policy.options.count("num-iters-per-epoch")) {
    if (iters_ && *iters_ == 0) throw ParameterError("num-iters-per-epoch", "must be 1 or more");
  }

  Rows batches_of_epoch(std::uint64_t e) const {
    if (!iters_) return shuffled(e + 1);
    return *iters_ < batches_ ? part_of_an_epoch(e) : several_epochs(e);
  }

 private:
  /// RandomState(real_epoch + seed).shuffle
  Rows shuffled(std::uint64_t real_epoch) const {
    rng::NumpyRandom random(numpy_seed(policy_.seed.value_or(0) + real_epoch));
    Rows order = file_order(batches_);
    if (!policy_.options.has("no-shuffle")) random.shuffle(std::span(order));
    return order;
  }

  /// The last `iters_` of the first (e + 1) x iters_ batches; they may begin in the real epoch before.
  Rows part_of_an_epoch(std::uint64_t e) const {
    const std::uint64_t end = *iters_ * (e + 1), real_epoch = end / batches_, offset = end % batches_;
    Rows part;
    if (offset < *iters_) {
      const Rows before = shuffled(real_epoch - 1);
      part.assign(before.end() - static_cast<std::ptrdiff_t>(*iters_ - offset), before.end());
    }
    const Rows current = shuffled(real_epoch);
    const std::uint64_t from_current = std::min<std::uint64_t>(offset, *iters_);
    part.insert(part.end(), current.begin() + static_cast<std::ptrdiff_t>(offset - from_current),
                current.begin() + static_cast<std::ptrdiff_t>(offset));
    return part;
  }

  Rows several_epochs(std::uint64_t e) const {
    Rows all;
    std::uint64_t real_epoch = *iters_ * e / batches_, cursor = *iters_ * e % batches_;
    for (; all.size() < *iters_; ++real_epoch, cursor = 0) {
      const Rows order = shuffled(real_epoch);
      for (; cursor < batches_ && all.size() < *iters_; ++cursor) all.push_back(order[cursor]);
    }
    return all;
  }

  const BatchPolicy& policy_;
  std::uint32_t batches_;
  std::optional<std::uint64_t> iters_;
};

void require_sample_for_every_rank(const std::vector<Rows>& batches, std::size_t ranks) {
  for (const Rows& batch : batches)
    if (batch.size() < ranks)
      throw ParameterError("world_size", fmt::format("{}: a batch of {} is too small", ranks, batch.size()),
                           "a larger `batch_size`, `batch-bins` or `min-batch-size`");
}

void run_espnet(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const std::vector<Rows> batches = espnet::make_batches(lengths, policy);
  require_sample_for_every_rank(batches, policy.world_size);
  const IterFactory factory(batches.size(), policy);
  MicroBatchBuilder micro_batch(sink);
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e)
    for (const std::uint32_t batch : factory.batches_of_epoch(e)) {
      for (std::size_t r = 0; r < policy.world_size; ++r)  // abs_task.py: samples r, r + W, ... of every batch
        micro_batch.add_rank(every_nth(batches[batch], r, policy.world_size));
      micro_batch.send(e);
    }
}

std::string assumes_espnet(const BatchPolicy&) {
  return "the rows stand in the order of the first shape file, and the lengths are that file's (of raw audio: samples)";
}

using Kind = OptionSpec::Kind;
constexpr std::array kEspnetReleases{Releases{"0.6", "0.10"}, Releases{"202204", ""}};
constexpr std::array kEspnetEpochsOptions{
    OptionSpec{"batch-type", Kind::text, "folded",
               "folded, sorted, unsorted (by `batch_size`), length or numel (by `batch-bins`)"},
    OptionSpec{"batch-bins", Kind::count, "1000000", "length, numel: padded elements of a batch, all sides together"},
    OptionSpec{"feat-dims", Kind::text, "1", "numel: elements a frame, one number for each side (80,1)"},
    OptionSpec{"fold-length", Kind::text, "",
               "folded: lengths at which batches are halved, one for each side (800,150)"},
    OptionSpec{"min-batch-size", Kind::count, "", "folded, length, numel: samples of a batch at least [the ranks]"},
    OptionSpec{"sort-in-batch", Kind::text, "descending", "descending or ascending"},
    OptionSpec{"sort-batch", Kind::text, "ascending", "ascending or descending"},
    OptionSpec{"num-iters-per-epoch", Kind::count, "", "iterations of an epoch, if not the whole data set"},
    OptionSpec{"no-shuffle", Kind::flag, "", "the batches in the sampler's own order (as for validation)"},
};

}  // namespace

const Sampler kEspnet{.name = "espnet",
                      .summary = "ESPnet2's batch samplers and SequenceIterFactory",
                      .checked_against = "ESPnet's own code",
                      .example = "`batch-type` length `batch-bins` 1000000",
                      .options = kEspnetEpochsOptions,
                      .run = run_espnet,
                      .assumes = assumes_espnet,
                      .needs_batch_size = false,
                      .versions = {.used = "202310",
                                   .about = "of 2023; all since 0.9.9 (2021) give the same batches",
                                   .known = kEspnetReleases},
                      .resuming = {.about = "its checkpoints are of whole epochs"}};

}  // namespace seqpoint::batching::frameworks
