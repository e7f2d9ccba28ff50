/// \file
/// Findings with one cause: a machine that changed its speed.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/findings.hpp"

namespace seqpoint::measuring {

/// Findings that a change of the machine's speed causes.
inline constexpr std::array kOfSpeed{findings::kDrift, findings::kSlowStart, findings::kWaiting,
                                     findings::kBusyWaiting};

/// "process 4", "processes 4, 5 and 6"; "the run" if there are no names.
std::string processes_text(const std::vector<std::string>& names);

}  // namespace seqpoint::measuring
