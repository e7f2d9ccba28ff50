/// \file The texts of a diagnosis, for people and programs.
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

/// Sentences about a time of a configuration; the first gives the width of its interval and the reason.
std::vector<std::string> sentences_about(const diagnose::Series&, double confidence);
/// One sentence: the fault, its place and size.
std::string message_of(const checks::FoundFault&, const diagnose::Series&);

/// All of a diagnosis, one line each; `seqpoints`: the file of the SeqPoints, for commands.
std::string diagnosis_text(const diagnose::Diagnosis&, const std::string& seqpoints);

}  // namespace seqpoint::io::views
