// Samplers that belong to no framework.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/lengths/lengths.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

/// Resume behaviour of samplers that belong to no framework.
constexpr Resuming kNoFramework{.about = "there is no framework whose checkpoints would say how they go on"};

// --- Samplers that go through the data set in file order, or sorted by length: the same in every epoch.

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

// --- Batches by their padded size: a sample joins the batch while (samples + 1) x longest stays within `max-tokens`. A
// sample beyond the budget is a batch of its own. For a pair, the longer side counts. With several ranks, rank r gets
// batches r, r + W, ...; to give every rank the same number, the batches continue with the first or, with --drop-last,
// are cut.

using Batches = std::vector<Rows>;  ///< in order, none of them empty

constexpr std::array<std::string_view, 4> kOrders{"file", "sorted", "descending", "shuffled"};

/// The longer of both sides of a row, or its only length.
std::uint32_t longer_side(const lengths::Lengths& lengths, std::uint32_t row) {
  return lengths.paired() ? std::max(lengths.src[row], lengths.tgt[row]) : lengths.src[row];
}

/// The order that `order` names, `file` by default. Sorting is by the longer side of a pair, equal lengths in file
/// order; shuffling is with a generator seeded with seed + epoch. Throws ParameterError for another word.
Rows order_of(const lengths::Lengths& lengths, const BatchPolicy& policy, std::uint64_t epoch) {
  const std::string_view word = policy.options.one_of("order", kOrders);
  Rows order = file_order(lengths.size());
  const auto longer = [&](auto row) { return longer_side(lengths, row); };
  if (word == "shuffled")
    order = rng::TorchGenerator(policy.seed.value_or(0) + epoch).permutation(static_cast<std::uint32_t>(order.size()));
  else if (word == "sorted")
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return longer(a) < longer(b); });
  else if (word == "descending")
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return longer(a) > longer(b); });
  return order;
}

/// The limits of a batch.
struct Budget {
  std::uint64_t tokens = 0;   ///< padded, >= 1
  std::uint64_t samples = 0;  ///< 0: any number

  /// Whether `count` samples, all padded to length `longest`, keep both limits.
  bool holds(std::uint64_t count, std::uint64_t longest) const {
    return count * longest <= tokens && (samples == 0 || count <= samples);
  }
};

/// From `max-tokens` and `batch_size`. Throws ParameterError unless `max-tokens` is 1 to 4294967295.
Budget budget_of(const BatchPolicy& policy) {
  const auto tokens = policy.options.count("max-tokens");
  if (!tokens || *tokens == 0 || *tokens > 0xFFFFFFFFU)
    throw ParameterError("sampler", "token-budget needs the padded tokens of a batch",
                         "`sampler` token-budget:max-tokens=N, of 1 or more, at most 4294967295");
  return {*tokens, policy.batch_size};
}

/// Cuts an order into batches, each as large as `budget` allows. With drop_last, the last batch is left out if one more
/// sample as long as its longest would fit.
Batches cut(std::span<const std::uint32_t> order, const lengths::Lengths& lengths, const Budget& budget,
            bool drop_last) {
  Batches batches;
  std::uint64_t longest = 0;
  for (const std::uint32_t row : order) {
    const std::uint64_t length = longer_side(lengths, row);
    if (batches.empty() || !budget.holds(batches.back().size() + 1, std::max(longest, length))) {
      batches.emplace_back();
      longest = 0;
    }
    batches.back().push_back(row);
    longest = std::max(longest, length);
  }
  if (drop_last && !batches.empty() && budget.holds(batches.back().size() + 1, longest)) batches.pop_back();
  return batches;
}

/// Sends existing batches in their order: rank r gets batches r, r + W, ... An incomplete last round is filled with
/// batches from the head or, with the policy's drop_last, dropped.
void deal_batches(const Batches& batches, const BatchPolicy& policy, std::uint64_t epoch, const MicroBatchSink& sink) {
  const std::size_t ranks = policy.world_size;
  MicroBatchBuilder builder(sink);
  for (std::size_t begin = 0; begin < batches.size(); begin += ranks) {
    if (begin + ranks > batches.size() && policy.drop_last) return;
    for (std::size_t k = begin; k < begin + ranks; ++k) builder.add_rank(batches[k % batches.size()]);
    builder.send(epoch);
  }
}

void run_token_budget(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const Budget budget = budget_of(policy);
  for (std::uint64_t e = policy.epoch; e < policy.epoch + policy.epochs; ++e) {
    const Batches batches = cut(order_of(lengths, policy, e), lengths, budget, policy.drop_last);
    deal_batches(batches, policy, e, sink);
  }
}

std::string assumes_token_budget(const BatchPolicy& policy) {
  if (policy.options.text("order") != "shuffled") return {};
  return "samples are shuffled as torch.randperm does with a generator seeded with seed + epoch";
}

constexpr std::array kTokenBudgetOptions{
    OptionSpec{"max-tokens", Kind::count, "",
               "padded tokens of a batch, at most; `batch_size` also limits its samples"},
    OptionSpec{"order", Kind::text, "file", "file, sorted, descending or shuffled"},
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

const Sampler kTokenBudget{.name = "token-budget",
                           .summary = "as many samples as fit (samples x longest) into a number of tokens",
                           .checked_against = "closed form",
                           .example = ":max-tokens=4096,order=sorted",
                           .options = kTokenBudgetOptions,
                           .run = run_token_budget,
                           .assumes = assumes_token_budget,
                           .needs_batch_size = false,
                           .resuming = kNoFramework};

}  // namespace seqpoint::batching::frameworks
