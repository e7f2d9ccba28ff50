// Limits that the user set, and whether they hold.
#include <fmt/core.h>

#include <algorithm>

#include "io/text/escape.hpp"
#include "io/views/html/figure.hpp"
#include "io/views/html/overview.hpp"
#include "seqpoint/io/views/ci.hpp"

namespace seqpoint::io::views::html {
namespace {

constexpr std::size_t kMostChecks = 24;  // the artefact has all
constexpr std::size_t kMostAlarms = 5;   // the list of limits has more

/// A word and a sign: colour alone says nothing to some, nor in print.
const char* verdict_html(const project::Check& check, bool inconclusive_fails) {
  if (!project::passes(check, inconclusive_fails)) return "<li class=failed><b>✗ failed</b> ";
  return check.verdict == project::Verdict::holds ? "<li><b>✓ holds</b> " : "<li><b>? undecided</b> ";
}

/// Why a check does not pass.
std::string_view verdict_word(const project::Check& check) {
  switch (check.verdict) {
    case project::Verdict::unmeasured: return "not measured";
    case project::Verdict::unmatched: return "nothing to compare";
    case project::Verdict::inconclusive: return project::name_of(check.verdict);
    case project::Verdict::holds:
    case project::Verdict::broken: break;
  }
  return "failed";
}

/// Those that fail first, then those that nobody could decide.
int rank(const project::Check& check, bool inconclusive_fails) {
  if (!project::passes(check, inconclusive_fails)) return 0;
  return check.verdict == project::Verdict::holds ? 2 : 1;
}

}  // namespace

std::string alarm_html(const report::Report& report) {
  const project::Gates* const gates = report.source.gates;
  if (gates == nullptr) return "";
  std::string html;
  std::size_t failed = 0;
  for (const project::Check& check : gates->checks) {
    if (project::passes(check, gates->inconclusive_fails) || failed++ >= kMostAlarms) continue;
    html += fmt::format("<p><b>{}</b> {}</p>\n", verdict_word(check), text::xml_text(message_of(check)));
  }
  if (failed == 0) return "";
  if (failed > kMostAlarms) html += fmt::format("<p>and {} below</p>\n", count_text(failed - kMostAlarms, "other"));
  return fmt::format("<div class=alarm role=alert>\n<h2>✗ {} of {} {} not hold</h2>\n{}</div>\n", failed,
                     count_text(gates->checks.size(), "limit"), failed == 1 ? "does" : "do", html);
}

std::string gates_html(const report::Report& report) {
  const project::Gates* const gates = report.source.gates;
  if (gates == nullptr || gates->checks.empty()) return "";
  std::vector<project::Check> checks = gates->checks;
  std::stable_sort(checks.begin(), checks.end(), [&](const project::Check& a, const project::Check& b) {
    return rank(a, gates->inconclusive_fails) < rank(b, gates->inconclusive_fails);
  });
  std::string html = "<ul class=gates aria-label=\"Limits\">\n";
  for (std::size_t i = 0; i < std::min(kMostChecks, checks.size()); ++i)
    html += fmt::format("{}{}</li>\n", verdict_html(checks[i], gates->inconclusive_fails),
                        text::xml_text(message_of(checks[i])));
  html += "</ul>\n";
  const std::size_t failed = static_cast<std::size_t>(std::count_if(
      checks.begin(), checks.end(), [&](const project::Check& c) { return rank(c, gates->inconclusive_fails) == 0; }));
  if (checks.size() <= kMostChecks) return html;
  return fmt::format("{}<p class=small>{}, of which {} failed.</p>\n", html,
                     count_text(checks.size() - kMostChecks, "other limit"),
                     failed > kMostChecks ? failed - kMostChecks : 0);
}

}  // namespace seqpoint::io::views::html
