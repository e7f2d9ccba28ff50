/// \file
/// Measured totals of the whole run, compared with the projected ones.
#pragma once

#include "core/report/report.hpp"

namespace seqpoint::report {

/// The totals of configurations whose traces have them in every iteration; none if the projection is for another run.
std::vector<MeasuredTotal> measured_totals(const ReportSource&);

}  // namespace seqpoint::report
