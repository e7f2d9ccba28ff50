#include "core/project/batch_sizes.hpp"

namespace seqpoint::project {
namespace {

/// The share of a run's iterations whose batch size is `size`.
double share_of_batch_size(const trace::RunSummary& run, std::uint32_t size) {
  double iterations = 0;
  for (const auto& [shape, count] : run.histogram)
    if (shape.batch_size == size) iterations += static_cast<double>(count);
  return iterations / static_cast<double>(run.iterations);
}

}  // namespace

MeasuredBatches at_measured_batch_size(const select::CostModel& model, const trace::RunSummary& run) {
  std::optional<std::uint32_t> size = model.only_batch_size();
  // Short last batches do not count (ModelConstants::one_batch_size).
  if (size && share_of_batch_size(run, *size) > model.constants().one_batch_size) size.reset();
  MeasuredBatches batches{.size = size, .histogram = run.histogram, .ratios = {}};
  batches.ratios = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(run.histogram.size()));
  for (std::size_t g = 0; size && g < batches.histogram.size(); ++g) {
    std::uint32_t& batch_size = batches.histogram[g].shape.batch_size;
    batches.ratios[static_cast<Eigen::Index>(g)] = static_cast<double>(batch_size) / *size;
    batch_size = *size;
  }
  return batches;
}

}  // namespace seqpoint::project
