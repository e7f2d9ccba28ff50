#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

// --- Hugging Face Accelerate (accelerate/data_loader.py): SeedableRandomSampler's order, distributed by
// BatchSamplerShard.
//
// Every epoch reseeds the sampler's generator with seed + epoch. Batches are then distributed round by round; with
// even_batches an incomplete last round is completed from the head of the epoch. split_batches cuts every batch of the
// loader into one part per rank, which is the same as distributing batches of that part's size: only the meaning of the
// batch size differs.

/// The policy with `batch_size` per rank: with `split-batches` the given one divided by the ranks. Throws
/// ParameterError if it is not a multiple of them.
BatchPolicy without_split(BatchPolicy policy) {
  if (!policy.options.has("split-batches")) return policy;
  if (policy.batch_size % policy.world_size != 0)
    throw ParameterError(
        "split-batches",
        fmt::format(": `batch_size` {} is not a multiple of {} ranks", policy.batch_size, policy.world_size),
        "with `split-batches`, `batch_size` is the loader's, which the ranks share");
  policy.batch_size /= policy.world_size;
  return policy;
}

/// What happens to an incomplete last round of several ranks: drop_last drops it, `no-even-batches` keeps it, else it
/// is filled.
IncompleteRound incomplete_round(const BatchPolicy& policy) {
  if (policy.drop_last) return IncompleteRound::drop;
  return policy.options.has("no-even-batches") ? IncompleteRound::keep : IncompleteRound::fill;
}

/// A permutation from a generator seeded with seed + epoch; with `no-shuffle` the file order.
std::vector<std::uint32_t> order_of_epoch(std::uint32_t samples, const BatchPolicy& policy, std::uint64_t epoch) {
  if (policy.options.has("no-shuffle")) return file_order(samples);
  return rng::TorchGenerator(policy.seed.value_or(0) + epoch).permutation(samples);
}

void run_accelerate(const lengths::Lengths& lengths, const BatchPolicy& asked, const MicroBatchSink& sink) {
  const BatchPolicy policy = without_split(asked);
  for (std::uint64_t e = policy.epoch; e < policy.epoch + policy.epochs; ++e) {
    const std::vector<std::uint32_t> order = order_of_epoch(static_cast<std::uint32_t>(lengths.size()), policy, e);
    // A single process keeps its loader as it is: nothing is filled.
    if (policy.world_size == 1)
      distribute(order, policy, e, sink);
    else
      distribute_batches(order, policy, e, incomplete_round(policy), sink);
  }
}

/// Throws ParameterError for a shuffled run of one rank that resumes within an epoch after the first. Reason: up to
/// release 1.14 skip_first_batches makes a new loader that starts at epoch 0 and sets the sampler to it. With several
/// ranks this reset does not reach the sampler, so the order stays the same.
void require_same_accelerate(const lengths::Lengths&, const BatchPolicy& policy, const ResumePoint& at) {
  if (policy.world_size > 1 || at.epoch == 0 || at.done == 0 || policy.options.has("no-shuffle")) return;
  throw ParameterError("resume_at",
                       fmt::format("{}: up to 1.14 (2026) Accelerate goes on in one process with the order of "
                                   "epoch 0, and this checkpoint is in epoch {}",
                                   policy.resume_at, at.epoch),
                       "a checkpoint in epoch 0 or behind an epoch");
}

std::string assumes_accelerate(const BatchPolicy& policy) {
  if (policy.options.has("no-shuffle")) return {};
  return "assumes use_seedable_sampler=True, and that `seed` is the data_seed or the last torch.manual_seed";
}

constexpr std::array kAccelerateOptions{
    OptionSpec{"no-even-batches", Kind::flag, "", "even_batches=False: an incomplete last round is not filled"},
    OptionSpec{"no-shuffle", Kind::flag, "", "the loader has shuffle=False"},
    OptionSpec{"split-batches", Kind::flag, "",
               "split_batches=True: `batch_size` is the loader's, shared by the ranks"},
};

// --- Hugging Face Trainer with group_by_length (transformers/trainer_pt_utils.py and trainer.py): a random order cut
// into megabatches, each sorted longest first. Where the randomness comes from, by transformers version:
//   4.10 to 4.30  One process: a generator of the sampler's own, which goes on from epoch to epoch; its seed is
//                 data_seed or a draw (an int64) from the default generator. Several: a generator seeded with
//                 seed + epoch, whose order is distributed as by DistributedSampler.
//   from 4.31     The default generator, from which the loader draws its _base_seed first. Accelerate
//                 distributes the batches. From 5.0 on it is train_sampling_strategy="group_by_length".
// The megabatches are made of batches of an optimiser step since 4.16 (transformers pull request 15095).

