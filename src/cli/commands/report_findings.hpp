/// \file
/// Times that are told not to be what they are called, in every command that reads some.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.hpp"
#include "core/checks/run_times.hpp"
#include "core/evaluate/evaluation.hpp"
#include "io/files.hpp"

namespace seqpoint::cli::commands {

/// Throws InputError where the finding makes figures wrong, and the user has not named the column.
void require_not_refused(const Finding&, bool named);

/// Throws as require_not_refused(), and InputError where one is severe and the option `gate` would depend on it; empty:
/// none does.
void warn_of(const std::vector<Finding>&, Console&, std::string_view gate = {}, bool named = false);

/// Warns of the times of a run that was measured. `times` may be null: there are none. Throws as warn_of().
void report_findings(const trace::Trace&, const trace::Statistic* times, const std::string& source, Console&,
                     bool named = false);

/// Warns where no length of a calibration is among those of the run that it is to be of.
void report_other_lengths(const trace::Trace& calibration, const std::string& source, const trace::RunSummary&,
                          Console&);

/// Warns of the column of runs on several configurations: as above, of copies, and of times in what looks like
/// another unit. Throws as warn_of().
void report_findings(std::span<const evaluate::NamedTrace>, const std::string& statistic, std::string_view gate,
                     Console&, bool named = false);

/// Warns of traces that were measured on configurations of a projection, and says what they add up to. Throws
/// UsageError where a name is that of no configuration. `given`: names of traces as the user gave them, empty where
/// not.
void report_findings(std::span<const evaluate::NamedTrace>, std::span<const std::string> given,
                     const project::Projection&, Console&);

}  // namespace seqpoint::cli::commands
