// Limits that the user set, and whether they hold.
#include <algorithm>

#include "io/text/escape.hpp"
#include "io/views/html/answer.hpp"
#include "io/views/html/figure.hpp"
#include "seqpoint/io/views/ci.hpp"

namespace seqpoint::html {
namespace {

constexpr std::size_t kMostChecks = 24;  // the artefact has all

/// A word and a sign: colour alone says nothing to some, nor in print.
const char* verdict_html(const Check& check, bool strict) {
  if (!passes(check, strict)) return "<li class=failed><b>✗ failed</b> ";
  return check.verdict == Verdict::holds ? "<li><b>✓ holds</b> " : "<li><b>? undecided</b> ";
}

/// Those that fail first, then those that nobody could decide.
int rank(const Check& check, bool strict) {
  if (!passes(check, strict)) return 0;
  return check.verdict == Verdict::holds ? 2 : 1;
}

}  // namespace

std::string gates_html(const Report& report) {
  const Gates* const gates = report.source.gates;
  if (gates == nullptr || gates->checks.empty()) return "";
  std::vector<Check> checks = gates->checks;
  std::stable_sort(checks.begin(), checks.end(), [&](const Check& a, const Check& b) { return rank(a, gates->strict) < rank(b, gates->strict); });
  std::string html = "<ul class=gates aria-label=\"Limits\">\n";
  for (std::size_t i = 0; i < std::min(kMostChecks, checks.size()); ++i)
    html += verdict_html(checks[i], gates->strict) + xml_text(message_of(checks[i])) + "</li>\n";
  html += "</ul>\n";
  const std::size_t failed = static_cast<std::size_t>(std::count_if(checks.begin(), checks.end(), [&](const Check& c) { return rank(c, gates->strict) == 0; }));
  if (checks.size() <= kMostChecks) return html;
  return html + "<p class=small>" + count_text(checks.size() - kMostChecks, "other limit") + ", of which " +
         std::to_string(failed > kMostChecks ? failed - kMostChecks : 0) + " failed.</p>\n";
}

}  // namespace seqpoint::html
