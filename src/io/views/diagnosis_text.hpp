/// \file
/// A diagnosis as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "core/diagnose/diagnosis.hpp"

namespace seqpoint::io::views {

/// One sentence, with what it is of and its place: what the text of the kind does not name itself stands before it.
std::string message_of(const Finding&);
/// What the user can do about it; empty: nothing in particular.
std::string hint_of(const Finding&);
/// The message for errors, whose place is the configuration where there is no file.
Problem problem_of(const Finding&);

/// One sentence: what was found, where, how much.
std::string message_of(const checks::FoundFault&, const diagnose::Series&);

/// All of a diagnosis: problems first, then for each time the advice and the parts of its interval. `seqpoints`: the
/// file of the SeqPoints, for commands.
std::string diagnosis_text(const diagnose::Diagnosis&, const std::string& seqpoints);

}  // namespace seqpoint::io::views
