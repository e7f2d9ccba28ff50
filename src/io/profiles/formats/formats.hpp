/// \file
/// The rows of the table of profile formats, one family per file. To add a format: its file here, its row in
/// ../formats.def, its tests and a seed for the fuzzer.
#pragma once

#include "io/profiles/profile_formats.hpp"

namespace seqpoint::io::profiles::formats {

#define ROW(name) extern const ProfileReader name;
#include "io/profiles/formats.def"

/// Measurements shown as steps: a time in seconds is a host time, everything else a counter.
profile::StepProfile steps_of(const profile::ProfileTable&);

}  // namespace seqpoint::io::profiles::formats
