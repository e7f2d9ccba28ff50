/// \file
/// Artefacts of diagnose, eta and evaluate, which are written and never read.
#pragma once

#include <string>
#include <vector>

#include "core/diagnose/diagnosis.hpp"
#include "core/eta/eta.hpp"
#include "core/evaluate/evaluation.hpp"
#include "core/evaluate/families.hpp"
#include "seqpoint/io/files.hpp"

namespace seqpoint::io::artifacts {

/// The time left: JSON of the schema eta. `confidence`: of the interval.
std::string eta_json(const eta::TimeLeft&, double confidence, const Provenance&);
/// A diagnosis: JSON of the schema diagnosis.
std::string diagnosis_json(const diagnose::Diagnosis&, const select::Selection&, const Provenance&);
/// An evaluation with its checks: JSON of the schema evaluation.
std::string evaluation_json(const evaluate::Evaluation&, const project::Gates&, const Provenance&);
/// An evaluation by cost functions: JSON of the schema evaluation, too.
std::string families_json(const evaluate::FamiliesEvaluation&, const Provenance&);

}  // namespace seqpoint::io::artifacts
