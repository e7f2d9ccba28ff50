/// \file
/// How profilers' outputs are read: the options that inspect and project share.
#pragma once

#include <string>
#include <vector>

#include "cli/console.hpp"
#include "seqpoint/io/profiles.hpp"
#include "cli/options/shared_options.hpp"

namespace seqpoint::cli {

struct ProfileOptions {
  std::string format, match, map;
  std::uint64_t warmup = 0;
};

void add_profile_options(CLI::App&, ProfileOptions&);

/// What the options say of steps' names. Reads the map. Throws UsageError and InputError.
NameRules name_rules(const ProfileOptions&, const Console&);

/// Reads profiles and tells what there is to tell of them.
std::vector<StepProfileFile> read_profiles(const std::vector<std::string>& paths, const ProfileOptions&, const NameRules&, Console&);

}  // namespace seqpoint::cli
