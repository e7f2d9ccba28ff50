/// \file
/// Artefacts of eta and evaluate, which are written and never read; and what `project` adds to its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/diagnose/diagnosis.hpp"
#include "core/eta/eta.hpp"
#include "core/evaluate/evaluation.hpp"
#include "core/evaluate/families.hpp"
#include "core/report/report.hpp"
#include "seqpoint/io/files.hpp"

namespace seqpoint::io::artifacts {

/// A projection as projection_json() has it, with totals that were measured and, unless null, an explanation.
std::string projection_json(const project::Projection&, const select::Selection&, const project::Gates&,
                            std::span<const report::MeasuredTotal>, const diagnose::Diagnosis*, const Provenance&);
/// The time left: JSON of the schema eta. `confidence`: of the interval.
std::string eta_json(const eta::TimeLeft&, double confidence, const Provenance&);
/// An evaluation with its checks: JSON of the schema evaluation.
std::string evaluation_json(const evaluate::Evaluation&, const project::Gates&, const Provenance&);
/// An evaluation by cost functions: JSON of the schema evaluation, too.
std::string families_json(const evaluate::FamiliesEvaluation&, const Provenance&);

}  // namespace seqpoint::io::artifacts
