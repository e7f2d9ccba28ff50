// verl's balancing by sequence length (verl/utils/seqlen_balancing.py, _balance_batch of the trainer): a global batch
// is divided over the ranks, with as many rows and about as much work for each, and every rank's share into
// micro-batches of at most about as many tokens (use_dynamic_bsz), as many on every rank. By version:
//   to 0.6.0       Work is the length. Micro-batches come as they are divided; from 0.5 on by falling sums of squares.
//   0.6.1 to 0.8   Work is an estimate of a transformer's operations. The smallest micro-batches come first and last,
//                  and so do the smallest rows of a rank.
//   from 0.9       The trainer of trainer.use_v1 leaves the rows of a rank in ascending order.
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

using RowGroups = std::vector<Rows>;

constexpr std::uint64_t kLinearWork = 24576;  // 6 x 4096, of a hidden size of 4096: calculate_workload

/// The work of a row.
std::uint64_t workload(std::uint64_t length) { return kLinearWork * length + length * length; }

/// Items of `rows` become the rows.
RowGroups as_rows(RowGroups groups, const std::vector<std::uint32_t>& rows) {
  for (auto& group : groups)
    for (std::uint32_t& item : group) item = rows[item];
  return groups;
}

/// Consecutive parts of `size` rows.
RowGroups cut(const std::vector<std::uint32_t>& rows, std::size_t size) {
  RowGroups parts;
  for (auto begin = rows.begin(); begin != rows.end(); begin += static_cast<std::ptrdiff_t>(size))
    parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
  return parts;
}

/// The rows of some of the items, one item after the other.
std::vector<std::uint32_t> joined(const RowGroups& items, const std::vector<std::uint32_t>& some) {
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t item : some) rows.insert(rows.end(), items[item].begin(), items[item].end());
  return rows;
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

/// Groups of items by falling work.
void sort_falling(RowGroups& groups, const std::vector<std::uint64_t>& work) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;  // work, first item
  for (const auto& group : groups) {
    keys.emplace_back(0, group[0]);
    for (const std::uint32_t item : group) keys.back().first += work[item];
  }
  std::vector<std::uint32_t> falling = file_order(groups.size());
  std::sort(falling.begin(), falling.end(), [&](auto a, auto b) { return keys[a] > keys[b]; });
  RowGroups ordered;
  for (const std::uint32_t group : falling) ordered.push_back(std::move(groups[group]));
  groups = std::move(ordered);
}

/// Moves the smallest of groups by falling work to both ends.
void smallest_to_both_ends(RowGroups& falling) {
  RowGroups ordered;
  for (std::size_t i = (falling.size() + 1) / 2 * 2; i >= 2; i -= 2) ordered.push_back(std::move(falling[i - 2]));
  for (std::size_t i = 1; i < falling.size(); i += 2) ordered.push_back(std::move(falling[i]));
  falling = std::move(ordered);
}

/// An option of 1 or more, which is 1 where it is not given.
std::uint64_t option_since(const BatchPolicy& policy, std::string_view name, const Version& first) {
  const auto value = policy.options.count(name);
  if (value && *value == 0) throw ParameterError(name, "must be 1 or more");
  if (value && version_of(policy, kVerl) < first)
    throw ParameterError(name, fmt::format(": verl has it since {}.{}.{}", first.major, first.minor, first.patch),
                         "leave it out, or a later `version`");
  return value.value_or(1);
}

