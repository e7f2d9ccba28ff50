/// \file
/// Projecting from points of one batch size to a run with other batch sizes.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/select/cost_model.hpp"

namespace seqpoint::project {

inline constexpr auto kOneBatchSize = "the points have one batch size, which does not show what another costs";

/// A run rescaled to the batch size of the model's runs, if they have only one: a batch is assumed to cost in
/// proportion to its size.
struct MeasuredBatches {
  std::optional<std::uint32_t> size;         ///< the measured batch size; nothing: nothing is rescaled
  std::vector<trace::ShapeCount> histogram;  ///< histogram of the run, with the measured size
  Eigen::VectorXd ratios;                    ///< by entry: its own batch size over the measured one; else 1
};
/// Rescales `run` if the model's runs have one batch size and at most ModelConstants::one_batch_size of the run's
/// iterations have that size; otherwise the histogram is unchanged.
MeasuredBatches at_measured_batch_size(const select::CostModel&, const trace::RunSummary& run);

}  // namespace seqpoint::project
