/// \file
/// Where the time goes, and where a difference lies, for people and for programs.
#pragma once

#include <string>

#include "core/project/projection.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// "+3.6 % backward (+2.9 % to +4.3 %), +1.4 % forward (+1.0 % to +1.8 %)": the phases that make the difference to the
/// baseline, as shares of its time. Empty if there are none.
std::string where_text(const project::ConfigurationProjection&);
/// As where_text(); else that no phase differs, or that more rounds are needed. Empty if there are no phases.
std::string where_or_nowhere(const project::ConfigurationProjection&);
/// "+14 % in batches longer than 512 (35 % of the time), +0.2 % in the others"; empty unless a range
/// of lengths differs from the others.
std::string by_length_text(const project::ConfigurationProjection&);

/// "+3.6 %"; never "-0.0 %".
std::string signed_tenth_percent(double share);
/// The difference of a phase to the baseline; null if there is none.
const project::PhaseDifference* find_difference(const project::ConfigurationProjection&, const project::Phase&);
/// "longer than 512", "from 129 to 512", "up to 128": whole lengths.
std::string lengths_text(const project::RangeDifference&);

/// The phases of each configuration, for people; only the header if there are none.
TextTable phases_table(const project::Projection&);
/// The ranges of lengths of each configuration beside the baseline, for people; only the header if no range
/// differs from the others.
TextTable by_length_table(const project::Projection&);
/// Adds the phases to the table of projection_rows(), one row per configuration and phase, in seconds: the metric of a
/// row is "phase:backward_s".
void append_phase_rows(DataTable& projection, const project::Projection&);

}  // namespace seqpoint::io::views
