// The sentence about a check.
#include <fmt/core.h>

#include <cmath>

#include "io/views/ci.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views {

std::string signed_percent(double share) {
  if (std::isinf(share)) return share > 0 ? "any" : "-any";
  return (share > 0 ? "+" : "") + percent_text(share, 2);
}

namespace {

/// The bound that decides the verdict: "at most" the upper one-sided bound if the check passed, "at least" the lower
/// one if it failed. Else both one-sided bounds, or the interval if there are none. Requires an interval.
std::string range_of(const project::Check& check) {
  const project::Interval& bounds = check.bounds ? *check.bounds : *check.interval;
  if (check.bounds && check.verdict == project::Verdict::pass) return "at most " + signed_percent(bounds.high);
  if (check.bounds && check.verdict == project::Verdict::fail)
    return fmt::format("at least {} for certain", signed_percent(bounds.low));
  return fmt::format("{} to {}", signed_percent(bounds.low), signed_percent(bounds.high));
}

/// "v2 vs v1: runtime_s +16 % (at least +8.7 % for certain), limit +5 %"; without a figure or an interval the
/// reason for that.
std::string regression_text(const project::Check& check) {
  const std::string who = check.subject + " vs " + check.reference + (check.metric.empty() ? "" : ": " + check.metric);
  if (!check.value) return fmt::format("{} cannot be compared: {}", who, check.note);
  std::string text = fmt::format("{} {}", who, signed_percent(*check.value));
  if (check.interval) text += fmt::format(" ({})", range_of(check));
  text += fmt::format(", limit {}", signed_percent(check.limit));
  if (!check.interval && !check.note.empty()) text += "; no interval: " + check.note;
  if (!check.where.empty()) text += "; where: " + check.where;
  return text + doubt_text(check);
}

/// What would decide an inconclusive check; empty if that is not known.
std::string remedy_of(const project::Check& check) {
  if (!check.interval) return "a verdict needs an interval: measure the same two points or more on both sides";
  if (check.more_processes)
    return fmt::format("about {} of each build would decide it, if the figure stays",
                       counted(*check.more_processes, "more process"));
  if (!check.widest) return "";
  switch (*check.widest) {
    case project::WidestPart::processes:
      return "a machine on which processes differ less would decide it, or a larger limit";
    case project::WidestPart::points: return "more points might decide it; more processes would not";
    case project::WidestPart::reference: break;
  }
  return "most of the uncertainty is the reference's: measure it in more processes, too";
}

}  // namespace

std::string doubt_text(const project::Check& check) { return check.doubt.empty() ? "" : "; but " + check.doubt; }

std::string message_of(const project::Check& check) {
  switch (check.gate) {
    case project::Gate::max_regression: return regression_text(check);
    case project::Gate::require_weight:
      return fmt::format("{}: measured weight is {}, --require-weight asks for {}", check.subject,
                         percent_text(*check.value, 4), percent_text(check.limit, 4));
    case project::Gate::fail_above: break;
  }
  if (!check.value)
    return fmt::format("{}: no prediction of {}: {}; --fail-above allows {}", check.subject, check.configuration,
                       check.note, percent_text(check.limit, 3));
  return fmt::format("{}: error on {} {}, --fail-above allows {}", check.subject, check.configuration,
                     percent_text(*check.value, 3), percent_text(check.limit, 3));
}

std::string sentence_of(const project::Check& check) {
  const std::string_view verdict = check.verdict == project::Verdict::fail           ? "FAIL  "
                                   : check.verdict == project::Verdict::pass         ? "PASS  "
                                   : check.verdict == project::Verdict::inconclusive ? "INCONCLUSIVE  "
                                                                                     : "";
  return std::string(verdict) + message_of(check);
}

std::string hint_of(const project::Check& check) {
  if (check.gate == project::Gate::require_weight) return "measure the missing points";
  if (check.verdict == project::Verdict::unmatched) return "measure the same metrics and points on both sides";
  if (check.verdict != project::Verdict::inconclusive) return "";
  std::string hint = remedy_of(check);
  if (check.detectable)
    hint += fmt::format("{}the smallest slowdown to be found is {}", hint.empty() ? "" : "; ",
                        signed_percent(*check.detectable));
  return hint;
}

}  // namespace seqpoint::io::views
