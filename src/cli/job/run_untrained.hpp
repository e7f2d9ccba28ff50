/// \file
/// Batches for which the job runs no training step: a `continue` for long ones, a training_step that returns None.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/project.hpp"

namespace seqpoint::cli::job {

/// The points of a build whose measured batches never had a backward pass, although those of other points had. Empty if
/// phases were not measured.
std::vector<const select::Point*> untrained_points(const commands::Projected&, const std::string& build);

/// Takes the tokens and samples of untrained points out of the build's throughput. Repeating it changes nothing.
void leave_out_untrained(commands::Projected&, project::ConfigurationProjection&);

/// "3 of 8 points, with lengths from 353 on, ran no training step: ..."; empty if all did.
std::string untrained_text(const commands::Projected&, const std::string& build);

}  // namespace seqpoint::cli::job
