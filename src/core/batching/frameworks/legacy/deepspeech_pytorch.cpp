// SeanNaren's deepspeech.pytorch. The manifest is cut into bins of a batch each, in file order (which should be that of
// the lengths); only the bins' order and the order inside them are random.
//   v1.2, v2.0  (data/data_loader.py, train.py) The first epoch is in order (SortaGrad); after each, the bins are
//               shuffled where they are. One process: by NumPy's global stream, which also shuffles inside each bin.
//               Several: by a generator seeded with the epoch that ended; inside a bin nothing moves. v1.2 never seeds
//               NumPy.
//   V2.1, V3    (deepspeech_pytorch/loader/data_loader.py) Each epoch takes the bins as a generator seeded with its
//               number says; NumPy's global stream (that of each rank) shuffles inside the bins.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks::legacy {
namespace {

constexpr Version kSeedsNumpy{2, 0}, kRandomSampler{2, 1};

Version deepspeech_version(const BatchPolicy& policy) { return version_of(policy, kDeepspeechPytorch); }

/// The manifest in bins of a batch; the last one may be short.
class Bins {
 public:
  Bins(std::size_t samples, const BatchPolicy& policy) : samples_(samples), size_(policy.batch_size) {
    count_ = policy.drop_last ? samples_ / size_ : (samples_ + size_ - 1) / size_;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(count_); }
  std::size_t begin(std::size_t bin) const { return bin * size_; }
  std::size_t samples_in(std::size_t bin) const { return std::min(size_, samples_ - bin * size_); }
  Rows rows(std::size_t bin) const {
    Rows rows(samples_in(bin));
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin(bin)));
    return rows;
  }

 private:
  std::size_t samples_, size_, count_;
};

/// v1.2 and v2.0, one process. Every epoch shuffles what the one before left.
void run_bucketing(const Bins& bins, std::size_t samples, const BatchPolicy& policy, const MicroBatchSink& sink) {
  rng::NumpyRandom random(numpy_seed(policy.seed.value_or(0)));
  Rows rows = file_order(samples), order = file_order(bins.count());
  MicroBatchBuilder builder(sink);
  if (policy.options.has("no-sorta-grad")) random.shuffle(std::span(order));
  for (std::uint64_t e = 0; e < policy.first_epoch + policy.epochs; ++e) {
    for (const std::uint32_t bin : order) {
      const std::span<std::uint32_t> batch = std::span(rows).subspan(bins.begin(bin), bins.samples_in(bin));
      random.shuffle(batch);
      if (e < policy.first_epoch) continue;
      builder.add_rank(batch);
      builder.send(e);
    }
    if (!policy.options.has("no-shuffle")) random.shuffle(std::span(order));
  }
}

/// The order of the bins, moved by a permutation from a generator seeded with `epoch`.
void permute(Rows& order, std::uint64_t epoch) {
  Rows moved = rng::TorchGenerator(epoch).permutation(static_cast<std::uint32_t>(order.size()));
  for (std::uint32_t& place : moved) place = order[place];
  order = std::move(moved);
}

/// Rank r's bin in the micro-batch that begins with the `begin`-th bin: of W ranks, rank r has bins r, r + W, ..., and
/// the last round is filled from the head.
std::uint32_t bin_of(const Rows& order, std::size_t begin, std::size_t rank) {
  return order[(begin + rank) % order.size()];
}

/// v1.2 and v2.0, several processes.
void run_distributed_bucketing(const Bins& bins, const BatchPolicy& policy, const MicroBatchSink& sink) {
  Rows order = file_order(bins.count());
  MicroBatchBuilder builder(sink);
  if (policy.options.has("no-sorta-grad")) permute(order, 0);
  for (std::uint64_t e = 0; e < policy.first_epoch + policy.epochs; ++e) {
    for (std::size_t begin = 0; e >= policy.first_epoch && begin < order.size(); begin += policy.world_size) {
      for (std::size_t r = 0; r < policy.world_size; ++r) builder.add_rank(bins.rows(bin_of(order, begin, r)));
      builder.send(e);
    }
    if (!policy.options.has("no-shuffle")) permute(order, e);
  }
}

/// One process of V2.1 or V3: its NumPy stream, and the bins that it has shuffled so far. It holds those alone, because
/// all ranks together would need the data set once for each of them.
class Process {
 public:
  Process(const Bins& bins, std::uint32_t seed) : bins_(bins), random_(seed) {}
  const Rows& next(std::uint32_t bin) {
    const auto [place, is_new] = shuffled_.try_emplace(bin);
    if (is_new) place->second = bins_.rows(bin);
    random_.shuffle(std::span(place->second));
    return place->second;
  }

