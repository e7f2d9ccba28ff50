/// \file
/// A diagnosis as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "seqpoint/diagnose/diagnosis.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views {

/// Sentences about a time of a configuration, of which the first says how wide its interval is and why.
std::vector<std::string> sentences_about(const diagnose::Series&, double confidence);
/// One sentence: what was found, where, how much.
std::string message_of(const diagnose::Finding&, const diagnose::Series&);
/// One sentence: how intervals did beside the truth.
std::string message_of(const diagnose::TruthRecord&, double confidence);
/// Whether an interval that is wrong so often says something.
bool is_problem(const diagnose::TruthRecord&);

/// All of it, a line each; `doubts`: whether measurements are what they are called; `seqpoints`: for commands.
std::string diagnosis_text(const diagnose::Diagnosis&, const std::vector<std::string>& doubts,
                           const std::string& seqpoints);
/// What was found, one a row.
TextTable diagnosis_table(const diagnose::Diagnosis&);
TextTable diagnosis_rows(const diagnose::Diagnosis&);

}  // namespace seqpoint::io::views
