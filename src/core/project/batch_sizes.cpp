#include "core/project/batch_sizes.hpp"

#include <algorithm>

namespace seqpoint::project {
namespace {

/// Of the iterations of a run, the share that has batches of this size.
double share_of_batch_size(const trace::RunSummary& run, std::uint32_t size) {
  double iterations = 0;
  for (const auto& [signature, count] : run.histogram)
    if (signature.batch_size == size) iterations += static_cast<double>(count);
  return iterations / static_cast<double>(run.iterations);
}

}  // namespace

std::optional<std::uint32_t> only_batch_size(const trace::RunSummary& measured, const trace::RunSummary& other,
                                             const select::ModelConstants& constants) {
  if (measured.kind == trace::SignatureKind::varlen) return std::nullopt;
  std::uint32_t size = 0;
  for (const auto& [signature, count] : measured.histogram) size = std::max(size, signature.batch_size);
  if (share_of_batch_size(measured, size) <= constants.one_batch_size) return std::nullopt;
  if (share_of_batch_size(other, size) > constants.one_batch_size) return std::nullopt;
  return size;
}

}  // namespace seqpoint::project
