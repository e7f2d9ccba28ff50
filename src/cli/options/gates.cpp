#include "cli/options/gates.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "cli/options/exports.hpp"
#include "io/stream/output.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// GitHub drops the summary of a step if it is larger than 1 MiB; this leaves room for other commands of the step.
constexpr std::size_t kSummaryRoom = 900 * 1024;

/// Appends the job summary to the file in GITHUB_STEP_SUMMARY, as far as kSummaryRoom allows. Warns if that is not set.
void append_summary(const CiReport& report, const project::Gates& gates, Console& console) {
  const char* const path = std::getenv("GITHUB_STEP_SUMMARY");
  if (path == nullptr || *path == '\0') {
    console.warn("--ci github: GITHUB_STEP_SUMMARY is not set, so there is no job summary",
                 "run it in a step of GitHub Actions");
    return;
  }
  std::error_code none;
  const auto there = std::filesystem::file_size(path, none);
  const std::size_t used = none ? 0 : static_cast<std::size_t>(there);
  io::stream::append_to_file(path, io::views::job_summary(report.title, report.table, gates, report.failures,
                                                          used < kSummaryRoom ? kSummaryRoom - used : 0));
}

/// Prints a check: a verdict by itself, and as an error or a warning why there is none. Passing checks of other limits
/// than regressions are too many to list.
void report(const project::Check& check, bool inconclusive_fails, Console& console) {
  const std::string text = io::views::sentence_of(check), hint = io::views::hint_of(check);
  const bool passes = project::passes(check, inconclusive_fails), is_pass = check.verdict == project::Verdict::pass;
  if (check.verdict == project::Verdict::unmeasured || check.verdict == project::Verdict::unmatched)
    return passes ? console.warn(text, hint) : console.error(text, hint);
  const Verbosity of_pass = check.gate == project::Gate::max_regression ? Verbosity::normal : Verbosity::verbose;
  console.verdict(text, is_pass ? "" : hint, !passes ? Verbosity::silent : is_pass ? of_pass : Verbosity::quiet);
}

}  // namespace

void add_ci(CLI::App& app, CiOptions& ci) {
  static constexpr std::array<Word<std::string_view>, 1> kServices{{{"github", "github"}}};
  OptionGroup(app).word("--ci", ci.provider, "NAME", kServices,
                        "also write annotations and a job summary for this service: github");
}

void report_ci(const CiOptions& ci, const CiReport& report, const project::Gates& gates, bool stdout_is_free,
               Console& console) {
  if (ci.provider.empty()) return;
  std::vector<io::views::Annotation> annotations = io::views::annotations_of(gates);
  for (const std::string& failure : report.failures)
    annotations.push_back({io::views::Annotation::Level::error, failure});
  annotations.insert(annotations.end(), report.warnings.begin(), report.warnings.end());
  const std::string commands = io::views::workflow_commands(annotations);
  write_text(stdout_is_free ? "-" : "/dev/stderr", commands);
  append_summary(report, gates, console);
}

Exit report_gates(const project::Gates& gates, Console& console) {
  for (const project::Check& check : gates.checks) report(check, gates.inconclusive_fails, console);
  return project::all_pass(gates) ? kDone : kGateFailed;
}

}  // namespace seqpoint::cli::options
