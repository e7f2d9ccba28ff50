/// \file
/// Warnings about times that are not what their columns claim, for every command that reads times.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.hpp"
#include "core/findings/rules.hpp"

namespace seqpoint::cli::commands {

/// Throws InputError if the finding is of a kind that makes figures wrong, unless the user named the column (`named`).
void require_not_refused(const Finding&, bool named);

/// Findings as warnings, at most three of a kind and file; the others are counted. Before that, throws as
/// require_not_refused(), and InputError if a finding is severe and `gate` is not empty: the option that depends on it.
void warn_of(const std::vector<Finding>&, Console&, std::string_view gate = {}, bool named = false);

/// Warns about the times of a measured run. `times` may be null: there are none. Throws as warn_of().
void report_findings(const trace::Trace&, const trace::Metric* times, const std::string& source, Console&,
                     bool named = false);

/// Warns if the range of a calibration's lengths does not overlap that of the run. Does nothing if their kinds differ.
void report_other_lengths(const trace::Trace& calibration, const std::string& source, const trace::RunSummary&,
                          Console&);

/// Warns about the column of runs on several configurations: as for one run, and about copies and times that are
/// apparently in another unit than the first run's. Does nothing if the column is not a time. Throws as warn_of().
void report_findings(std::span<const trace::NamedTrace>, const std::string& metric, std::string_view gate, Console&,
                     bool named = false);

}  // namespace seqpoint::cli::commands
