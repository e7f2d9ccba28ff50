/// \file
/// The rows of the table of profile formats, one family per file. To add a format: its file here, its row in
/// ../formats.def, its tests and a seed for the fuzzer.
#pragma once

#include "io/artifacts/files.hpp"
#include "io/profiles/profile_formats.hpp"

namespace seqpoint::io::profiles::formats {

#define ROW(name) extern const ProfileReader name;
#include "io/profiles/formats.def"

/// A measurement shown as a step: the column runtime_s is the host time, every other metric a counter.
profile::ProfiledStep step_of(const profile::ProfileTable&, const profile::ProfileRow&);
/// Measurements as a table, and a profile without steps whose metrics are all but runtime_s.
StepProfileFile of_table(artifacts::ProfileFile);

}  // namespace seqpoint::io::profiles::formats
