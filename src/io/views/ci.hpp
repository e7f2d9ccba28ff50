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

/// A change as a share: "+6.2 %", "-1.5 %", "0 %"; "any" and "-any" for infinities.
std::string signed_percent(double share);
/// "; but REASON" if the verdict may not hold; else empty. message_of() has it for checks of regressions.
std::string doubt_text(const project::Check&);
/// One sentence: configuration, figure and limit; without a figure the reason why it is missing.
std::string message_of(const project::Check&);
/// message_of() after the verdict: "FAIL  v2 is 16 % slower than v1 (95 %: at least 8.7 %); limit 5 %". A check that is
/// unmeasured or unmatched has no verdict word.
std::string sentence_of(const project::Check&);
/// sentence_of() each check as a bold Markdown paragraph, to stand above a table; empty without checks.
std::string verdicts_markdown(const project::Gates&);
/// How to decide an inconclusive check, or which measurements an unmatched one or --require-weight needs, even if it
/// passed. Empty for other checks.
std::string hint_of(const project::Check&);

/// A projection with its checks as JUnit's XML: one case for every configuration, and one for every check. fail is a
/// failure, unmeasured an error; inconclusive is skipped, or a failure on request. A configuration with insufficient
/// measurements is a failure unless that is allowed. The figures are properties of the suite, whose name tells which
/// command wrote it.
std::string projection_junit(const std::string& suite_name, const project::Projection&, const project::Gates&,
                             bool allow_partial);
/// A projection that was not reached, as JUnit's XML: the case of the configuration that `failed` is an error with this
/// reason, those of others are skipped. If it is not known which, `failed` is empty, and all are errors.
std::string failed_junit(const std::string& suite_name, std::span<const std::string> configurations,
                         const std::string& failed, const std::string& reason);
/// An evaluation as JUnit's XML: one case for every method, which always passes, and one for every check. The
/// properties are the RMS errors in percent by method and configuration.
std::string evaluation_junit(const evaluate::Evaluation&, const project::Gates&);

/// One annotation of a GitHub job.
struct Annotation {
  /// The severities of GitHub.
  enum class Level { error, warning };
  Level level = Level::warning;  ///< severity
  std::string message;           ///< text
  std::string file = {};         ///< relative to the repository; empty: none
  std::string hint = {};         ///< a way out, which pages show; may be empty
};
/// An error for every check that does not pass, and a warning for every other check whose verdict is not `pass`, such
/// as an inconclusive one that is allowed.
std::vector<Annotation> annotations_of(const project::Gates&);
/// Workflow commands, one line each: errors, then warnings. GitHub shows ten per level and step, so of more than ten
/// the first nine are written and a tenth counts the rest.
std::string workflow_commands(std::span<const Annotation>);

/// Markdown for the job summary: the verdict, the checks if there are any, other failures of the job, and the table. At
/// most `room` bytes: lines that do not fit are left out, with a note. Empty if not even the note fits.
std::string job_summary(const std::string& title, const TextTable&, const project::Gates&,
                        std::span<const std::string> failures, std::size_t room);

}  // namespace seqpoint::io::views
