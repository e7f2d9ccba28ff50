// The batches that would run out of memory first: records of the run that no other record covers.
#include <algorithm>
#include <array>

#include "seqpoint/select/plan.hpp"

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

}  // namespace

std::vector<PlannedBatch> preflight_batches(const lengths::Lengths& lengths, const batching::BatchPolicy& policy,
                                            const trace::SignatureRule& rule) {
  std::vector<Record> records;
  Size most{};
  const trace::SignatureKind kind = trace::kind_of(rule.layout, lengths.paired());
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
        records.push_back({planned_batch(kind, row, micro_batch), sizes});
      });
  const auto largest = [](const Record& record) { return std::ranges::max(record.sizes); };
  std::ranges::stable_sort(records, std::ranges::greater{}, largest);
  std::vector<PlannedBatch> batches;
  for (Record& record : records) batches.push_back(std::move(record.batch));
  return batches;
}

}  // namespace seqpoint::select
