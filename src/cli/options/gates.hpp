/// \file
/// Limits that the user sets: their options, and their reports to people and to continuous integration.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/exit.hpp"
#include "cli/options/option_group.hpp"
#include "core/enum_names.hpp"
#include "io/views/ci.hpp"

namespace seqpoint::cli::options {

/// Whether an undecided check fails, from --on-inconclusive.
inline constexpr std::array<Word<bool>, 2> kInconclusiveFails{{{"fail", true}, {"pass", false}}};

/// `--ci PROVIDER`
struct CiOptions {
  std::string provider;  ///< "github"; empty: none
};
void add_ci(CLI::App&, CiOptions&);

/// The output of a job: annotations of `gates` and of `warnings`, and the summary.
struct CiReport {
  std::string title;
  io::views::TextTable table;
  std::vector<io::views::Annotation> warnings;
  std::vector<std::string> failures = {};  ///< failures without a gate
};
/// Writes annotations and appends the job summary to the file in GITHUB_STEP_SUMMARY; warns if that is not set. Does
/// nothing without --ci. Annotations go to standard output, or to standard error if an export uses standard output: the
/// runner reads both.
void report_ci(const CiOptions&, const CiReport&, const project::Gates&, bool stdout_is_free, Console&);

/// Prints failed checks as errors, inconclusive ones that pass as warnings, passed ones as notes (regressions) or
/// details.
/// kDone if all pass, otherwise kGateFailed.
Exit report_gates(const project::Gates&, Console&);

}  // namespace seqpoint::cli::options
