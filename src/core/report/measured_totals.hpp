/// \file
/// Measured totals of the whole run, compared with the projected ones.
#pragma once

#include "core/report/report.hpp"

namespace seqpoint::report {

/// The measured and projected totals of configurations whose trace of the same name has the metric in every iteration;
/// totals of 0 are left out. None without a projection, or if the projection is for another run.
std::vector<MeasuredTotal> measured_totals(const ReportSource&);

}  // namespace seqpoint::report
