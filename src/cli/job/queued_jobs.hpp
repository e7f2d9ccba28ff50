/// \file
/// Commands that only submit a job, which starts later, or elsewhere.
#pragma once

#include <span>

#include "io/artifacts/run_record.hpp"

namespace seqpoint::cli::job {

/// Throws UsageError, with the way that works, if one of the commands hands its job to a queue or a cluster and does
/// not wait for it. Sees the programs that a command or its shell text names, not those in scripts.
void require_waiting(std::span<const io::artifacts::Build>);

}  // namespace seqpoint::cli::job
