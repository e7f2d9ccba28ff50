/// \file
/// Options for reading profilers' outputs, shared by inspect and project.
#pragma once

#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/option_group.hpp"
#include "core/profile/measure.hpp"
#include "io/profiles/profile_formats.hpp"

namespace seqpoint::cli::options {

struct ProfileReading {
  std::string format;        ///< empty: guessed
  profile::NameRules rules;  ///< without the map until it is read
  std::string map;           ///< a file; empty: none
  std::uint64_t warmup = 0;  ///< steps or rows of every profile
  bool whole_runs = false;   ///< as of profile::match()
};
/// --format, --match, --map, --skip.
void add_profile_options(CLI::App&, ProfileReading&);

/// Reads the file of --map into the rules, if the option was given. Throws InputError.
void read_map(ProfileReading&, const Console&);

/// Reads profiles in order and prints messages about each.
std::vector<io::profiles::StepProfileFile> read_profiles(const std::vector<std::string>& paths, const ProfileReading&,
                                                         Console&);

}  // namespace seqpoint::cli::options
