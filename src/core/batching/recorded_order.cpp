#include "core/batching/batches.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/numbers.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching {
namespace {

/// The epoch of the micro-batch at position i; 0 if epochs are not recorded.
std::uint64_t epoch_of(const RecordedOrder& order, std::size_t i) { return order.epoch.empty() ? 0 : order.epoch[i]; }

/// Element i of a recorded column; `otherwise` if the column was not recorded.
std::uint64_t recorded_or(const std::vector<std::uint32_t>& column, std::size_t i, std::uint64_t otherwise) {
  return column.empty() ? otherwise : column[i];
}

/// Padded source and target length, and batch size.
using Sizes = std::array<std::uint64_t, 3>;

/// The sizes of a batch, its lengths rounded up to a multiple.
Sizes sizes_of(const BatchShape& shape, std::uint64_t pad_multiple) {
  return {rounded_up(shape.src_len, pad_multiple), rounded_up(shape.tgt_len, pad_multiple), shape.sequences};
}

/// The recorded sizes of the micro-batch at position i; those that were not recorded are taken from `of_rows`.
Sizes recorded_sizes(const RecordedOrder& order, std::size_t i, const Sizes& of_rows) {
  return {recorded_or(order.src_len, i, of_rows[0]), recorded_or(order.tgt_len, i, of_rows[1]),
          recorded_or(order.batch_size, i, of_rows[2])};
}

/// Adds to `shape` the tokens, and their square, of a sample of `length` tokens cut to `cut`.
void add_cut(BatchShape& shape, std::uint64_t length, std::uint64_t cut) {
  const std::uint64_t left = std::min(length, cut);
  shape.tokens += left;
  shape.sq_tokens += left * left;
}

/// The shape of a batch that was padded, packed or cut to these sizes. Each sample is cut to the padded length, and all
/// tokens together to the padded area.
BatchShape shape_of(std::span<const std::uint32_t> rows, const lengths::Lengths& lengths, const Sizes& sizes) {
  BatchShape shape{.src_len = static_cast<std::uint32_t>(sizes[0]),
                   .tgt_len = static_cast<std::uint32_t>(sizes[1]),
                   .sequences = static_cast<std::uint32_t>(sizes[2])};
  for (const std::uint32_t row : rows) {
    add_cut(shape, lengths.src[row], sizes[0]);
    if (lengths.paired()) add_cut(shape, lengths.tgt[row], sizes[1]);
  }
  shape.tokens = std::min(shape.tokens, sizes[2] * (sizes[0] + sizes[1]));
  return shape;
}

/// The first micro-batch whose recorded sizes fit no rank, and the number of such micro-batches.
struct Disagreement {
  std::uint64_t count = 0;
  std::size_t first = 0;
  Sizes recorded{}, of_rows{};  ///< sizes of the first; as recorded, and from the rows of its first rank
};

/// Compares the recorded sizes of each micro-batch with those of its rows, rank by rank. Calls `each` for every
/// micro-batch, with the rows of the first rank and the sizes that were recorded.
template <class Each>
Disagreement disagreement_of(const RecordedOrder& order, const lengths::Lengths& lengths, std::uint32_t pad_multiple,
                             Each each) {
  Disagreement found;
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const MicroBatch micro_batch = order.micro_batch(i, ends);
    bool agrees = false;
    Sizes of_rows{}, recorded{};
    for (std::size_t r = micro_batch.ranks(); r-- > 0;) {
      of_rows = sizes_of(batching::shape_of(micro_batch.rows_of_rank(r), lengths), pad_multiple);
      recorded = recorded_sizes(order, i, of_rows);
      agrees = agrees || recorded == of_rows;
    }
    each(micro_batch.rows_of_rank(0), recorded);
    if (agrees) continue;
    if (found.count++ == 0) found = {1, i, recorded, of_rows};
  }
  return found;
}

/// The message about the first micro-batch that differs: its line, the first field that differs with both values, and
/// how many micro-batches differ.
std::string text_of(const Disagreement& found, const RecordedOrder& order) {
  constexpr std::array<const char*, 3> kFields{"src_len", "tgt_len", "batch_size"};
  std::size_t differs = 0;
  while (differs < 2 && found.recorded[differs] == found.of_rows[differs]) ++differs;
  const std::string of_rows = differs == 2 ? fmt::format("there are {} rows", found.of_rows[2])
                                           : fmt::format("the longest of {} rows has {}",
                                                         order.ranks == 1 ? "its" : "rank 0's", found.of_rows[differs]);
  return Problem{{order.source, order.lines[found.first], kFields[differs]},
                 fmt::format("is {}, and {} by the manifest; {} of {} batches differ", found.recorded[differs], of_rows,
                             found.count, order.size())}
      .message();
}

