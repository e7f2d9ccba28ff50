/// \file
/// The break-down of a run's epoch by operations, from the traces that its processes left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/job/run.hpp"
#include "cli/job/run_folder.hpp"
#include "core/project/projection.hpp"

namespace seqpoint::cli::job {

/// The folder of the traces, in that of the run.
inline constexpr auto kTraces = "traces";

/// A build with the names of its processes' profiles: "old-1.csv".
struct TracedBuild {
  std::string name;
  std::vector<std::string> profiles;
};

/// Moves the traces of a process, those of all ranks, from the unfinished ones to `traces/`, and records their digests.
void keep_traces(RunFolder&, const std::string& profile);

/// The break-down of all builds, with differences between them, from the traces of rank 0. `points`: a path. `whole`:
/// the projection of the builds. Warns, and returns nothing, if the traces show no such operations.
std::optional<project::Breakdown> breakdown_of(const RunRequest&, RunFolder&, const std::string& points,
                                               const std::vector<TracedBuild>&, const project::Projection& whole,
                                               Console&);

/// A line for each of the operations that make the largest differences; empty if there are none.
std::string operations_text(const project::Breakdown&);

}  // namespace seqpoint::cli::job
