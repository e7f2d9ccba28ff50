// Samplers that go through the data set in file order, or sorted by length: the same in every epoch.
#include <algorithm>
#include <array>

#include "deal.hpp"
#include "samplers.hpp"

namespace seqpoint {
namespace {

void repeat(std::span<const std::uint32_t> order, const BatchPolicy& policy, const StepSink& sink) {
  for (std::uint64_t e = 0; e < policy.epochs; ++e) deal(order, policy, policy.first_epoch + e, sink);
}

void run_sequential(const Lengths& lengths, const BatchPolicy& policy, const StepSink& sink) {
  repeat(file_order(lengths.size()), policy, sink);
}

/// Stable both ways: equal lengths keep their file order.
void run_sorted(const Lengths& lengths, const BatchPolicy& policy, const StepSink& sink) {
  const auto& len = lengths.src;
  std::vector<std::uint32_t> order = file_order(len.size());
  if (policy.options.has("descending"))
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return len[a] > len[b]; });
  else
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return len[a] < len[b]; });
  repeat(order, policy, sink);
}

constexpr std::array kSortedOptions{
    OptionSpec{"descending", OptionSpec::Kind::flag, "", "longest first"},
};

}  // namespace

const Sampler kSequential{.name = "sequential",
                          .summary = "file order, the same in every epoch",
                          .checked_against = "closed form",
                          .default_version = "",
                          .options = {},
                          .run = run_sequential,
                          .assumes = no_assumption,
                          .takes_seed = false};
const Sampler kSorted{.name = "sorted",
                      .summary = "by (source) length, equal lengths in file order; the same in every epoch",
                      .checked_against = "closed form",
                      .default_version = "",
                      .options = kSortedOptions,
                      .run = run_sorted,
                      .assumes = no_assumption,
                      .takes_seed = false};

}  // namespace seqpoint
