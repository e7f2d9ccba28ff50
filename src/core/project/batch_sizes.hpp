/// \file
/// What one batch size tells of another: little.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/select/cost_model.hpp"

namespace seqpoint::project {

inline constexpr auto kOneBatchSize = "the points have one batch size, which does not show what another costs";

/// A run in batches of the size of the model's runs, where that is one: a batch is taken to cost in proportion to its
/// size.
struct MeasuredBatches {
  std::optional<std::uint32_t> size;             ///< that, where the run has others
  std::vector<trace::SignatureCount> histogram;  ///< of the run, with the measured size
  Eigen::VectorXd ratios;                        ///< by entry: its own batch size over that
};
MeasuredBatches at_measured_batch_size(const select::CostModel&, const trace::RunSummary& run);

}  // namespace seqpoint::project
