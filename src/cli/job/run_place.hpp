/// \file
/// Where a run takes place, compared with where it was begun.
#pragma once

#include <span>

#include "io/artifacts/run_record.hpp"

namespace seqpoint::cli::job {

/// The working folder, the variables that may decide times or what is run, without those that look like secrets, and
/// the paths of the builds' programs and of Python.
io::artifacts::RunPlace place_here(std::span<const io::artifacts::Build>);

/// Throws UsageError with both values if the places differ. `folder`: of the run.
void require_same_place(const io::artifacts::RunPlace& then, const io::artifacts::RunPlace& now,
                        const std::string& folder);

}  // namespace seqpoint::cli::job
