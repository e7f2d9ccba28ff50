/// \file
/// What one batch size tells of another: nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "seqpoint/select/model.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::project {

inline constexpr auto kOneBatchSize = "the points have one batch size, which does not tell what another costs";

/// The batch size of the measured run, if it has one and the other run has others; nothing else. Short last batches do
/// not count (ModelConstants::one_batch_size), and without padding nothing does: costs there depend on tokens alone.
std::optional<std::uint32_t> only_batch_size(const trace::RunSummary& measured, const trace::RunSummary& other,
                                             const select::ModelConstants&);

}  // namespace seqpoint::project
