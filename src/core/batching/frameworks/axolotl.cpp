// axolotl's sample packing (axolotl/utils/samplers/multipack.py, core/trainers/base.py): MultipackBatchSampler packs
// the order of a base sampler by first fit, group by group of --sample-packing-group-size samples, and Accelerate deals
// whole batches of packed sequences.
//
// The base sampler is PyTorch's RandomSampler, or SequentialSampler with curriculum_sampling. len() goes over it once,
// and then as often again as it counts batches: 4 times, once from four ranks on. The last pass stays, cut to the
// fewest batches counted.
#include <algorithm>
#include <array>

#include "core/batching/bin_packing.hpp"
#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/packs.hpp"
#include "core/batching/token_stream.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::uint64_t kGroupSize = 100'000, kBinSize = 200;
constexpr std::uint64_t kCountedPasses = 4;  // num_count_samples, and the ranks from which one is enough

bool draws_order(const BatchPolicy& policy) { return !policy.options.has("curriculum-sampling"); }

/// The bins of one pass over the base sampler.
class Multipack {
 public:
  Multipack(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : lengths_(lengths.src),
        sequential_(policy.options.has("sample-packing-sequentially")),
        group_size_(policy.options.count_or("sample-packing-group-size", kGroupSize)),
        bin_size_(policy.options.count_or("sample-packing-bin-size", kBinSize)),
        capacity_(sequence_length(lengths, policy)) {
    if (!policy.options.has("multipack-real-batches")) capacity_ *= policy.batch_size;
    if (group_size_ == 0 || bin_size_ == 0)
      throw ParameterError("sample-packing-group-size", "and `sample-packing-bin-size` must be 1 or more");
  }

  Packs pack(std::span<const std::uint32_t> order) const {
    Packs packs;
    std::vector<Piece> pieces;
    for (const std::uint32_t row : order) pieces.push_back(whole(row, lengths_));
    if (sequential_)
      add_next_fit(packs, pieces, capacity_);
    else
      for (std::size_t begin = 0; begin < pieces.size(); begin += group_size_)
        add_group(packs, std::span(pieces).subspan(begin, std::min<std::size_t>(group_size_, pieces.size() - begin)));
    return packs;
  }

 private:
  void add_group(Packs& packs, std::span<const Piece> pieces) const {
    FirstFit bins(capacity_, bin_size_);
    std::vector<std::uint32_t> bin_of;
    for (const Piece& piece : pieces) bin_of.push_back(bins.place(piece.tokens));
    packs.add_bins(pieces, bin_of, bins.bins());
  }

  std::span<const std::uint32_t> lengths_;
  bool sequential_;
  std::uint64_t group_size_, bin_size_, capacity_;
};

/// What len() leaves: the bins of its last pass, no more than the fewest batches of the passes that it counted.
Packs packs_of_run(const lengths::Lengths& lengths, const BatchPolicy& policy, std::uint64_t bins_of_batch) {
  const Multipack multipack(lengths, policy);
  const auto samples = static_cast<std::uint32_t>(lengths.size());
  if (!draws_order(policy)) return multipack.pack(file_order(samples));
  rng::TorchGenerator generator(policy.seed.value_or(0));
  generator.skip(policy.options.count_or("rng-skip", 0) + rng::kOutputsPerInt64);  // the pass that is not counted
  Packs packs;
  std::size_t fewest = samples;
  for (std::uint64_t pass = policy.world_size < kCountedPasses ? kCountedPasses : 1; pass > 0; --pass) {
    packs = multipack.pack(rng::TorchGenerator(generator.int64()).permutation(samples));
    fewest = std::min<std::size_t>(fewest, packs.size() / bins_of_batch);
  }
  packs.keep(fewest * bins_of_batch);
  return packs;
}

void run_axolotl(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (!draws_order(policy) && policy.seed)
    throw ParameterError("seed", "has no use here: `curriculum-sampling` draws nothing at random", "leave it out");
  if (draws_order(policy) && policy.world_size == 1 && policy.first_epoch + policy.epochs > 1)
    throw ParameterError("sampler", "axolotl: on one rank the order of the epochs behind the first is not known",
                         "`curriculum-sampling`, where the training has it; several ranks repeat their first epoch");
  BatchPolicy of_bins = policy;
  if (!policy.options.has("multipack-real-batches")) of_bins.batch_size = 1;
  const Packs packs = packs_of_run(lengths, policy, of_bins.batch_size);
  const std::vector<std::uint32_t> order = file_order(packs.size());
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e)
    distribute_batches(order, of_bins, e, IncompleteRound::drop, packs_to_rows(packs, 0, sink));
}

std::string assumes_axolotl(const BatchPolicy& policy) {
  if (!draws_order(policy)) return {};
  std::string text = "the batches are those that len() leaves: they hold if set_epoch does not reach the sampler";
  if (!policy.options.has("rng-skip"))
    text +=
        ", and if nothing draws from the default generator between torch.manual_seed and the making of the loader; "
        "give the number of draws with `rng-skip`";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kAxolotlOptions{
    OptionSpec{"curriculum-sampling", Kind::flag, "", "samples in file order, not in random order"},
    OptionSpec{"multipack-real-batches", Kind::flag, "",
               "a batch is `batch_size` sequences; without it one sequence that is as long as they are together"},
    OptionSpec{"rng-skip", Kind::count, "0", kRngSkipHelp},
    OptionSpec{"sample-packing-bin-size", Kind::count, "200", "samples of a packed sequence, at most"},
    OptionSpec{"sample-packing-group-size", Kind::count, "100000", "samples that are packed together"},
    OptionSpec{"sample-packing-sequentially", Kind::flag, "", "next fit, which keeps the order, instead of first fit"},
    OptionSpec{"seq-length", Kind::count, "", "sequence_len: tokens of a packed sequence, at most"},
};

}  // namespace

const Sampler kAxolotl{
    .name = "axolotl",
    .summary = "axolotl's sample packing: MultipackBatchSampler, first fit in the order of the samples",
    .checked_against = "axolotl's and Accelerate's own code and vectors",
    .example = "`seq-length` 2048 `batch_size` 4 `seed` 42",
    .options = kAxolotlOptions,
    .run = run_axolotl,
    .assumes = assumes_axolotl};

}  // namespace seqpoint::batching::frameworks