class VerlBatches {
 public:
  VerlBatches(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : lengths_(lengths.src),
        version_(version_of(policy, kVerl)),
        ranks_(policy.world_size),
        rows_of_rank_(policy.batch_size),
        rows_together_(option_since(policy, "force-group-size", kGroups)),
        fewest_(option_since(policy, "min-num-micro-batch", kFewest)),
        tokens_(sequence_length(lengths, policy, "max-token-len")),
        balances_ranks_(!policy.options.has("no-balance-batch")),
        ordered_(!policy.options.has("no-balance") && version_ >= kOrdersMicroBatches) {
    const auto longest = std::max_element(lengths_.begin(), lengths_.end());
    if (*longest > tokens_)
      throw ParameterError("max-token-len",
                           fmt::format("{}: row {} has {} tokens; here the original stops with an "
                                       "AssertionError",
                                       tokens_, longest - lengths_.begin(), *longest),
                           "more tokens, or `max_length` to leave out longer rows");
    if (rows_of_rank_ % rows_together_ != 0 || fewest_ > rows_of_rank_ / rows_together_)
      throw ParameterError("batch_size",
                           fmt::format("{}: the rows of a rank must be a multiple of `force-group-size` {}, and "
                                       "its groups as many as `min-num-micro-batch` {}",
                                       rows_of_rank_, rows_together_, fewest_));
  }

  /// The micro-batches of the global batch that begins there.
  void send(std::uint32_t begin, std::uint64_t epoch, MicroBatchBuilder& builder) const {
    const RowGroups shares = shares_of(begin);
    std::size_t count = 0;
    for (const auto& share : shares) count = std::max(count, number_of_micro_batches(share));
    std::vector<RowGroups> micro_batches;
    for (const auto& share : shares) micro_batches.push_back(micro_batches_of(share, count));
    for (std::size_t m = 0; m < count; ++m) {
      for (const RowGroups& rank : micro_batches) builder.add_rank(rank[m]);
      builder.send(epoch);
    }
  }

 private:
  static constexpr Version kFewest{0, 4, 0}, kOrdersMicroBatches{0, 5, 0}, kEstimatesWork{0, 6, 1}, kGroups{0, 7, 1},
      kAscendingRows{0, 9, 0};

  bool estimates_work() const { return version_ >= kEstimatesWork; }

  /// What the rows cost, relatively.
  std::vector<std::uint64_t> work_of(const std::vector<std::uint32_t>& rows) const {
    std::vector<std::uint64_t> work;
    for (const std::uint32_t row : rows) work.push_back(estimates_work() ? workload(lengths_[row]) : lengths_[row]);
    return work;
  }

  /// The rows of every rank.
  RowGroups shares_of(std::uint32_t begin) const {
    std::vector<std::uint32_t> rows(rows_of_rank_ * ranks_);
    for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = begin + i;
    if (!balances_ranks_) return cut(rows, rows_of_rank_);
    RowGroups shares = as_rows(balanced_partitions(work_of(rows), ranks_, true), rows);
    if (estimates_work() && version_ < kAscendingRows)
      for (auto& share : shares) order_rank(share, lengths_);
    return shares;
  }

  RowGroups micro_batches_of(const std::vector<std::uint32_t>& rows, std::size_t count) const {
    const RowGroups items = cut(rows, rows_together_);
    std::vector<std::uint64_t> work, order_by;
    for (const auto& item : items) {
      work.push_back(0), order_by.push_back(0);
      for (const std::uint64_t w : work_of(item)) work.back() += w, order_by.back() += estimates_work() ? w : w * w;
    }
    RowGroups groups = balanced_partitions(work, count, false);
    if (ordered_) sort_falling(groups, order_by);
    if (ordered_ && estimates_work()) smallest_to_both_ends(groups);
    for (auto& group : groups) group = joined(items, group);
    return groups;
  }

  std::size_t number_of_micro_batches(const std::vector<std::uint32_t>& rows) const {
    std::uint64_t tokens = 0;
    for (const std::uint32_t row : rows) tokens += lengths_[row];
    const std::uint64_t needed =
        std::min<std::uint64_t>((tokens + tokens_ - 1) / tokens_, rows.size() / rows_together_);
    return std::max(fewest_, needed);
  }

  const std::vector<std::uint32_t>& lengths_;
  Version version_;
  std::size_t ranks_, rows_of_rank_;
  std::uint64_t rows_together_, fewest_;
  std::uint64_t tokens_;
  bool balances_ranks_, ordered_;
};

void run_verl(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const VerlBatches batches(lengths, policy);
  MicroBatchBuilder builder(sink);
  const std::size_t size = policy.batch_size * policy.world_size;
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e)
    for (std::size_t begin = 0; begin + size <= lengths.size(); begin += size)
      batches.send(static_cast<std::uint32_t>(begin), e, builder);
}

std::string assumes_verl(const BatchPolicy& policy) {
  std::string text =
      "rows come in file order, as they were rolled out; a global batch is one mini-batch, and the last rows, less "
      "than one, are left out";
  if (policy.version.empty() && !policy.options.has("no-balance-batch"))
    text += "; the order is that of 0.9 (2026) with trainer.use_v1; older trainers have another: `version`";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kVerlReleases{Releases{"0.2", "0.9"}};
constexpr std::array kVerlOptions{
    OptionSpec{"force-group-size", Kind::count, "1", "consecutive rows that stay in one micro-batch (reward models)"},
    OptionSpec{"max-token-len", Kind::count, "", "ppo_max_token_len_per_gpu: tokens of a micro-batch, about"},
    OptionSpec{"min-num-micro-batch", Kind::count, "1", "micro-batches of a rank, at least"},
    OptionSpec{"no-balance", Kind::flag, "", "use_dynamic_bsz_balance=False: micro-batches as they are divided"},
    OptionSpec{"no-balance-batch", Kind::flag, "", "trainer.balance_batch=False: ranks get consecutive rows"},
};

}  // namespace

const Sampler kVerl{
    .name = "verl",
    .summary =
        "verl's balancing by sequence length, over ranks and micro-batches; `batch_size` rows a rank are a batch",
    .checked_against = "verl's own code (0.2 to 0.9) and vectors",
    .example = "`max-token-len` 8192 `batch_size` 128 `world_size` 2",
    .options = kVerlOptions,
    .run = run_verl,
    .assumes = assumes_verl,
    .takes_seed = false,
    .versions = {.used = "0.9",
                 .about =
                     "of 2026; with trainer.use_v1=False it orders the rows of a rank as 0.6.1 to 0.8 (2026); those "
                     "to 0.6.0 (2025) balance lengths, not work",
                 .known = kVerlReleases}};

}  // namespace seqpoint::batching::frameworks
