/// \file
/// A process of `run` by itself: what its own measurements say, and its test of them.
#pragma once

#include <optional>
#include <string>

#include "cli/commands/project.hpp"
#include "core/run/stretch.hpp"

namespace seqpoint::cli::commands {

/// The result of one process.
struct ProcessResult {
  project::MetricProjection epoch;                  ///< by this process alone
  double batches_s = 0;                             ///< seconds of all of its batches, warm-up included
  std::optional<seqpoint::run::Stretch> stretch{};  ///< nothing: it ran none, or it has no time of every batch
};

/// Projects the measurements of one process, and compares its stretch with them. `stretch`: the path of its batches;
/// empty: there are none. Throws as project_files().
ProcessResult result_of_process(ProjectRequest, const std::string& stretch, Console&);

/// "54.2 s ± 9 %", without ± if it has no interval.
std::string estimate_text(const project::MetricProjection&);
/// "20 batches in a row: predicted 3.91 s, took 3.98 s".
std::string stretch_text(const seqpoint::run::Stretch&);

}  // namespace seqpoint::cli::commands
