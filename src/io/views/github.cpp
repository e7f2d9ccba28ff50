// Results in a GitHub job: annotations and the job summary
// (docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands).
#include <fmt/core.h>

#include <algorithm>

#include "io/text/escape.hpp"
#include "io/views/ci.hpp"

namespace seqpoint::io::views {
namespace {

constexpr std::size_t kMaxAnnotations = 10;  ///< annotations of one level that GitHub shows per step

/// An annotation as one workflow command, with the line end.
std::string command(const Annotation& annotation) {
  std::string text = annotation.level == Annotation::Level::error ? "::error " : "::warning ";
  if (!annotation.file.empty()) text += fmt::format("file={},", text::workflow_property(annotation.file));
  return fmt::format("{}title=seqpoint::{}\n", text, text::workflow_data(annotation.message));
}

/// The annotations of one level. If there are more than GitHub shows, the last command counts the rest.
std::string commands_of(Annotation::Level level, std::span<const Annotation> annotations) {
  std::vector<Annotation> some;
  std::copy_if(annotations.begin(), annotations.end(), std::back_inserter(some),
               [&](const auto& a) { return a.level == level; });
  if (some.size() > kMaxAnnotations) {
    const std::size_t rest = some.size() - (kMaxAnnotations - 1);
    some.resize(kMaxAnnotations - 1);
    some.push_back({level, fmt::format("and {} more, in the log of this step", rest)});
  }
  std::string text;
  for (const Annotation& annotation : some) text += command(annotation);
  return text;
}

/// The verdict for a Markdown cell, bold if the check does not pass.
std::string verdict_word(const project::Check& check, bool inconclusive_fails) {
  const std::string_view word = check.verdict == project::Verdict::unmeasured  ? "not measured"
                                : check.verdict == project::Verdict::unmatched ? "not compared"
                                                                               : project::name_of(check.verdict);
  return project::passes(check, inconclusive_fails) ? std::string(word) : fmt::format("**{}**", word);
}

/// A Markdown table, one row per check; empty if there are none.
std::string checks_table(const project::Gates& gates) {
  if (gates.checks.empty()) return {};
  std::string text = "| gate | verdict | |\n|:---|:---|:---|\n";
  for (const project::Check& check : gates.checks)
    text += fmt::format("| {} | {} | {} |\n", project::name_of(check.gate),
                        verdict_word(check, gates.inconclusive_fails), text::markdown_cell(message_of(check)));
  return text + '\n';
}

/// The title with the verdict on the whole job; the title alone if there are neither checks nor failures. `fails`:
/// there are failures besides the checks.
std::string heading(const std::string& title, const project::Gates& gates, bool fails) {
  if (gates.checks.empty() && !fails) return title;
  const auto broken = std::ranges::count_if(
      gates.checks, [&](const project::Check& c) { return !project::passes(c, gates.inconclusive_fails); });
  if (broken > 0) return fmt::format("{}: {} of {} checks failed", title, broken, gates.checks.size());
  if (fails) return title + ": failed, without a result";
  const auto open =
      std::ranges::count_if(gates.checks, [](const project::Check& c) { return c.verdict != project::Verdict::pass; });
  if (open > 0) return fmt::format("{}: {} of {} checks undecided", title, open, gates.checks.size());
  return title + ": passed";
}

/// The text, or as many of its first lines as fit into `room` bytes with a note. Empty if there is no room for the
/// note.
std::string truncated_to(std::string text, std::size_t room) {
  const std::string truncated = "\n*Truncated: the job summary has no room for more.*\n";
  if (text.size() <= room) return text;
  if (room <= truncated.size()) return {};
  text.resize(room - truncated.size());
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
  return text + truncated;
}

}  // namespace

std::vector<Annotation> annotations_of(const project::Gates& gates) {
  std::vector<Annotation> annotations;
  for (const project::Check& check : gates.checks) {
    if (!project::passes(check, gates.inconclusive_fails))
      annotations.push_back({Annotation::Level::error, sentence_of(check)});
    else if (check.verdict != project::Verdict::pass)
      annotations.push_back({Annotation::Level::warning, sentence_of(check)});
  }
  return annotations;
}

std::string workflow_commands(std::span<const Annotation> annotations) {
  return commands_of(Annotation::Level::error, annotations) + commands_of(Annotation::Level::warning, annotations);
}

std::string job_summary(const std::string& title, const TextTable& table, const project::Gates& gates,
                        std::span<const std::string> failures, std::size_t room) {
  std::string text = fmt::format("### {}\n\n{}", heading(title, gates, !failures.empty()), checks_table(gates));
  for (const std::string& failure : failures) text += text::markdown_cell(failure) + "\n\n";
  return truncated_to(text + as_markdown(table) + '\n', room);
}

}  // namespace seqpoint::io::views