/// The most micro-batches in a row with the same step number; at least 1.
std::uint64_t longest_step(std::span<const std::uint64_t> steps) {
  std::uint64_t longest = 1, here = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    here = i > 0 && steps[i] == steps[i - 1] ? here + 1 : 1;
    longest = std::max(longest, here);
  }
  return longest;
}

/// Throws InputError unless every recorded step number is the one that OptimiserStepCounter gives: steps from 0, of
/// `accumulation` micro-batches each, a new one with every epoch.
void require_steps(const RecordedOrder& order, std::uint64_t accumulation) {
  OptimiserStepCounter counter(accumulation);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (const std::uint64_t expected = counter.next(epoch_of(order, i)); order.optimiser_step[i] != expected)
      throw InputError({order.source, order.lines[i], "step"},
                       fmt::format("is {}; steps of {}, from 0 on and a new one with every epoch, make it {}",
                                   order.optimiser_step[i], counted(accumulation, "iteration"), expected),
                       "leave the column out, and say `grad_accumulation`");
}

/// Sets a field of a policy to the order's value. Throws ParameterError, with the name `parameter`, if the field has
/// another value that is not its default `unsaid`.
void decide(std::uint64_t& value, std::uint64_t unsaid, std::uint64_t recorded, const char* parameter) {
  if (value != unsaid && value != recorded)
    throw ParameterError(parameter, fmt::format("{} contradicts the order, which has {}", value, recorded),
                         "leave it out");
  value = recorded;
}

}  // namespace

std::span<const std::uint32_t> RecordedOrder::rows_of(std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : rank_ends[i * ranks - 1];
  return std::span(rows).subspan(begin, rank_ends[(i + 1) * ranks - 1] - begin);
}

MicroBatch RecordedOrder::micro_batch(std::size_t i, std::vector<std::size_t>& ends) const {
  const std::size_t begin = i == 0 ? 0 : rank_ends[i * ranks - 1];
  ends.clear();
  for (std::size_t r = 0; r < ranks; ++r) ends.push_back(rank_ends[i * ranks + r] - begin);
  return {.epoch = epoch_of(*this, i),
          .rows = rows_of(i),
          .rank_ends = ends,
          .shapes = shapes.empty() ? std::span<const BatchShape>() : std::span(shapes).subspan(i, 1)};
}

void require_rows(const RecordedOrder& order, const lengths::Lengths& lengths) {
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const std::uint32_t row : order.rows_of(i))
      if (row >= lengths.size())
        throw InputError({order.source, order.lines[i], "rows"},
                         fmt::format("names row {}, and the manifest has {}, counted from 0", row,
                                     counted(lengths.size(), "sample")),
                         "the order is of the whole data set that the job reads: give all of its manifests, and leave "
                         "out no sample that it has");
}

std::string describe_use(const RecordedOrder& order, const lengths::Lengths& lengths) {
  std::vector<std::uint64_t> seen(lengths.size(), 0);  // the last epoch, from 1
  std::uint64_t again = 0;
  std::string first;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const std::uint32_t row : order.rows_of(i)) {
      const std::uint64_t before = std::exchange(seen[row], epoch_of(order, i) + 1);
      if (before != seen[row] || again++ > 0) continue;
      first = fmt::format("the first row {} in line {}", row, order.lines[i]);
    }
  std::string text;
  if (again > 0) text = fmt::format("rows that come again within an epoch: {}, {}", again, first);
  if (const auto unused = std::ranges::count(seen, 0U); unused > 0)
    text += fmt::format("{}samples in no batch: {} of {}", text.empty() ? "" : "; ", unused, lengths.size());
  return text;
}

std::string compare_lengths(RecordedOrder& order, const lengths::Lengths& lengths, std::uint32_t pad_multiple) {
  if (!order.tgt_len.empty() && !lengths.paired())
    throw InputError({order.source, 1, "tgt_len"}, "is there, but the manifest has one length a sample",
                     "give the target side, too: `tgt` FILE");
  std::vector<BatchShape> recorded;
  const Disagreement found = disagreement_of(order, lengths, pad_multiple, [&](auto rows, const Sizes& sizes) {
    if (order.ranks == 1) recorded.push_back(shape_of(rows, lengths, sizes));
  });
  if (found.count == 0) return "";
  order.shapes = std::move(recorded);
  return text_of(found, order) +
         (order.ranks == 1 ? "; used the order's: check the manifest" : "; used the manifest's: select from the order");
}

void set_order(BatchPolicy& policy, std::shared_ptr<const RecordedOrder> order) {
  decide(policy.world_size, 1, order->ranks, "world_size");
  decide(policy.epoch, 0, order->first_epoch(), "epoch");
  decide(policy.epochs, 1, order->epochs(), "epochs");
  if (!order->optimiser_step.empty()) {
    if (policy.grad_accumulation == 1) policy.grad_accumulation = longest_step(order->optimiser_step);
    require_steps(*order, policy.grad_accumulation);
  }
  policy.order = std::move(order);
}

}  // namespace seqpoint::batching
