// The sentence about a check.
#include <fmt/core.h>

#include <cmath>

#include "io/views/ci.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views {
namespace {

/// "+6.20 %"; "-" is the number's own.
std::string change_text(double share) {
  if (std::isinf(share)) return share > 0 ? "any" : "-any";
  return (share > 0 ? "+" : "") + percent_text(share, 3);
}

std::string what_would_decide(const project::Check& check) {
  if (check.more_measurements)
    return fmt::format("about {} of these points would decide it",
                       counted(*check.more_measurements, "more measurement"));
  if (check.more_processes)
    return fmt::format("about {} of each would decide it", counted(*check.more_processes, "more process"));
  return "more measurements of these points would not decide it, more points might";
}

std::string decision_text(const project::Check& check) {
  if (check.verdict == project::Verdict::inconclusive && !check.interval)
    return ": inconclusive: the value is within, but no interval tells, as " + check.note;
  if (check.verdict == project::Verdict::inconclusive)
    return fmt::format(": inconclusive, {} lies inside the interval; {}",
                       *check.value > check.limit ? "no regression" : "the limit", what_would_decide(check));
  return check.note.empty() ? "" : "; decided on the value, without an interval: " + check.note;
}

std::string regression_text(const project::Check& check) {
  const std::string who = check.subject + (check.metric.empty() ? "" : ": " + check.metric);
  if (!check.value) return fmt::format("{} cannot be compared with {}: {}", who, check.reference, check.note);
  std::string text = fmt::format("{} {} against {}", who, change_text(*check.value), check.reference);
  if (check.interval)
    text += fmt::format(" ({} to {})", change_text(check.interval->low), change_text(check.interval->high));
  text += fmt::format(", --max-regression allows {}{}", change_text(check.limit), decision_text(check));
  if (check.detectable && check.verdict != project::Verdict::fail)
    text += fmt::format("; such measurements find regressions from {} up", change_text(*check.detectable));
  return text;
}

}  // namespace

std::string message_of(const project::Check& check) {
  switch (check.gate) {
    case project::Gate::max_regression: return regression_text(check);
    case project::Gate::require_coverage:
      return fmt::format("{}: coverage is {}, --require-weight asks for {}", check.subject,
                         percent_text(*check.value, 4), percent_text(check.limit, 4));
    case project::Gate::fail_above: break;
  }
  if (!check.value)
    return fmt::format("{}: no prediction of {}: {}; --fail-above allows {}", check.subject, check.configuration,
                       check.note, percent_text(check.limit, 3));
  return fmt::format("{}: error on {} {}, --fail-above allows {}", check.subject, check.configuration,
                     percent_text(*check.value, 3), percent_text(check.limit, 3));
}

}  // namespace seqpoint::io::views
