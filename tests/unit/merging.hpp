/// \file
/// Merges profiles of ranks where no test looks at the findings.
#pragma once

#include <string>
#include <vector>

#include "core/findings.hpp"
#include "core/profile/measure.hpp"

namespace seqpoint::testing {

/// Returns the notes of profile::merge_ranks().
template <class Profile>
std::vector<std::string> merge(std::vector<Profile>& profiles) {
  std::vector<Finding> found;
  return profile::merge_ranks(profiles, found);
}

}  // namespace seqpoint::testing
