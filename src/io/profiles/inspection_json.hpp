/// \file
/// The output file of an inspection.
#pragma once

#include <span>
#include <string>

#include "io/artifacts/files.hpp"
#include "io/profiles/profile_formats.hpp"

namespace seqpoint::io::profiles {

/// The profiles' steps as JSON of the schema profile. Facts are sums over all files; a step names its file if there are
/// several.
std::string inspection_json(std::span<const StepProfileFile> files, const artifacts::Provenance&);

}  // namespace seqpoint::io::profiles