 private:
  const Bins& bins_;
  rng::NumpyRandom random_;
  std::unordered_map<std::uint32_t, Rows> shuffled_;
};

/// V2.1 and V3: DSRandomSampler, and DSElasticDistributedSampler with several processes.
void run_random(const Bins& bins, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const std::uint32_t seed = numpy_seed(policy.seed.value_or(0));
  std::vector<Process> processes(policy.world_size, Process(bins, seed));
  MicroBatchBuilder builder(sink);
  for (std::uint64_t e = 0; e < policy.first_epoch + policy.epochs; ++e) {
    const Rows order = rng::TorchGenerator(policy.options.has("no-set-epoch") ? 0 : e).permutation(bins.count());
    for (std::size_t begin = 0; begin < order.size(); begin += policy.world_size) {
      for (std::size_t r = 0; r < policy.world_size; ++r) {
        const Rows& batch = processes[r].next(bin_of(order, begin, r));
        if (e >= policy.first_epoch) builder.add_rank(batch);
      }
      if (e >= policy.first_epoch) builder.send(e);
    }
  }
}

/// Versions from 2.1 on have no SortaGrad, earlier ones no set_epoch.
void refuse_options_of_others(const BatchPolicy& policy) {
  const bool random = deepspeech_version(policy) >= kRandomSampler;
  const auto refuse = [&](const char* option, bool foreign) {
    if (foreign && policy.options.has(option))
      throw ParameterError(
          option, fmt::format(": deepspeech.pytorch has no such thing {}", random ? "from 2.1 on" : "before 2.1"));
  };
  refuse("no-shuffle", random);
  refuse("no-sorta-grad", random);
  refuse("no-set-epoch", !random);
}

void run_deepspeech(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  refuse_options_of_others(policy);
  const Bins bins(lengths.size(), policy);
  if (bins.count() == 0) return;
  require_head_fills_round(bins.count(), policy, "bins");
  if (deepspeech_version(policy) >= kRandomSampler) return run_random(bins, policy, sink);
  if (policy.world_size > 1) return run_distributed_bucketing(bins, policy, sink);
  run_bucketing(bins, lengths.size(), policy, sink);
}

std::string assumes_deepspeech(const BatchPolicy& policy) {
  std::string text = "the manifest is in the order of training (sorted by length, where it was)";
  if (policy.version.empty())
    text += "; the order is that of deepspeech.pytorch 2.1 and 3.0 (2021); 2.0 (2019) has another: `version` 2.0";
  if (deepspeech_version(policy) < kSeedsNumpy && policy.world_size == 1)
    text +=
        "; before 2.0 NumPy is never seeded: which batches there are and, with SortaGrad, the first epoch hold, the "
        "rest is one order of many";
  else if (policy.world_size == 1 || deepspeech_version(policy) >= kRandomSampler)
    text += "; nothing else in the main process draws from NumPy (with num_workers=0, augmentation does)";
  if (deepspeech_version(policy) >= Version{3, 0} && !policy.options.has("no-set-epoch"))
    text += "; Lightning calls set_epoch (if its version does not, pass `no-set-epoch`)";
  if (policy.drop_last) text += "; `drop_last` leaves out the short bin, which the original always keeps";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kDeepspeechReleases{Releases{"1.2", "1.2"}, Releases{"2.0", "2.1"}, Releases{"3.0", "3.0"}};
constexpr std::array kDeepspeechPytorchOptions{
    OptionSpec{"no-set-epoch", Kind::flag, "", "the script never calls sampler.set_epoch"},
    OptionSpec{"no-shuffle", Kind::flag, "", "the bins stay in order"},
    OptionSpec{"no-sorta-grad", Kind::flag, "", "without sortaGrad: the first epoch is shuffled, too"},
};

}  // namespace

const Sampler kDeepspeechPytorch{
    .name = "deepspeech-pytorch",
    .summary = "SeanNaren's deepspeech.pytorch: batches of neighbours, in random order after the first epoch",
    .last_release = "3.0, of 2021",
    .checked_against = "deepspeech.pytorch's own code (v1.2, v2.0, V2.1, V3.0) and vectors",
    .example = "`batch_size` 32 `epochs` 2",
    .options = kDeepspeechPytorchOptions,
    .run = run_deepspeech,
    .assumes = assumes_deepspeech,
    .versions = {
        .used = "3.0",
        .about = "the last one, of 2021, and 2.1 gives the same order; 2.0 (2019) and 1.2 shuffle in another way",
        .known = kDeepspeechReleases}};

}  // namespace seqpoint::batching::frameworks::legacy
