// torch.utils.data.DataLoader with shuffle=True, and DistributedSampler.
//
// Every epoch the loader's iterator first draws _base_seed (an int64, two outputs) from its generator, then the sampler
// makes its order; where that comes from changed twice (torch/utils/data/sampler.py, RandomSampler.__iter__):
//   to 1.6    the default generator itself
//   1.7, 1.8  the same, after drawing a seed that nothing used (pytorch issue 52568)
//   from 1.9  a generator of its own, seeded by a draw from the default one
// DataLoader(generator=g) uses g for both; since 1.12 the sampler then draws a second permutation, for a tail that is
// empty unless num_samples is set.
#include <algorithm>
#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

/// One training loader, epoch after epoch.
class ShufflingLoader {
 public:
  /// Seeds with `generator-seed`, else `seed`, else 0, and skips `rng-skip` outputs.
  ShufflingLoader(std::uint32_t samples, const BatchPolicy& policy, Version version)
      : samples_(samples),
        version_(version),
        has_given_generator_(policy.options.has("generator-seed")),
        persistent_workers_(policy.options.has("persistent-workers")),
        replacement_(policy.options.has("replacement")),
        other_loaders_(policy.options.count_or("val-loaders", 0)),
        generator_(policy.options.count("generator-seed").value_or(policy.seed.value_or(0))) {
    generator_.skip(policy.options.count_or("rng-skip", 0));
  }

  /// The order of the next epoch. If it is not `wanted`, its random numbers are drawn all the same, and the result is
  /// not to be used.
  std::vector<std::uint32_t> next_epoch(bool wanted) {
    if (!(persistent_workers_ && started_)) generator_.skip(rng::kOutputsPerInt64);  // _base_seed
    started_ = true;
    std::vector<std::uint32_t> order =
        seeds_generator_every_epoch() ? seeded_order(wanted) : order_from(generator_, wanted);
    if (has_given_generator_ && !replacement_ && version_ >= Version{1, 12}) skip_permutation();
    generator_.skip(rng::kOutputsPerInt64 * other_loaders_);
    return order;
  }

 private:
  bool uses_pytorch_2_randperm() const { return version_.major >= 2; }
  /// Sampling with replacement had its own generator from 1.7 on; permutations only from 1.9.
  bool seeds_generator_every_epoch() const {
    if (has_given_generator_) return false;
    return version_ >= (replacement_ ? Version{1, 7} : Version{1, 9});
  }

  /// The order from a generator of its own, whose seed is drawn from the default one; empty if it is not `wanted`.
  std::vector<std::uint32_t> seeded_order(bool wanted) {
    const std::uint64_t seed = generator_.int64();
    if (!wanted) return {};
    rng::TorchGenerator own(seed);
    return order_from(own, true);
  }

  /// Draws the order from `generator`. If it is not `wanted`, `generator` is generator_, which is only advanced.
  std::vector<std::uint32_t> order_from(rng::TorchGenerator& generator, bool wanted) {
    if (draws_unused_seed()) generator.skip(rng::kOutputsPerInt64);
    if (replacement_) return with_replacement(generator);
    if (wanted) return generator.permutation(samples_, uses_pytorch_2_randperm());
    skip_permutation();
    return {};
  }
  /// Whether RandomSampler draws a seed that nothing uses: PyTorch 1.7 and 1.8, without a given generator.
  bool draws_unused_seed() const {
    return !has_given_generator_ && !replacement_ && version_ >= Version{1, 7} && version_ < Version{1, 9};
  }

  /// As many random rows as there are samples; rows may repeat.
  std::vector<std::uint32_t> with_replacement(rng::TorchGenerator& generator) const {
    std::vector<std::uint32_t> order(samples_);
    for (std::uint32_t& row : order) row = static_cast<std::uint32_t>(generator.randint(samples_));
    return order;
  }

  /// Advances generator_ as one permutation of the samples does.
  void skip_permutation() {
    if (uses_pytorch_2_randperm())
      (void)generator_.permutation(samples_, true);
    else
      generator_.skip(samples_ - 1);
  }

  std::uint32_t samples_;
  Version version_;
  bool has_given_generator_, persistent_workers_, replacement_;
  std::uint64_t other_loaders_;
  bool started_ = false;
  rng::TorchGenerator generator_;
};

