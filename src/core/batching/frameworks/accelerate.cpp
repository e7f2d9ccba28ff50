// Hugging Face Accelerate (accelerate/data_loader.py): SeedableRandomSampler's order, distributed by BatchSamplerShard.
//
// Every epoch reseeds the sampler's generator with seed + epoch. Batches are then distributed round by round; with
// even_batches an incomplete last round is completed from the head of the epoch. split_batches cuts every batch of the
// loader into one part per rank, which is the same as distributing batches of that part's size: only the meaning of the
// batch size differs.
#include <fmt/core.h>

#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

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

using Kind = OptionSpec::Kind;
constexpr std::array kAccelerateOptions{
    OptionSpec{"no-even-batches", Kind::flag, "", "even_batches=False: an incomplete last round is not filled"},
    OptionSpec{"no-shuffle", Kind::flag, "", "the loader has shuffle=False"},
    OptionSpec{"split-batches", Kind::flag, "",
               "split_batches=True: `batch_size` is the loader's, shared by the ranks"},
};

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

}  // namespace seqpoint::batching::frameworks
