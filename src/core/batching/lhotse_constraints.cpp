#include "core/batching/lhotse_constraints.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/batching/distribute.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::lhotse {
namespace {

/// The number of an option; nothing if it was not set. Throws ParameterError for 0.
std::optional<double> above_zero(const OptionValues& options, const OptionSpec& spec) {
  const auto value = options.number(spec.name);
  if (value && *value == 0) throw ParameterError(spec.name, "must be more than 0");
  return value;
}

/// base.py: the cuts of fewer batches than ranks, joined, then cut into `ranks` consecutive batches whose sizes differ
/// by one at most, larger ones first. Fewer cuts than ranks are repeated.
std::vector<Rows> split_evenly(const std::vector<Rows>& batches, std::size_t ranks) {
  Rows all;
  for (const Rows& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  while (all.size() < ranks) {
    const std::size_t repeated = std::min(ranks - all.size(), all.size());
    for (std::size_t i = 0; i < repeated; ++i) all.push_back(all[i]);
  }
  std::vector<Rows> parts;
  auto begin = all.cbegin();
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto size = static_cast<std::ptrdiff_t>(all.size() / ranks + (r < all.size() % ranks ? 1 : 0));
    parts.emplace_back(begin, begin + size);
    begin += size;
  }
  return parts;
}

}  // namespace

TimeConstraint::TimeConstraint(const OptionValues& options)
    : max_duration_(above_zero(options, kMaxDuration)),
      max_cuts_(options.count(kMaxCuts.name)),
      quadratic_duration_(above_zero(options, kQuadraticDuration)) {
  if (max_cuts_ && *max_cuts_ == 0) throw ParameterError("max-cuts", "must be 1 or more");
  if (!max_duration_ && !max_cuts_)
    throw ParameterError("max-duration", ": Lhotse's samplers need to know how much a batch may hold",
                         "`max-duration` SECONDS or `max-cuts` N");
}

void TimeConstraint::reset() {
  cuts_ = 0;
  longest_ = 0;
}

void TimeConstraint::add(double seconds) {
  // Python's d ** 2 goes through pow(), which for one duration in a thousand or so is off by the last bit.
  if (quadratic_duration_) seconds += seconds * seconds / *quadratic_duration_;
  longest_ = std::max(longest_, seconds);
  ++cuts_;
}

bool TimeConstraint::exceeded() const {
  if (max_cuts_ && cuts_ > *max_cuts_) return true;
  return max_duration_ && static_cast<double>(cuts_) * longest_ > *max_duration_;
}

bool TimeConstraint::close_to_exceeding() const {
  if (max_cuts_ && cuts_ >= *max_cuts_) return true;
  return max_duration_ && static_cast<double>(cuts_ + 1) * longest_ > *max_duration_;
}

void run_epoch(const NextBatch& next, const BatchPolicy& policy, std::uint64_t epoch, const MicroBatchSink& sink) {
  MicroBatchBuilder micro_batch(sink);
  std::vector<Rows> batches;
  for (;;) {
    batches.clear();
    for (Rows batch; batches.size() < policy.world_size && next(batch);) batches.push_back(batch);
    if (batches.empty() || (policy.drop_last && batches.size() < policy.world_size)) return;
    if (batches.size() < policy.world_size) batches = split_evenly(batches, policy.world_size);
    for (const Rows& batch : batches) micro_batch.add_rank(batch);
    micro_batch.send(epoch);
  }
}

std::vector<std::uint32_t> streaming_shuffle(std::uint32_t n, std::size_t buffer_size, std::uint64_t seed) {
  rng::PythonRandom random(seed);
  std::vector<std::uint32_t> out, buffer;
  out.reserve(n);
  bool filling = true;
  for (std::uint32_t row = 0; row < n; ++row) {
    std::uint32_t sample = row;
    if (buffer.size() < buffer_size && row + 1 < n)
      buffer.push_back(++row);  // Lhotse reads a second row in the same step
    if (!buffer.empty()) std::swap(sample, buffer[random.randrange(buffer.size())]);
    filling = filling && buffer.size() < buffer_size;
    (filling ? buffer : out).push_back(sample);
  }
  out.insert(out.end(), buffer.begin(), buffer.end());
  return out;
}

std::uint64_t epoch_seed(const BatchPolicy& policy, std::uint64_t epoch) {
  return python_seed(policy.seed.value_or(0) + (policy.options.has(kNoSetEpoch.name) ? 0 : epoch));
}

std::string assumes(const BatchPolicy& policy) {
  std::string text = "the order holds for a sampler in the training process (map-style dataset) with an integer seed";
  if (policy.options.has(kShuffle.name) && !policy.options.has(kNoSetEpoch.name))
    text += ", if the script calls sampler.set_epoch(epoch) before every epoch; if it does not, pass `no-set-epoch`";
  if (policy.batch_size > 0) text += "; `batch_size` has no part in it (`max-cuts` has)";
  return text;
}

}  // namespace seqpoint::batching::lhotse
