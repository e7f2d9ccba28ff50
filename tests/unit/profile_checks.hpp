/// \file
/// What tests ask of a profile that was read.
#pragma once

#include <cmath>
#include <string>

#include "seqpoint/error.hpp"
#include "unit/read_profile.hpp"

namespace seqpoint::testing {

/// Of a step; NaN where there is no such metric.
inline double metric(const profile::StepProfile& profile, std::size_t step, const std::string& name) {
  for (std::size_t m = 0; m < profile.metrics.size(); ++m)
    if (profile.metrics[m] == name) return profile.steps.at(step).values[m];
  return std::nan("");
}

/// What the reader says that it will not read; empty where it reads it.
inline std::string problem_of(const std::string& name, const std::string& text, const std::string& format = {}) {
  try {
    read_profile_file(name, text, nullptr, format);
  } catch (const InputError& error) {
    return error.problems().front().message();
  }
  return {};
}
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace seqpoint::testing
