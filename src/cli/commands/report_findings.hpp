/// \file
/// Warnings about times that are not what their columns claim, for every command that reads times.
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

/// Throws InputError if the finding makes figures wrong, and the user has not named the column.
void require_not_refused(const Finding&, bool named);

/// Throws as require_not_refused(), and InputError if one is severe and the option `gate` would depend on it; empty: no
/// option does.
void warn_of(const std::vector<Finding>&, Console&, std::string_view gate = {}, bool named = false);

/// Warns about the times of a measured run. `times` may be null: there are none. Throws as warn_of().
void report_findings(const trace::Trace&, const trace::Statistic* times, const std::string& source, Console&,
                     bool named = false);

/// Warns if no length of a calibration occurs in the run that it is used for.
void report_other_lengths(const trace::Trace& calibration, const std::string& source, const trace::RunSummary&,
                          Console&);

/// Warns about the column of runs on several configurations: as above, about copies, and about times in apparently
/// another unit. Throws as warn_of().
void report_findings(std::span<const evaluate::NamedTrace>, const std::string& statistic, std::string_view gate,
                     Console&, bool named = false);

/// Warns about traces that were measured on configurations of a projection, and reports their totals. Throws UsageError
/// if a name is not a configuration's. `given`: names of traces as the user gave them, else empty.
void report_findings(std::span<const evaluate::NamedTrace>, std::span<const std::string> given,
                     const project::Projection&, Console&);

}  // namespace seqpoint::cli::commands
