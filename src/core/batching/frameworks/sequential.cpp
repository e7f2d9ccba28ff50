// Samplers that go through the data set in file order, or sorted by length: the same in every epoch.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/lengths/sorted_positions.hpp"

namespace seqpoint::batching::frameworks {
namespace {

/// Distributes the same order in every epoch of the policy.
void repeat_every_epoch(std::span<const std::uint32_t> order, const BatchPolicy& policy, const MicroBatchSink& sink) {
  for (std::uint64_t e = 0; e < policy.epochs; ++e) distribute(order, policy, policy.epoch + e, sink);
}

void run_sequential(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  repeat_every_epoch(file_order(lengths.size()), policy, sink);
}

/// Sampler::run: ascending by source length, with `descending` longest first. Equal lengths keep their file order both
/// ways.
void run_sorted(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (!policy.options.has("descending")) return repeat_every_epoch(lengths::sorted_rows(lengths.src), policy, sink);
  std::vector<std::uint32_t> falling = lengths.src;
  for (std::uint32_t& length : falling) length = ~length;
  repeat_every_epoch(lengths::sorted_rows(falling), policy, sink);
}

constexpr std::array kSortedOptions{
    OptionSpec{"descending", OptionSpec::Kind::flag, "", "longest first"},
};

}  // namespace

const Sampler kSequential{.name = "sequential",
                          .summary = "file order, the same in every epoch",
                          .checked_against = "closed form",
                          .example = "`batch_size` 32",
                          .options = {},
                          .run = run_sequential,
                          .assumes = no_assumption,
                          .takes_seed = false,
                          .resuming = kNoFramework};
const Sampler kSorted{.name = "sorted",
                      .summary = "by (source) length, equal lengths in file order; the same in every epoch",
                      .checked_against = "closed form",
                      .example = "`batch_size` 32",
                      .options = kSortedOptions,
                      .run = run_sorted,
                      .assumes = no_assumption,
                      .takes_seed = false,
                      .resuming = kNoFramework};

}  // namespace seqpoint::batching::frameworks
