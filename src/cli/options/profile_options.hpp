/// \file
/// How profilers' outputs are read: the options that inspect and project share.
#pragma once

#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/option_rows.hpp"
#include "io/profiles/profile_formats.hpp"
#include "seqpoint/measure.hpp"

namespace seqpoint::cli::options {

struct ProfileReading {
  std::string format;        ///< empty: guessed
  profile::NameRules rules;  ///< without the map until that is read
  std::string map;           ///< a file; empty: none
  std::uint64_t warmup = 0;  ///< steps or rows of every profile
};
OptionRows profile_rows(ProfileReading&);

/// Reads the map, if there is one, into the rules. Throws InputError.
void read_map(ProfileReading&, const Console&);

/// Reads a profile and tells what there is to tell of it.
io::profiles::StepProfileFile read_profile(io::stream::Input, const ProfileReading&, Console&);
std::vector<io::profiles::StepProfileFile> read_profiles(const std::vector<std::string>& paths, const ProfileReading&,
                                                         Console&);

}  // namespace seqpoint::cli::options
