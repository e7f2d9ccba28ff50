// Megatron-LM's loaders (megatron/legacy/data/data_samplers.py). `cyclic` shuffles anew in every epoch, with the epoch
// as the seed; `single` goes through the data once, in order. --batch-size is the micro-batch, --world-size the
// data-parallel size. Incomplete batches are dropped. With `seq-length` the data set is a GPTDataset, or a blend of one
// for each manifest: its samples are sequences.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/megatron_gpt.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "core/enum_names.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

/// MegatronPretrainingRandomSampler on every rank, as cyclic_iter restarts it. With data sharding, each rank permutes
/// its own contiguous part of the samples. Without it, ranks share one permutation, whose tail can give some of them
/// one batch more than others; those ranks lag by a batch from then on.
class CyclicLoader {
 public:
  CyclicLoader(std::uint32_t samples, const BatchPolicy& policy)
      : batch_size_(policy.batch_size),
        ranks_(policy.world_size),
        sharded_(!policy.options.has("no-data-sharding")),
        micro_batches_(samples / (batch_size_ * ranks_)),
        permuted_(sharded_ ? micro_batches_ * batch_size_ : samples / batch_size_ * batch_size_),
        places_(policy.world_size) {}

  /// Samples divided by the global micro-batch size, rounded down.
  std::uint64_t micro_batches_per_epoch() const { return micro_batches_; }

  /// Advances by one micro-batch of the run, and adds its ranks to `builder`. If `builder` is null, the micro-batch is
  /// skipped.
  void next(MicroBatchBuilder* builder) {
    for (std::size_t r = 0; r < ranks_; ++r) {
      Place& place = places_[r];
      if (place.batch == batches_of(r)) place = {micro_batch_ / micro_batches_, micro_batch_ % micro_batches_};
      rows_.clear();
      for (std::size_t k = 0; builder != nullptr && k < batch_size_; ++k) rows_.push_back(row(place, r, k));
      if (builder != nullptr) builder->add_rank(rows_);
      ++place.batch;
    }
    ++micro_batch_;
  }

 private:
  struct Place {
    std::uint64_t epoch = 0, batch = 0;
  };

  /// Number of batches that `rank` takes from one permutation.
  std::uint64_t batches_of(std::size_t rank) const {
    return sharded_ ? micro_batches_ : (permuted_ - rank + ranks_ - 1) / ranks_ / batch_size_;
  }

  /// The dataset row of sample k, 0 <= k < batch size, in the batch of `rank` at `place`.
  std::uint32_t row(const Place& place, std::size_t rank, std::size_t k) {
    const std::uint64_t i = place.batch * batch_size_ + k;
    const std::vector<std::uint32_t>& order = permutation(place.epoch);
    if (!sharded_) return order[i * ranks_ + rank];
    return static_cast<std::uint32_t>(rank * permuted_) + order[i];
  }

  /// The permutation of an epoch, made at its first use with the epoch as the seed. Keeps the previous epoch's
  /// permutation, which lagging ranks still use, and drops older ones.
  const std::vector<std::uint32_t>& permutation(std::uint64_t epoch) {
    while (!permutations_.empty() && permutations_.begin()->first + 1 < micro_batch_ / micro_batches_)
      permutations_.erase(permutations_.begin());
    auto& order = permutations_[epoch];
    if (order.empty()) order = rng::TorchGenerator(epoch).permutation(static_cast<std::uint32_t>(permuted_), true);
    return order;
  }

  std::uint64_t batch_size_, ranks_;
  bool sharded_;
  std::uint64_t micro_batches_, permuted_;
  std::uint64_t micro_batch_ = 0;
  std::vector<Place> places_;
  Rows rows_;  ///< rows of one rank
  std::map<std::uint64_t, std::vector<std::uint32_t>> permutations_;
};

/// `dataloader-type` cyclic: walks the epochs. Epochs before the first one are walked without passing them on, because
/// ranks may lag.
void run_cyclic(std::uint32_t samples, const BatchPolicy& policy, const MicroBatchSink& sink) {
  CyclicLoader loader(samples, policy);
  MicroBatchBuilder builder(sink);
  const std::uint64_t per_epoch = loader.micro_batches_per_epoch(), first = per_epoch * policy.epoch;
  for (std::uint64_t s = 0; s < first; ++s) loader.next(nullptr);
  for (std::uint64_t s = first; s < first + per_epoch * policy.epochs; ++s) {
    loader.next(&builder);
    builder.send(s / per_epoch);
  }
}

