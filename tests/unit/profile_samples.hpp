/// \file
/// A small profile of every format, of our own making.
#pragma once

#include <string>
#include <vector>

namespace seqpoint::testing {

struct ProfileSample {
  std::string format, file, bytes;
  std::size_t steps = 0;
};
const std::vector<ProfileSample>& profile_samples();

/// Two processes that use the same correlation, one range, one operator in it.
const std::string& nsys_sample();
const std::string& rocpd_sample();
/// What makes it; the regions are those of the table r.
std::string rocpd_sql();

}  // namespace seqpoint::testing
