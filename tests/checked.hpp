/// \file
/// Measurements of one configuration, checked as `project` does.
#pragma once

#include <span>

#include "core/checks/checks.hpp"
#include "core/diagnose/diagnosis.hpp"

namespace seqpoint::testing {

inline checks::Checked checked(const select::Selection& selection, const project::NamedMeasurements& named,
                               std::span<const profile::ProfileTable> tables,
                               checks::Depth depth = checks::Depth::findings) {
  const checks::Joined joined{.named = &named, .files = {}, .tables = tables, .of_files = {}};
  return checks::check({.selection = &selection, .configurations = std::span(&joined, 1)}, depth);
}

inline diagnose::Diagnosis diagnosed(const select::Selection& selection, const project::NamedMeasurements& named,
                                     std::span<const profile::ProfileTable> tables,
                                     const diagnose::DiagnoseParams& params = {}) {
  const checks::Joined joined{.named = &named, .files = {}, .tables = tables, .of_files = {}};
  const checks::JoinedFiles all{.selection = &selection, .configurations = std::span(&joined, 1)};
  const checks::Depth depth = params.limits ? checks::Depth::limits : checks::Depth::findings;
  return diagnose::diagnose(all, checks::check(all, depth), params);
}

}  // namespace seqpoint::testing
