/// \file
/// A metric against length, for every configuration.
#pragma once

#include "core/report/report.hpp"

namespace seqpoint::report {

/// The figure of one metric: per configuration the measured points, the fitted curve, and the iterations of the trace
/// with the same name, if there are any. No series if nothing has the metric.
CostFigure cost_figure(const ReportSource&, LengthAxis, const std::string& metric);

/// The times of measured iterations in the order of each process, without warm-up, and those of the traces. A process
/// of many has means of as many in a row as leave about 500.
std::vector<OrderedBatch> batches_in_order(const ReportSource&);

/// Names of the metrics that are shown against length by default: those of the projection's points in their order; if
/// there are none, those of the traces.
std::vector<std::string> metrics_of(const ReportSource&);

}  // namespace seqpoint::report
