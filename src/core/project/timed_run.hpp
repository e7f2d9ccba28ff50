/// \file
/// Stage 6: iterations that were timed, instead of points that were chosen.
#pragma once

#include <span>
#include <string>

#include "core/project/projection.hpp"

namespace seqpoint::project {

/// A run with timed iterations, as a selection and its measurements. Every timed shape is a point, whose measurements
/// are its iterations.
struct TimedRun {
  select::Selection selection;  ///< its run is all iterations
  NamedMeasurements measured;   ///< measurements of one metric: `runtime_s`, unless the caller renames it
};

/// Makes a TimedRun from a non-empty run and the seconds of its iterations in order; NaN if one was not timed, fewer
/// values if the last ones were not. Points are numbered "0", "1", ... in the order of the histogram; a point's weight
/// is the number of all iterations of its shape. `name`: of the configuration.
TimedRun timed_run(const trace::Trace& run, std::span<const double> seconds, const std::string& name);

}  // namespace seqpoint::project
