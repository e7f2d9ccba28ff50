/// \file
/// Stage 6: iterations that were timed, instead of points that were chosen.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/forecast.hpp"
#include "seqpoint/project.hpp"

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

/// What one iteration of each of these signatures takes by the model, in seconds. `timed` has at least two points that
/// were measured, and at most 1000.
std::map<trace::Signature, double> predicted_seconds(const TimedRun&, const std::vector<trace::SignatureCount>& at);

/// The largest batches of these lengths, of at most `most` samples, that need no more than `limit` of the measured
/// metric, which grows with the batch. A point for each signature. Throws ParameterError where the measured batches
/// have one size, or do not tell how the metric grows.
std::vector<forecast::LargestBatch> largest_batches(const TimedRun&, std::span<const std::uint64_t> lengths,
                                                    double limit, std::uint64_t most);

}  // namespace seqpoint::project