/// Sampler::run. Throws ParameterError for several ranks, and for `seed` together with `generator-seed`.
void run_pytorch(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (policy.world_size > 1)
    throw ParameterError("sampler", "pytorch is one process; its ranks would all read the same rows",
                         "`sampler` pytorch-distributed");
  if (policy.seed && policy.options.has("generator-seed"))
    throw ParameterError("seed", "has no use here: with `generator-seed` the order does not depend on it",
                         "leave it out");
  ShufflingLoader loader(static_cast<std::uint32_t>(lengths.size()), policy, version_of(policy, kPytorch));
  for (std::uint64_t e = 0; e < policy.epoch; ++e) loader.next_epoch(false);
  for (std::uint64_t e = 0; e < policy.epochs; ++e) distribute(loader.next_epoch(true), policy, policy.epoch + e, sink);
}

std::string assumes_pytorch(const BatchPolicy& policy) {
  if (policy.options.has("generator-seed") || policy.options.has("rng-skip")) return {};
  return "assumes that nothing draws from torch's generator before the first epoch; else give `rng-skip` or "
         "`generator-seed`";
}

/// torch/utils/data/distributed.py: a generator seeded with seed + epoch; with `no-set-epoch` with the seed alone. With
/// `no-shuffle` the file order.
void run_distributed(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const auto samples = static_cast<std::uint32_t>(lengths.size());
  const bool pytorch_2_randperm = version_of(policy, kPytorchDistributed).major >= 2;
  for (std::uint64_t e = policy.epoch; e < policy.epoch + policy.epochs; ++e) {
    const std::uint64_t told_epoch = policy.options.has("no-set-epoch") ? 0 : e;
    rng::TorchGenerator generator(policy.seed.value_or(0) + told_epoch);
    distribute(
        policy.options.has("no-shuffle") ? file_order(samples) : generator.permutation(samples, pytorch_2_randperm),
        policy, e, sink);
  }
}

std::string assumes_distributed(const BatchPolicy& policy) {
  if (policy.options.has("no-set-epoch") || policy.options.has("no-shuffle")) return {};
  return "the order holds if the script calls sampler.set_epoch(epoch) before every epoch; if it does not, pass "
         "`no-set-epoch`";
}

constexpr std::array kPytorchReleases{Releases{"0.4", "0.4"}, Releases{"1.0", "1.13"}, Releases{"2.0", ""}};
constexpr SamplerVersions kPytorchVersions{
    .used = "1.13",
    .about =
        "of 2022; all releases since 1.9 give the same order, except that 2.0 and later have another from 214,748,364 "
        "samples on",
    .known = kPytorchReleases};
constexpr std::array kPytorchOptions{
    OptionSpec{"generator-seed", Kind::count, "", "DataLoader(generator=g) with g seeded so"},
    OptionSpec{"persistent-workers", Kind::flag, "", "DataLoader(persistent_workers=True), with workers"},
    OptionSpec{"replacement", Kind::flag, "", "RandomSampler(replacement=True)"},
    OptionSpec{"rng-skip", Kind::count, "0", kRngSkipHelp},
    OptionSpec{"val-loaders", Kind::count, "0", "other loaders iterated after each epoch (validation)"},
};
constexpr std::array kDistributedOptions{
    OptionSpec{"no-set-epoch", Kind::flag, "", "the script never calls sampler.set_epoch"},
    OptionSpec{"no-shuffle", Kind::flag, "", "DistributedSampler(shuffle=False)"},
};

constexpr std::string_view kKeepsNoPosition = "a DataLoader keeps no position, so that a script begins the epoch anew";

}  // namespace

const Sampler kPytorch{.name = "pytorch",
                       .summary = "DataLoader(shuffle=True)",
                       .checked_against = "PyTorch 1.13 itself and vectors of its variants since 0.4",
                       .example = ":generator-seed=1 `batch_size` 32",
                       .options = kPytorchOptions,
                       .run = run_pytorch,
                       .assumes = assumes_pytorch,
                       .versions = kPytorchVersions,
                       .resuming = {.about = kKeepsNoPosition}};
const Sampler kPytorchDistributed{.name = "pytorch-distributed",
                                  .summary = "DistributedSampler, one batch a rank and step",
                                  .checked_against = "PyTorch 1.13's vectors",
                                  .example = "`batch_size` 32 `world_size` 4 `seed` 1 `epoch` 2",
                                  .options = kDistributedOptions,
                                  .run = run_distributed,
                                  .assumes = assumes_distributed,
                                  .versions = kPytorchVersions,
                                  .resuming = {.about = kKeepsNoPosition}};

}  // namespace seqpoint::batching::frameworks
