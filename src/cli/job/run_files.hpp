/// \file
/// The user's files under a job: what it changed for itself only, and what it really changed.
#pragma once

#include <string>
#include <vector>

#include "io/artifacts/run_record.hpp"
#include "io/process/hook_report.hpp"
#include "io/process/inventory.hpp"

namespace seqpoint::cli::job {

/// The old files and folders that stayed as they were although the job has changed or removed them, by their paths in
/// the working folder. What is in another of them is left out.
std::vector<std::string> kept_by(const io::process::HookReport&);
/// What the job, or another program meanwhile, has really changed: "history.db was changed".
std::vector<std::string> changes_by(const io::process::HookReport&, const io::process::Inventory& before);
/// At most three of them, and the number of the others.
std::string listed(std::vector<std::string> texts);
/// "best.pt and runs/exp1 stayed as they were; history.db was changed", of all starts. Empty if there is neither.
std::string files_text(const std::vector<io::artifacts::JobStart>&);

}  // namespace seqpoint::cli::job
