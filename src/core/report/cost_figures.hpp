/// \file
/// A metric against length, for every configuration.
#pragma once

#include "core/report/report.hpp"

namespace seqpoint::report {

/// The figure of one metric: per configuration the measured points, the fitted curve, and the iterations of the trace
/// with the same name, if there are any. A series with more than `most_cells` iterations is binned into about as many
/// cells. No series if nothing has the metric.
CostFigure cost_figure(const ReportSource&, LengthAxis, const std::string& metric, std::uint64_t most_cells);

/// Names of the metrics that are shown against length by default: those of the projection's points in their order; if
/// there are none, those of the traces.
std::vector<std::string> metrics_of(const ReportSource&);

}  // namespace seqpoint::report
