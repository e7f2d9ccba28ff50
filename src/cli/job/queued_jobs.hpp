/// \file
/// Launchers of clusters in commands: those that only submit a job, which starts later, or elsewhere, and those that
/// place it on another machine.
#pragma once

#include <cstdint>
#include <span>

#include "io/artifacts/run_record.hpp"

namespace seqpoint::cli::job {

/// Throws UsageError, with the way that works, if one of the commands hands its job to a queue or a cluster and does
/// not wait for it. Sees the programs that a command or its shell text names, not those in scripts.
void require_waiting(std::span<const io::artifacts::Build>);

/// Throws UsageError, unless each command names a launcher that places its job on a machine of its own: the scheduler
/// of a cluster, or a program with a list of hosts. Processes that share a machine slow each other down.
void require_launchers(std::span<const io::artifacts::Build>, std::uint64_t parallel);

}  // namespace seqpoint::cli::job