constexpr std::uint64_t kMaxBatches = 50;  // of a megabatch
constexpr std::uint64_t kMegabatches = 4;  // minimum, if there are enough samples
constexpr Version kCountsAccumulation{4, 16}, kDefaultGenerator{4, 31};

/// Samples of a megabatch: 1 to 50 batches, fewer than 50 if there would be fewer than 4 megabatches. A batch is that
/// of an optimiser step since 4.16, before that of a micro-batch. A batch larger than the data set is cut to it, which
/// does not change the order: there is one megabatch.
std::size_t megabatch_size(std::uint64_t samples, const BatchPolicy& policy) {
  const std::uint64_t accumulated =
      version_of(policy, kHfLengthGrouped) < kCountsAccumulation ? 1 : std::min(policy.grad_accumulation, samples);
  const std::uint64_t batch = std::min(std::min(policy.batch_size, samples) * accumulated, samples);
  return batch * std::clamp<std::uint64_t>(samples / (batch * kMegabatches), 1, kMaxBatches);
}

/// Sorts each megabatch longest first, equal lengths in their order, and swaps the longest sample of all (the first
/// such) with the very first: a GPU that is too small for it then runs out of memory at once.
void sort_megabatches(std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& length,
                      std::size_t megabatch) {
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < order.size(); begin += megabatch) {
    const std::size_t end = std::min(begin + megabatch, order.size());
    std::stable_sort(order.data() + begin, order.data() + end, [&](auto a, auto b) { return length[a] > length[b]; });
    if (length[order[begin]] > length[order[longest]]) longest = begin;
  }
  std::swap(order[0], order[longest]);
}

/// Option `trainer-seed`, which is TrainingArguments.seed: the seed of the default generator. Nothing if not set.
/// Throws ParameterError if `seed` is also set.
std::optional<std::uint64_t> trainer_seed(const BatchPolicy& policy) {
  const std::optional<std::uint64_t> seed = policy.options.count("trainer-seed");
  if (seed && policy.seed)
    throw ParameterError("seed",
                         "and `trainer-seed` exclude each other: with a data_seed (`seed`) the Trainer derives none");
  return seed;
}

