/// \file
/// Where a run takes place, compared with where it was begun.
#pragma once

#include <span>

#include "io/artifacts/run_record.hpp"

namespace seqpoint::cli::job {

/// The working folder, the variables that may decide times or what is run, and the paths of the builds' programs and of
/// Python. Values of variables that are not known to be plain are digests; those that look like secrets are left out.
io::artifacts::RunPlace place_here(std::span<const io::artifacts::Build>);

/// Throws UsageError with the values that are stored if the places differ. `folder`: of the run.
void require_same_place(const io::artifacts::RunPlace& then, const io::artifacts::RunPlace& now,
                        const std::string& folder);

}  // namespace seqpoint::cli::job
