// NeMo's SemiSortBatchSampler (nemo/collections/asr/parts/utils/asr_batching.py): sorted by durations with some noise
// added (Ge et al., Interspeech 2021), distributed to the ranks and cut, the batches shuffled. The noise comes from
// NumPy's global generator, which every rank must have seeded with the same number; its state goes on from epoch to
// epoch.
#include <algorithm>
#include <array>
#include <functional>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

class SemiSortedSampler {
 public:
  SemiSortedSampler(const std::vector<double>& seconds, const BatchPolicy& policy)
      : policy_(policy), seconds_(seconds.begin(), seconds.end()), numpy_(numpy_seed(policy.seed.value_or(0))) {
    bound_ = bound(policy.options.number("randomization-factor").value_or(0.1),
                   version_of(policy, kNemoSemiSorted).major >= 2);
  }

  /// The order that is distributed to all ranks, which is filled so that each has the same number of batches.
  Rows next_epoch() {
    if (policy_.options.has("reseed-numpy")) numpy_ = rng::NumpyRandom(numpy_seed(policy_.seed.value_or(0)));
    Rows order = noisy_order();
    if (policy_.drop_last) drop_at_random(order);
    fill_last_round(order);
    return order;
  }

 private:
  /// Before NumPy 2 a float32 times a Python float is a float64, from then on a float32 (NEP 50).
  double bound(double factor, bool numpy_2) const {
    const auto [shortest, longest] = std::minmax_element(seconds_.begin(), seconds_.end());
    const float range = *longest - *shortest;
    if (numpy_2) return range * static_cast<float>(factor) / 2.0F;
    return static_cast<double>(range) * factor / 2.0;
  }

  Rows noisy_order() {
    std::vector<double> keys;
    keys.reserve(seconds_.size());
    for (const float seconds : seconds_) keys.push_back(static_cast<double>(seconds) + numpy_.uniform(-bound_, bound_));
    Rows order = file_order(keys.size());
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    return order;
  }

  /// numpy.random.choice without replacement: the head of a permutation, which is drawn even if nothing is dropped.
  void drop_at_random(Rows& order) {
    const std::size_t tail = order.size() % policy_.batch_size;
    Rows dropped = numpy_.permutation(static_cast<std::uint32_t>(order.size()));
    dropped.resize(tail);
    std::sort(dropped.begin(), dropped.end(), std::greater<>());
    for (const std::uint32_t place : dropped) order.erase(order.begin() + static_cast<std::ptrdiff_t>(place));
  }

  void fill_last_round(Rows& order) {
    const std::size_t samples = order.size();
    const std::size_t batches = (samples + policy_.batch_size - 1) / policy_.batch_size;
    const std::size_t missing = (policy_.world_size - batches % policy_.world_size) % policy_.world_size;
    if (samples == 0) return;
    for (std::size_t i = 0; i < missing * policy_.batch_size; ++i) order.push_back(order[numpy_.interval(samples - 1)]);
  }

  const BatchPolicy& policy_;
  std::vector<float> seconds_;  ///< NeMo keeps durations as float32
  double bound_ = 0;            ///< seconds of noise, either way
  rng::NumpyRandom numpy_;
};

/// Rank r has elements r, r + W, ... of the order, and cuts them into batches.
void run_epoch(const Rows& order, const BatchPolicy& policy, std::uint64_t epoch, const MicroBatchSink& sink) {
  const std::size_t round = policy.batch_size * policy.world_size;
  const auto batches = static_cast<std::uint32_t>((order.size() + round - 1) / round);
  const std::uint64_t told_epoch = policy.options.has("no-set-epoch") ? 0 : epoch;
  rng::TorchGenerator generator(policy.options.count_or("semi-sort-sampler-seed", 42) + told_epoch + 1);
  MicroBatchBuilder micro_batch(sink);
  for (const std::uint32_t batch :
       policy.options.has("no-shuffle") ? file_order(batches) : generator.permutation(batches)) {
    const std::span<const std::uint32_t> rows = std::span(order).subspan(batch * round);
    for (std::size_t r = 0; r < policy.world_size; ++r)
      micro_batch.add_rank(every_nth(rows.first(std::min(round, rows.size())), r, policy.world_size));
    micro_batch.send(epoch);
  }
}

void run_nemo(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  SemiSortedSampler sampler(lengths.seconds, policy);
  for (std::uint64_t e = 0; e < policy.first_epoch; ++e) sampler.next_epoch();
  for (std::uint64_t e = 0; e < policy.epochs; ++e)
    run_epoch(sampler.next_epoch(), policy, policy.first_epoch + e, sink);
}

std::string assumes_nemo(const BatchPolicy& policy) {
  std::string text = "the order holds if NumPy's global generator was seeded with `seed` on every rank";
  text += policy.options.has("reseed-numpy") ? "" : " and nothing else draws from it";
  if (policy.options.number("randomization-factor").value_or(0.1) == 0)
    text += "; equal durations stand in file order, while numpy.argsort leaves their order open";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kNumpyReleases{Releases{"1.17", "1.26"}, Releases{"2.0", ""}};
constexpr std::array kNemoOptions{
    OptionSpec{"randomization-factor", Kind::number, "0.1", "noise, as a share of the range of durations"},
    OptionSpec{"semi-sort-sampler-seed", Kind::count, "42", "of the order of batches; `seed` is NumPy's"},
    OptionSpec{"no-shuffle", Kind::flag, "", "batches ascending by duration"},
    OptionSpec{"no-set-epoch", Kind::flag, "", "nobody calls sampler.set_epoch"},
    OptionSpec{"reseed-numpy", Kind::flag, "", "the script seeds NumPy anew before every epoch"},
};

}  // namespace

const Sampler kNemoSemiSorted{
    .name = "nemo-semi-sorted",
    .summary = "NeMo's SemiSortBatchSampler; the version is NumPy's",
    .checked_against = "NeMo's own code with NumPy 1.24; NumPy 2 by emulation",
    .example = "`batch_size` 16 `seed` 1",
    .options = kNemoOptions,
    .run = run_nemo,
    .assumes = assumes_nemo,
    .needs_seconds = true,
    .versions = {
        .used = "2.0",
        .about =
            "NumPy's, of 2024, and later ones give the same order; those before computed the noise in double precision",
        .known = kNumpyReleases}};

}  // namespace seqpoint::batching::frameworks