/// LengthGroupedSampler and DistributedLengthGroupedSampler, epoch after epoch.
class LengthGroupedSampler {
 public:
  /// Seeds with `trainer-seed`, else `seed`, else 0. From 4.31 on, `rng-skip` outputs are then skipped. Before that,
  /// one rank uses the first int64 drawn with `trainer-seed` as the seed.
  LengthGroupedSampler(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : length_(lengths.src),
        megabatch_(megabatch_size(lengths.size(), policy)),
        uses_default_generator_(version_of(policy, kHfLengthGrouped) >= kDefaultGenerator),
        reseeds_every_epoch_(!uses_default_generator_ && policy.world_size > 1),
        seed_(trainer_seed(policy).value_or(policy.seed.value_or(0))),
        generator_(seed_) {
    if (uses_default_generator_) generator_.skip(policy.options.count_or("rng-skip", 0));
    if (!uses_default_generator_ && policy.options.has("trainer-seed"))
      generator_ = rng::TorchGenerator(generator_.int64());
  }

  /// The order of `epoch`; called for every epoch in turn, from 0. If it is not `wanted`, only its random numbers are
  /// drawn, and the result is empty.
  std::vector<std::uint32_t> next_epoch(std::uint64_t epoch, bool wanted) {
    if (reseeds_every_epoch_) generator_ = rng::TorchGenerator(seed_ + epoch);
    if (uses_default_generator_) generator_.skip(rng::kOutputsPerInt64);  // _base_seed
    if (!wanted) {
      generator_.skip(length_.size() - 1);
      return {};
    }
    std::vector<std::uint32_t> order = generator_.permutation(static_cast<std::uint32_t>(length_.size()));
    sort_megabatches(order, length_, megabatch_);
    return order;
  }

 private:
  const std::vector<std::uint32_t>& length_;
  std::size_t megabatch_;
  bool uses_default_generator_, reseeds_every_epoch_;
  std::uint64_t seed_;
  rng::TorchGenerator generator_;
};

/// Throws ParameterError if twice the samples are fewer than the ranks: frameworks that fill the last round with one
/// copy of the head fail there.
void require_head_fills_round(std::size_t samples, const BatchPolicy& policy) {
  if (2 * samples >= policy.world_size) return;
  throw ParameterError("sampler",
                       fmt::format("{}: {} samples for {} ranks: here the original stops with an AssertionError",
                                   policy.sampler, samples, policy.world_size),
                       "a `world_size` of at most " + std::to_string(2 * samples));
}

/// Sampler::run. From 4.31 on, several ranks get batches as from Accelerate; otherwise samples are distributed as by
/// DistributedSampler, and twice the samples must be at least as many as the ranks, else ParameterError.
void run_length_grouped(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const bool accelerate = version_of(policy, kHfLengthGrouped) >= kDefaultGenerator && policy.world_size > 1;
  if (!accelerate && !policy.drop_last) require_head_fills_round(lengths.size(), policy);
  LengthGroupedSampler grouping(lengths, policy);
  for (std::uint64_t e = 0; e < policy.epoch; ++e) grouping.next_epoch(e, false);
  for (std::uint64_t e = policy.epoch; e < policy.epoch + policy.epochs; ++e) {
    const std::vector<std::uint32_t> order = grouping.next_epoch(e, true);
    if (accelerate)
      distribute_batches(order, policy, e, policy.drop_last ? IncompleteRound::drop : IncompleteRound::fill, sink);
    else
      distribute(order, policy, e, sink);
  }
}

std::string assumes_length_grouped(const BatchPolicy& policy) {
  if (version_of(policy, kHfLengthGrouped) >= kDefaultGenerator) {
    if (policy.options.has("rng-skip")) return {};
    std::string text =
        "from 4.31 on the order comes from the default generator: it holds if `trainer-seed` (or `seed`) is that of "
        "the last torch.manual_seed on every rank and nothing else draws from it; give the number of draws with "
        "`rng-skip`";
    if (policy.sampler_version.empty()) text += "; releases to 4.30 (2023) have another order: `sampler_version` 4.30";
    return text;
  }
  std::string text;
  const auto add = [&text](std::string_view more) { text += (text.empty() ? "" : "; ") + std::string(more); };
  if (policy.world_size > 1) {
    if (policy.drop_last) add("`drop_last` is the sampler's too; the Trainer's own sampler always fills up the ranks");
    return text;
  }
  if (policy.options.has("trainer-seed"))
    add("the seed is the first draw from the default generator after set_seed(`trainer-seed`); if anything else draws "
        "before the loader is made, give the Trainer a data_seed and pass it with `seed`");
  return text;
}

constexpr std::array kTransformersReleases{Releases{"4.10", "4.57"}, Releases{"5.0", ""}};
constexpr std::array kHfLengthGroupedOptions{
    OptionSpec{"rng-skip", Kind::count, "0", kRngSkipHelp},
    OptionSpec{"trainer-seed", Kind::count, "", "TrainingArguments.seed, where there is no data_seed"},
};

constexpr Resuming kSkipsInAnotherOrder{
    .about = "the Trainer skips batches of an order that it draws anew, which was not shown to be that of before"};

}  // namespace

const Sampler kAccelerate{
    .name = "accelerate",
    .summary = "Accelerate's SeedableRandomSampler and BatchSamplerShard, one batch a rank and step",
    .checked_against = "Accelerate's own code and vectors",
    .example = "`batch_size` 32 `world_size` 4 `seed` 42",
    .options = kAccelerateOptions,
    .run = run_accelerate,
    .assumes = assumes_accelerate,
    .resuming = {
        .same_batches = true,
        .about = "the script calls set_epoch before every epoch and then skip_first_batches, as the Trainer does",
        .require_same = require_same_accelerate}};

const Sampler kHfLengthGrouped{
    .name = "hf-length-grouped",
    .summary =
        "the Trainer's group_by_length (5.x: train_sampling_strategy); `batch_size` is that of a process (all of its "
        "GPUs)",
    .checked_against = "transformers' own code and vectors",
    .example = "`batch_size` 32 `seed` 42",
    .options = kHfLengthGroupedOptions,
    .run = run_length_grouped,
    .assumes = assumes_length_grouped,
    .versions = {.used = "5.17",
                 .about = "of 2026, and all since 4.31 (2023) give the same order; 4.10 to 4.30 give others",
                 .known = kTransformersReleases},
    .resuming = kSkipsInAnotherOrder};

}  // namespace seqpoint::batching::frameworks
