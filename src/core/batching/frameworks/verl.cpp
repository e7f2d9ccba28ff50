// verl's balancing by sequence length (verl/utils/seqlen_balancing.py, _balance_batch of the trainer): a global batch
// is divided over the ranks, with as many rows and about as much work for each, and every rank's share into
// micro-batches of at most about as many tokens (use_dynamic_bsz), as many on every rank.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/karmarkar_karp.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "core/batching/token_stream.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

using RowGroups = std::vector<std::vector<std::uint32_t>>;

constexpr std::uint64_t kLinearWork = 24576;  // 6 x 4096, of a hidden size of 4096: calculate_workload

/// What a row costs, relatively.
std::uint64_t workload(std::uint64_t length) { return kLinearWork * length + length * length; }

/// Items of `rows` become the rows.
RowGroups as_rows(RowGroups groups, const std::vector<std::uint32_t>& rows) {
  for (auto& group : groups)
    for (std::uint32_t& item : group) item = rows[item];
  return groups;
}

/// The rows of a rank: by work, every second one upwards and then the others downwards.
void order_rank(std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& lengths) {
  std::sort(rows.begin(), rows.end(),
            [&](auto a, auto b) { return std::pair(lengths[a], a) < std::pair(lengths[b], b); });
  std::vector<std::uint32_t> ordered;
  for (std::size_t i = 0; i < rows.size(); i += 2) ordered.push_back(rows[i]);
  for (std::size_t i = rows.size() / 2 * 2; i >= 2; i -= 2) ordered.push_back(rows[i - 1]);
  rows = std::move(ordered);
}

/// Groups of items by falling work, and then the smallest at both ends.
void order_micro_batches(RowGroups& groups, const std::vector<std::uint64_t>& work) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;  // work, first item
  for (const auto& group : groups) {
    keys.emplace_back(0, group[0]);
    for (const std::uint32_t item : group) keys.back().first += work[item];
  }
  std::vector<std::uint32_t> falling = file_order(groups.size());
  std::sort(falling.begin(), falling.end(), [&](auto a, auto b) { return keys[a] > keys[b]; });
  RowGroups ordered;
  for (std::size_t i = (groups.size() + 1) / 2 * 2; i >= 2; i -= 2)
    ordered.push_back(std::move(groups[falling[i - 2]]));
  for (std::size_t i = 1; i < groups.size(); i += 2) ordered.push_back(std::move(groups[falling[i]]));
  groups = std::move(ordered);
}

class VerlBatches {
 public:
  VerlBatches(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : lengths_(lengths.src),
        ranks_(policy.world_size),
        rows_of_rank_(policy.batch_size),
        tokens_(sequence_length(lengths, policy, "max-token-len")),
        ordered_(!policy.options.has("no-balance")) {
    const auto longest = std::max_element(lengths_.begin(), lengths_.end());
    if (*longest > tokens_)
      throw UsageError(fmt::format("--max-token-len {}: row {} has {} tokens; here the original stops with an "
                                   "AssertionError",
                                   tokens_, longest - lengths_.begin(), *longest),
                       "more tokens, or --max-length to leave out longer rows");
  }

  /// The micro-batches of the global batch that begins there.
  void send(std::uint32_t begin, std::uint64_t epoch, MicroBatchBuilder& builder) const {
    std::vector<std::uint32_t> rows(rows_of_rank_ * ranks_);
    for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = begin + i;
    RowGroups shares{rows};
    if (ranks_ > 1) shares = as_rows(balanced_partitions(work_of(rows), ranks_, true), rows);
    std::size_t count = 0;
    for (auto& share : shares) {
      if (ranks_ > 1) order_rank(share, lengths_);
      count = std::max(count, number_of_micro_batches(share));
    }
    std::vector<RowGroups> micro_batches;
    for (const auto& share : shares) micro_batches.push_back(micro_batches_of(share, count));
    for (std::size_t m = 0; m < count; ++m) {
      for (const RowGroups& rank : micro_batches) builder.add_rank(rank[m]);
      builder.send(epoch);
    }
  }

 private:
  std::vector<std::uint64_t> work_of(const std::vector<std::uint32_t>& rows) const {
    std::vector<std::uint64_t> work;
    for (const std::uint32_t row : rows) work.push_back(workload(lengths_[row]));
    return work;
  }

  RowGroups micro_batches_of(const std::vector<std::uint32_t>& rows, std::size_t count) const {
    const std::vector<std::uint64_t> work = work_of(rows);
    RowGroups groups = balanced_partitions(work, count, false);
    if (ordered_) order_micro_batches(groups, work);
    return as_rows(std::move(groups), rows);
  }

  std::size_t number_of_micro_batches(const std::vector<std::uint32_t>& rows) const {
    std::uint64_t tokens = 0;
    for (const std::uint32_t row : rows) tokens += lengths_[row];
    return std::clamp<std::size_t>((tokens + tokens_ - 1) / tokens_, 1, rows.size());
  }

  const std::vector<std::uint32_t>& lengths_;
  std::size_t ranks_, rows_of_rank_;
  std::uint64_t tokens_;
  bool ordered_;
};

void run_verl(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const VerlBatches batches(lengths, policy);
  MicroBatchBuilder builder(sink);
  const std::size_t size = policy.batch_size * policy.world_size;
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e)
    for (std::size_t begin = 0; begin + size <= lengths.size(); begin += size)
      batches.send(static_cast<std::uint32_t>(begin), e, builder);
}

std::string assumes_verl(const BatchPolicy&) {
  return "rows come in file order, as they were rolled out; a global batch is one mini-batch, and the last rows, less "
         "than one, are left out";
}

using Kind = OptionSpec::Kind;
constexpr std::array kVerlOptions{
    OptionSpec{"max-token-len", Kind::count, "", "ppo_max_token_len_per_gpu: tokens of a micro-batch, about"},
    OptionSpec{"no-balance", Kind::flag, "", "use_dynamic_bsz_balance=False: micro-batches as they are divided"},
};

}  // namespace

const Sampler kVerl{
    .name = "verl",
    .summary =
        "verl's balancing by sequence length, over ranks and micro-batches; --batch-size rows a rank are a batch",
    .checked_against = "verl's own code and vectors",
    .example = "--max-token-len 8192 --batch-size 128 --world-size 2",
    .options = kVerlOptions,
    .run = run_verl,
    .assumes = assumes_verl,
    .takes_seed = false};

}  // namespace seqpoint::batching::frameworks
