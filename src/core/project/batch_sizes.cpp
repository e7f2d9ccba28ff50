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

/// The batch size of the measured run, if it has one and the other run has others; nothing else. Short last batches do
/// not count (ModelConstants::one_batch_size), and without padding nothing does: costs there depend on tokens alone.
std::optional<std::uint32_t> only_batch_size(const trace::RunSummary& measured, const trace::RunSummary& other,
                                             const select::ModelConstants& constants) {
  if (measured.kind == trace::SignatureKind::varlen) return std::nullopt;
  std::uint32_t size = 0;
  for (const auto& [signature, count] : measured.histogram) size = std::max(size, signature.batch_size);
  if (share_of_batch_size(measured, size) <= constants.one_batch_size) return std::nullopt;
  if (share_of_batch_size(other, size) > constants.one_batch_size) return std::nullopt;
  return size;
}

}  // namespace

MeasuredBatches at_measured_batch_size(const trace::RunSummary& measured, const trace::RunSummary& other,
                                       const select::ModelConstants& constants) {
  const std::optional<std::uint32_t> size = only_batch_size(measured, other, constants);
  MeasuredBatches batches{.size = size, .histogram = other.histogram, .ratios = {}};
  batches.ratios = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(other.histogram.size()));
  for (std::size_t g = 0; size && g < batches.histogram.size(); ++g) {
    std::uint32_t& batch_size = batches.histogram[g].signature.batch_size;
    batches.ratios[static_cast<Eigen::Index>(g)] = static_cast<double>(batch_size) / *size;
    batch_size = *size;
  }
  return batches;
}

}  // namespace seqpoint::project
