/// \file
/// What a run came to where it was measured in full, beside what was projected for it.
#pragma once

#include "core/report/report.hpp"

namespace seqpoint::report {

/// The totals of configurations whose traces have them in every iteration; none where the projection is of another run.
std::vector<MeasuredTotal> measured_totals(const ReportSource&);

}  // namespace seqpoint::report
