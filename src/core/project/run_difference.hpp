/// \file
/// What one run costs more than another of the same model (docs/method.md).
#pragma once

#include "core/project/run_estimator.hpp"

namespace seqpoint::project {

/// The projection of a run, from measurements that another run is projected from, too.
struct ProjectedRun {
  const RunEstimator& estimator;
  const RunEstimator::Fit& fit;  ///< of the estimator, of these measurements
};

/// What an epoch of `run` costs more than one of `less`. Both are of one selection. Both totals are
/// sums over the same measurements, so that what these are off by counts with the difference of its two weights.
Estimate difference_of(const ProjectedRun& run, const ProjectedRun& less, const MeasuredPoints&);

}  // namespace seqpoint::project
