/// \file
/// Stage 6: iterations that were timed, instead of points that were chosen.
#pragma once

#include <span>
#include <string>

#include "core/project/projection.hpp"

namespace seqpoint::project {

/// A run whose iterations were timed, or some of them, as a selection and its measurements. Every signature that was
/// timed is a point, whose measurements are its iterations.
struct TimedRun {
  select::Selection selection;  ///< its run is all iterations
  NamedMeasurements measured;   ///< of one metric: `runtime_s`, unless its maker gives it another name
};

/// Makes it of a run, not empty, and the seconds of its iterations, as many or fewer; NaN where one was not timed.
/// `name`: of the configuration.
TimedRun timed_run(const trace::Trace& run, std::span<const double> seconds, const std::string& name);

}  // namespace seqpoint::project
