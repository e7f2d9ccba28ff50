/// \file
/// A process of `run` by itself: what its own measurements say, and its test of them.
#pragma once

#include <optional>
#include <string>

#include "cli/commands/project.hpp"
#include "core/measuring/stretch.hpp"

namespace seqpoint::cli::job {

/// The result of one process.
struct ProcessResult {
  double epoch_s = 0;                           ///< by this process alone
  project::IntervalOrReason interval{};         ///< of `epoch_s`
  double batches_s = 0;                         ///< seconds of all of its batches, warm-up included
  std::optional<measuring::Stretch> stretch{};  ///< nothing: it ran none, or it has no time of every batch
};

/// The result of the process whose measurements are in the file `profile`, one of those that were projected.
/// `stretch`: the path of its stretch's batches; empty: there are none. Throws as compare_stretch(), and InputError.
ProcessResult result_of_process(const commands::Projected&, const std::string& build, const std::string& profile,
                                const std::string& stretch);

/// Throws InputError if a batch of a stretch has other lengths than the same batch of the order. Both are paths.
void require_lengths_of_order(const std::string& stretch, const std::string& order);

/// "54.2 s ± 9 %", without ± if it has no interval.
std::string estimate_text(const ProcessResult&);
/// "20 batches in a row: predicted 3.91 s, took 3.98 s".
std::string stretch_text(const measuring::Stretch&);

}  // namespace seqpoint::cli::job
