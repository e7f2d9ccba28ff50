/// \file
/// Output files of evaluate, which are never read; and the additions of `project` to its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/evaluate/evaluation.hpp"
#include "core/findings/diagnosis.hpp"
#include "core/report/report.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::artifacts {

/// Points that were chosen elsewhere, as the run's shapes: JSON with a list `points` of objects, each with a `weight`
/// in iterations and either an `iteration` of the run or a shape (`src_len`, `batch_size`, ...). Weights of equal
/// shapes are added. Throws InputError, at the point, for an iteration or shape that the run lacks, and if the weights
/// do not add up to its iterations.
std::vector<select::Choice> read_choices(stream::Input&, const trace::Trace& run);

/// A projection with its checks, measured totals and, unless null, an explanation: JSON of the schema projection.
/// `contradictions`: what a job did or is, where that differs from what the projection assumes.
std::string projection_json(const project::Projection&, const select::Selection&, const project::Gates&,
                            std::span<const report::MeasuredTotal>, const findings::Diagnosis*, const Provenance&,
                            const std::vector<std::string>& contradictions = {});
/// An evaluation with its checks: JSON of the schema evaluation.
std::string evaluation_json(const evaluate::Evaluation&, const project::Gates&, const Provenance&);

}  // namespace seqpoint::io::artifacts
