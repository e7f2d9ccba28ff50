/// \file
/// Results for continuous integration. The user's names are escaped as each format requires.
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
/// The same after its verdict: "FAIL  v2 vs v1: runtime_s +16 % (at least +8.7 %), limit +5 %".
std::string sentence_of(const project::Check&);
/// How to decide the check, or make it pass; empty: no advice.
std::string hint_of(const project::Check&);

/// A projection with its checks as JUnit's XML: one case for every configuration, and one for every check. fail is a
/// failure, unmeasured an error; inconclusive is skipped, or a failure on request. A configuration with insufficient
/// measurements is a failure unless that is allowed. The figures are properties of the suite, whose name tells which
/// command wrote it.
std::string projection_junit(const std::string& suite_name, const project::Projection&, const project::Gates&,
                             bool allow_partial);
/// The same for an evaluation, with a case for every method.
std::string evaluation_junit(const evaluate::Evaluation&, const project::Gates&);

/// One annotation of a GitHub job.
struct Annotation {
  /// The severities of GitHub.
  enum class Level { error, warning };
  Level level = Level::warning;  ///< severity
  std::string message;           ///< text
  std::string file = {};         ///< relative to the repository; empty: none
};
/// An annotation for every check that failed or is inconclusive.
std::vector<Annotation> annotations_of(const project::Gates&);
/// Workflow commands, one line each. GitHub shows ten per level and step, so if there are more, the last one counts the
/// rest.
std::string workflow_commands(std::span<const Annotation>);

/// Markdown for the job summary: the verdict, the checks if there are any, other failures of the job, and the table. At
/// most `room` bytes: lines that do not fit are left out, with a note.
std::string job_summary(const std::string& title, const TextTable&, const project::Gates&,
                        std::span<const std::string> failures, std::size_t room);

}  // namespace seqpoint::io::views
