/// \file
/// Stage 6: iterations that were timed, instead of points that were chosen.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/project/projection.hpp"

namespace seqpoint::project {

/// Iterations that were timed, as a selection and its measurements. Every signature that was timed is a point, whose
/// measurements are its iterations.
struct TimedRun {
  select::Selection selection;  ///< its run is the iterations that were timed
  NamedMeasurements measured;   ///< of the metric `runtime_s`
};

/// Makes it of a run's iterations at `positions`, at least one; `seconds` has one for each iteration of the run.
/// `name`: of the configuration.
TimedRun timed_run(const trace::Trace& run, std::span<const std::size_t> positions, std::span<const double> seconds,
                   const std::string& name);

/// What one iteration of each of these signatures takes by the model, in seconds. `timed` has at least two points, and
/// at most 1000.
std::map<trace::Signature, double> predicted_seconds(const TimedRun&, const std::vector<trace::SignatureCount>& at);

}  // namespace seqpoint::project
