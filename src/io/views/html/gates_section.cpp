// Limits that the user set, and the results of their checks.
#include <fmt/core.h>

#include <algorithm>

#include "io/text/escape.hpp"
#include "io/views/ci.hpp"
#include "io/views/html/figure.hpp"
#include "io/views/html/overview.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html {
namespace {

constexpr std::size_t kMaxChecks = 24;  // the output file has all

/// Order by result: failed first, then undecided.
enum class Outcome { failed, undecided, holds };

/// The outcome of a check: failed if it does not pass, undecided if it passes with another verdict than `pass`.
Outcome outcome_of(const project::Check& check, bool inconclusive_fails) {
  if (!project::passes(check, inconclusive_fails)) return Outcome::failed;
  return check.verdict == project::Verdict::pass ? Outcome::holds : Outcome::undecided;
}

/// A word and a sign, because colour alone is not visible to all, nor in print.
const char* verdict_html(Outcome outcome) {
  switch (outcome) {
    case Outcome::failed: return "<li class=failed><b>✗ failed</b> ";
    case Outcome::undecided: return "<li><b>inconclusive</b> ";
    case Outcome::holds: break;
  }
  return "<li><b>✓ pass</b> ";
}

/// How to decide a check that did not pass; empty if it did, or there is no way.
std::string hint_html(const project::Check& check) {
  const std::string hint = check.verdict == project::Verdict::pass ? "" : hint_of(check);
  return hint.empty() ? "" : fmt::format("<p class=small>{}</p>", text::xml_text(hint));
}

}  // namespace

std::string gates_html(const report::Report& report) {
  const project::Gates* const gates = report.source.gates;
  if (gates == nullptr || gates->checks.empty()) return "";
  std::vector<std::pair<Outcome, const project::Check*>> checks;
  for (const project::Check& check : gates->checks)
    checks.emplace_back(outcome_of(check, gates->inconclusive_fails), &check);
  std::ranges::stable_sort(checks, {}, [](const auto& check) { return check.first; });
  const auto failed = static_cast<std::size_t>(
      std::ranges::count(checks, Outcome::failed, [](const auto& check) { return check.first; }));
  std::string html = failed == 0 ? "<div class=gates>\n"
                     : checks.size() == 1
                         ? "<div class=\"gates alarm\" role=alert>\n"
                         : fmt::format("<div class=\"gates alarm\" role=alert>\n<h2>✗ {} of {} {} not hold</h2>\n",
                                       failed, counted(checks.size(), "limit"), failed == 1 ? "does" : "do");
  html += "<ul aria-label=\"Limits\">\n";
  for (std::size_t i = 0; i < std::min(kMaxChecks, checks.size()); ++i)
    html += fmt::format("{}{}{}</li>\n", verdict_html(checks[i].first), text::xml_text(message_of(*checks[i].second)),
                        hint_html(*checks[i].second));
  html += "</ul>\n";
  if (checks.size() > kMaxChecks)
    html +=
        fmt::format("<p class=small>{}, of which {} failed.</p>\n", counted(checks.size() - kMaxChecks, "other limit"),
                    failed > kMaxChecks ? failed - kMaxChecks : 0);
  return html + "</div>\n";
}

}  // namespace seqpoint::io::views::html
