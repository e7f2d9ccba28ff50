/// \file
/// Measurements of one configuration, checked as `project` does.
#pragma once

#include <span>
#include <vector>

#include "core/checks/checks.hpp"
#include "core/diagnose/diagnosis.hpp"

namespace seqpoint::testing {

inline std::vector<Finding> checked(const select::Selection& selection, const project::NamedMeasurements& named,
                                    std::span<const profile::ProfileTable> tables) {
  const checks::Joined joined{.named = &named, .files = {}, .tables = tables, .of_files = {}};
  return checks::check({.selection = &selection, .configurations = std::span(&joined, 1)});
}

inline diagnose::Diagnosis diagnosed(const select::Selection& selection, const project::NamedMeasurements& named,
                                     std::span<const profile::ProfileTable> tables,
                                     const diagnose::DiagnoseParams& params = {}) {
  return diagnose::diagnose(selection, std::span(&named, 1), checked(selection, named, tables), params);
}

}  // namespace seqpoint::testing
