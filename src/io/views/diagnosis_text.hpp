/// \file
/// The texts of a diagnosis, for people and programs.
#pragma once

#include <string>
#include <vector>

#include "core/diagnose/diagnosis.hpp"

namespace seqpoint::io::views {

/// One sentence, prefixed by its subject and place unless the text contains them.
std::string message_of(const Finding&);
/// What the user can do about it; empty: no advice.
std::string hint_of(const Finding&);
/// The message for errors; the place is the configuration if there is no file.
Problem problem_of(const Finding&);

/// One sentence: what was found, where, how much.
std::string message_of(const checks::FoundFault&, const diagnose::Series&);

/// All of a diagnosis: problems first, then for each time the advice and the parts of its interval. `seqpoints`: the
/// file of the SeqPoints, for commands.
std::string diagnosis_text(const diagnose::Diagnosis&, const std::string& seqpoints);

}  // namespace seqpoint::io::views
