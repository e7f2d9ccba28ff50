// The batches that run before all points: records of the run that no other record covers, which would run out of memory
// first, and some of all sizes to warm up with.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "seqpoint/select.hpp"

namespace seqpoint::select {
namespace {

/// What memory grows with: padded tokens, samples and lengths of one rank (without padding: tokens, samples, squares).
using Size = std::array<std::uint64_t, 5>;

Size size_of(const trace::Signature& signature, std::size_t rows) {
  return {signature.padded_tokens(), signature.batch_size > 0 ? signature.batch_size : rows, signature.src_len,
          signature.tgt_len, signature.sq_tokens};
}

bool covers(const Size& a, const Size& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] < b[i]) return false;
  return true;
}

/// An iteration with the sizes of those of its ranks that set a new maximum and are not covered.
struct Record {
  PlannedBatch batch;
  std::vector<Size> sizes;
};

/// The sizes of its ranks that have more of anything than all before; raises `most` to them.
std::vector<Size> new_maxima(const trace::IterationRow& row, const batching::MicroBatch& micro_batch, Size& most) {
  std::vector<Size> found;
  const Size before = most;
  for (std::size_t r = 0; r < micro_batch.ranks(); ++r) {
    const Size size = size_of(row.rank_signatures[r], micro_batch.rows_of_rank(r).size());
    if (covers(before, size)) continue;
    found.push_back(size);
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], size[i]);
  }
  return found;
}

using Histogram = std::vector<trace::SignatureCount>;

/// Those in the middle of `count` parts with equally many iterations. `of`: ascending, not empty.
std::set<trace::Signature> spread(const Histogram& of, std::size_t count) {
  std::uint64_t iterations = 0;
  for (const trace::SignatureCount& entry : of) iterations += entry.count;
  std::set<trace::Signature> chosen;
  std::uint64_t before = 0;
  std::size_t at = 0;
  for (std::size_t part = 0; part < count && at < of.size(); ++part) {
    const double middle = (static_cast<double>(part) + 0.5) / static_cast<double>(count);
    while (at + 1 < of.size() && static_cast<double>(before + of[at].count) <= middle * static_cast<double>(iterations))
      before += of[at++].count;
    chosen.insert(of[at].signature);
  }
  return chosen;
}

/// Signatures that are no point's, by batch size of a point, each ascending by padded tokens.
std::map<std::uint64_t, Histogram> other_signatures(const trace::RunSummary& run,
                                                    const std::set<trace::Signature>& of_points) {
  std::map<std::uint64_t, Histogram> by_size;
  for (const trace::Signature& signature : of_points) by_size[signature.batch_size];
  for (const trace::SignatureCount& entry : run.histogram)
    if (const auto of = by_size.find(entry.signature.batch_size);
        of != by_size.end() && !of_points.contains(entry.signature))
      of->second.push_back(entry);
  for (auto& [size, entries] : by_size)
    std::ranges::stable_sort(entries, {}, [](const auto& entry) { return entry.signature.padded_tokens(); });
  return by_size;
}

/// `count` shapes of each batch size to warm up with.
std::set<trace::Signature> warmup_shapes(const trace::RunSummary& run, const std::set<trace::Signature>& of_points,
                                         std::uint64_t count) {
  std::set<trace::Signature> shapes;
  for (const auto& [size, entries] : other_signatures(run, of_points))
    shapes.merge(spread(entries, static_cast<std::size_t>(count)));
  return shapes;
}

}  // namespace

std::vector<PlannedBatch> warmup_batches(const trace::RunSummary& run, std::span<const PlannedBatch> of_points,
                                         std::uint64_t count, const lengths::Lengths& lengths,
                                         const batching::BatchPolicy& policy, const trace::SignatureRule& rule) {
  std::set<trace::Signature> points;
  std::set<std::optional<std::size_t>> sizes;
  for (const PlannedBatch& batch : of_points) {
    points.insert(batch.signature);
    sizes.insert(batch.samples_per_rank());
  }
  std::set<trace::Signature> wanted = warmup_shapes(run, points, count);
  std::vector<PlannedBatch> found;
  trace::for_each_iteration(lengths, policy, rule,
                            [&](const trace::IterationRow& row, const batching::MicroBatch& micro_batch) {
                              if (!wanted.contains(row.signature)) return;
                              PlannedBatch batch = planned_batch(row, micro_batch);
                              if (!sizes.contains(batch.samples_per_rank())) return;
                              wanted.erase(row.signature);
                              found.push_back(std::move(batch));
                            });
  std::ranges::stable_sort(found, {}, [](const auto& batch) { return batch.signature.padded_tokens(); });
  return found;
}

void attach_warmup(Selection& selection, const trace::Trace& trace) {
  std::set<trace::Signature> points;
  for (const Point& point : selection.points) points.insert(point.signature);
  std::set<trace::Signature> wanted = warmup_shapes(selection.run, points, selection.points.size());
  selection.warmup.clear();
  for (std::size_t i = 0; i < trace.size() && !wanted.empty(); ++i)
    if (wanted.erase(trace.signatures[i]) > 0)
      selection.warmup.push_back({trace.signatures[i], trace.iteration_number(i), {}});
  std::ranges::stable_sort(selection.warmup, {}, [](const auto& shape) { return shape.signature.padded_tokens(); });
}

std::vector<PlannedBatch> warmup_batches(const Selection& selection) {
  std::vector<PlannedBatch> batches;
  for (const WarmupShape& shape : selection.warmup)
    batches.push_back(
        {.iteration = shape.iteration, .signature = shape.signature, .rows = shape.samples, .rank_ends = {}});
  return batches;
}

std::vector<PlannedBatch> preflight_batches(const lengths::Lengths& lengths, const batching::BatchPolicy& policy,
                                            const trace::SignatureRule& rule) {
  std::vector<Record> records;
  Size most{};
  trace::for_each_iteration(
      lengths, policy, rule, [&](const trace::IterationRow& row, const batching::MicroBatch& micro_batch) {
        const std::vector<Size> sizes = new_maxima(row, micro_batch, most);
        if (sizes.empty()) return;
        // At once: in a run that is sorted by length every iteration is a record.
        for (Record& record : records)
          std::erase_if(record.sizes, [&](const Size& size) {
            return std::ranges::any_of(sizes, [&](const Size& larger) { return covers(larger, size); });
          });
        std::erase_if(records, [](const Record& record) { return record.sizes.empty(); });
        records.push_back({planned_batch(row, micro_batch), sizes});
      });
  const auto largest = [](const Record& record) { return std::ranges::max(record.sizes); };
  std::ranges::stable_sort(records, std::ranges::greater{}, largest);
  std::vector<PlannedBatch> batches;
  for (Record& record : records) batches.push_back(std::move(record.batch));
  return batches;
}

}  // namespace seqpoint::select
