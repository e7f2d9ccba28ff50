/// \file
/// Measurements of one configuration, checked as `project` does.
#pragma once

#include <span>
#include <vector>

#include "core/findings/checks.hpp"
#include "core/findings/diagnosis.hpp"

namespace seqpoint::testing {

inline std::vector<Finding> checked(const select::Selection& selection, const project::NamedMeasurements& named,
                                    std::span<const profile::ProfileTable> tables) {
  const findings::Joined joined{.named = &named, .files = {}, .tables = tables, .of_files = {}};
  return findings::check({.selection = &selection, .configurations = std::span(&joined, 1)});
}

inline findings::Diagnosis diagnosed(const select::Selection& selection, const project::NamedMeasurements& named,
                                     std::span<const profile::ProfileTable> tables,
                                     const findings::DiagnoseParams& params = {}) {
  return findings::diagnose(selection, std::span(&named, 1), checked(selection, named, tables), params);
}

}  // namespace seqpoint::testing