/// `dataloader-type` single, MegatronPretrainingSampler: file order, without an incomplete last round. Throws
/// ParameterError for any epoch but 0.
void run_single(std::uint32_t samples, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (policy.epochs > 1 || policy.epoch > 0)
    throw ParameterError("dataloader-type", "single goes through the data once: there is only epoch 0",
                         "`dataloader-type` cyclic; of sequences, say how many with `train-samples`");
  distribute_batches(file_order(samples), policy, 0, IncompleteRound::drop, sink);
}

/// Walks samples 0 to samples - 1 with the loader `type`, cyclic or single. Throws ParameterError for another type, and
/// if there are too few samples for one batch on every rank.
void run_loader(std::uint32_t samples, const BatchPolicy& policy, std::string_view type, const MicroBatchSink& sink) {
  if (samples / policy.batch_size / policy.world_size == 0)
    throw ParameterError(
        "batch_size",
        fmt::format(": Megatron-LM drops incomplete batches, and {} samples do not make one for every rank", samples),
        "a smaller `batch_size` or `world_size`");
  if (type == "cyclic") return run_cyclic(samples, policy, sink);
  if (type == "single") return run_single(samples, policy, sink);
  throw ParameterError("dataloader-type", fmt::format(": unknown value '{}'", type),
                       names_hint(type, {"cyclic", "single"}));
}

/// Walks the sequences of a GPTDataset with the loader `type`. A single pass ends with the run; an epoch of the cyclic
/// loader goes through all sequences that were built.
void run_sequences(const lengths::Lengths& lengths, const BatchPolicy& policy, std::string_view type,
                   const MicroBatchSink& sink) {
  const auto load = [&](std::uint32_t built, const MicroBatchSink& documents) {
    const std::uint64_t wanted = policy.options.count_or("train-samples", built);
    const std::uint64_t samples = type == "single" ? std::min<std::uint64_t>(wanted, built) : built;
    run_loader(static_cast<std::uint32_t>(samples), policy, type, documents);
  };
  load_gpt_dataset(lengths, policy, load, sink);
}

/// Sampler::run. With `seq-length` the samples are sequences of a GPTDataset, loaded by `single` unless the type is
/// given; otherwise they are dataset rows, loaded by `cyclic`.
void run_megatron(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const auto type = policy.options.text("dataloader-type");
  if (policy.options.has("seq-length")) return run_sequences(lengths, policy, type.value_or("single"), sink);
  for (const std::string_view option : {"train-samples", "blend"})
    if (policy.options.has(option)) throw ParameterError(option, "is for sequences", "with `seq-length`");
  run_loader(static_cast<std::uint32_t>(lengths.size()), policy, type.value_or("cyclic"), sink);
}

/// Throws ParameterError for a checkpoint after epoch 0 if gradients are accumulated, or if it lies between epochs and
/// there is no data sharding. Reason: the samplers resume from consumed_samples alone, so a rank that has one more
/// batch of the previous epoch loses it.
void require_same_megatron(const lengths::Lengths&, const BatchPolicy& policy, const ResumePoint& at) {
  if (at.epoch == 0) return;
  if (policy.options.has("no-data-sharding") && at.done == 0)
    throw ParameterError("resume_at",
                         ": with `no-data-sharding` a rank may have a batch more of the epoch before, which "
                         "Megatron-LM forgets",
                         "a checkpoint within an epoch");
  if (policy.grad_accumulation > 1)
    throw ParameterError("resume_at", ": Megatron-LM's steps go on from one epoch to the next, those here do not",
                         "a checkpoint in epoch 0, or no `grad_accumulation` and as many times the steps");
}

using Kind = OptionSpec::Kind;
constexpr std::array kMegatronOptions{
    OptionSpec{"dataloader-type", Kind::text, "", "cyclic or single; cyclic unless `seq-length` is given"},
    OptionSpec{"no-data-sharding", Kind::flag, "", "cyclic: all ranks share one permutation"},
    OptionSpec{"seq-length", Kind::count, "", "tokens of every sequence, packed from documents (GPTDataset)"},
    OptionSpec{"train-samples", Kind::count, "", "sequences of the whole run; one epoch of the documents unless given"},
    OptionSpec{"blend", Kind::text, "",
               "weights of the manifests, with commas between them; by their sequences unless given"},
};

}  // namespace

const Sampler kMegatron{.name = "megatron",
                        .summary = "Megatron-LM's loaders, over samples or over a GPTDataset's sequences",
                        .checked_against = "Megatron-LM's own samplers and GPTDataset, and vectors",
                        .example = "`batch_size` 4 `world_size` 8 `seed` 1234",
                        .options = kMegatronOptions,
                        .run = run_megatron,
                        .assumes = no_assumption,
                        .resuming = {.same_batches = true,
                                     .about = "consumed_samples are those of the checkpoint, the batch sizes as before",
                                     .require_same = require_same_megatron}};

}  // namespace seqpoint::batching::frameworks
