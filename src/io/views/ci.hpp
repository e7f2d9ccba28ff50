/// \file
/// Findings as continuous integration reads them. Names of the user's are escaped as each format asks for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/evaluate/evaluation.hpp"
#include "core/project/projection.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// One sentence: configuration, figure and limit.
std::string message_of(const project::Check&);
/// What would decide the check, or make it pass; empty: nothing in particular.
std::string hint_of(const project::Check&);

/// A projection with its checks as JUnit's XML: a case for every configuration that there is, and one for every check.
/// Broken is a failure, unmeasured an error; what could not be decided is skipped, or a failure where that is asked
/// for. A configuration of which too little was measured is a failure unless that is allowed. The figures are
/// properties of the suite.
std::string projection_junit(const project::Projection&, const project::Gates&, bool allow_partial);
/// The same of an evaluation, with a case for every method.
std::string evaluation_junit(const evaluate::Evaluation&, const project::Gates&);

/// One annotation of a GitHub job.
struct Annotation {
  /// How GitHub shows it.
  enum class Level { error, warning };
  Level level = Level::warning;  ///< how it is shown
  std::string message;           ///< what it says
  std::string file = {};         ///< as seen from the repository; empty: none
};
/// An annotation for every check that failed or could not be decided.
std::vector<Annotation> annotations_of(const project::Gates&);
/// Workflow commands, a line each. GitHub shows ten of a level and step, so of more than ten the last only counts the
/// rest.
std::string workflow_commands(std::span<const Annotation>);

/// Markdown for the job summary: the verdict, the checks if there are any, what else fails the job, and the table. At
/// most `room` bytes: lines that do not fit are left out, and that is said.
std::string job_summary(const std::string& title, const TextTable&, const project::Gates&,
                        std::span<const std::string> failures, std::size_t room);

}  // namespace seqpoint::io::views
