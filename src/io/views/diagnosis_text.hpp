/// \file
/// The texts of a diagnosis, for people and programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/findings/diagnosis.hpp"

namespace seqpoint::io::views {

/// One sentence, prefixed by the configuration and by the file with its line, unless the text contains them or they are
/// empty.
std::string message_of(const Finding&);
/// What the user can do about the finding; empty: no advice.
std::string hint_of(const Finding&);
/// The finding as the problem of an error: its text, after the part of the place if there is one. The place is the
/// configuration if there is no file.
Problem problem_of(const Finding&);

/// A sentence for each problem that a diagnosis found.
std::vector<std::string> problems_of(const findings::Diagnosis&);

/// A part of the variance of an interval: its name, and its share.
struct VariancePart {
  std::string_view name;
  double share = 0;
};
/// Parts below this share are not shown.
inline constexpr double kLeastVariancePart = 0.005;
/// All parts, the largest first.
std::vector<VariancePart> variance_parts(const findings::Width&);

/// What to do next about the widest interval of a time, with its command; empty if no interval has a width.
std::string next_text(const findings::Diagnosis&, const std::string& seqpoints);

/// All of a diagnosis: problems first, then for each time its total, the advice and the parts of its interval's
/// variance. `seqpoints`: the path of the SeqPoints, for the commands in the advice.
std::string diagnosis_text(const findings::Diagnosis&, const std::string& seqpoints);

}  // namespace seqpoint::io::views
