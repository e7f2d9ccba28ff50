/// \file
/// The stages between the starts of jobs, run as the commands of the same names: a user can continue a run by
/// hand.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/project.hpp"
#include "cli/commands/run.hpp"

namespace seqpoint::cli::commands {

/// `seqpoint select ORDER -o POINTS` with the request's options.
void select_points(const RunRequest&, const std::string& order, const std::string& points, Console&);
/// `seqpoint plan POINTS -o FOLDER`.
void plan_processes(const std::string& points, std::uint64_t processes, const std::string& folder, Console&);
/// `seqpoint project POINTS --profile NAME=FILE ...` up to the result, which is not written. The request's limit
/// applies if there are several builds. `confidence` replaces --confidence.
Projected project_profiles(const RunRequest&, const std::string& points, const Configurations&,
                           const std::vector<NamedFile>& truths, double confidence, Console&);

}  // namespace seqpoint::cli::commands
