// The sentence about a check.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/text/escape.hpp"
#include "io/views/amounts.hpp"
#include "io/views/ci.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views {

std::string signed_percent(double share) {
  if (std::isinf(share)) return share > 0 ? "any" : "-any";
  return (share > 0 ? "+" : "") + percent_text(share, 2);
}

namespace {

/// The decimals of percentages of a check: two digits of half its interval. Nothing without one.
std::optional<int> decimals_within(const project::Check& check) {
  if (!check.interval || !std::isfinite(check.interval->high - check.interval->low)) return {};
  return io::views::decimals_of(0, project::Interval{100 * check.interval->low, 100 * check.interval->high}, 2);
}

/// A share as a percentage with two digits, and not more decimals than that.
std::string percent_within(double share, const std::optional<int>& decimals) {
  const int own = io::views::decimals_of(100 * share, project::IntervalOrReason{}, 2);
  if (!decimals || own <= *decimals) return percent_text(share, 2);
  return with_decimals(100 * share, *decimals) + " %";
}

/// "17 % slower", "15 % faster"; of another metric than a time "17 % more".
std::string change_text(const project::Check& check, double share) {
  const std::string percent = std::isinf(share) ? "any" : percent_within(std::abs(share), decimals_within(check));
  if (!trace::is_time_metric(check.metric)) return percent + (share < 0 ? " less" : " more");
  return percent + (share < 0 ? " faster" : " slower");
}

/// "b is 17 % slower than a"; of another metric than runtime_s "b is 17 % slower than a in cpu_s", "b has 17 % more
/// bytes than a".
std::string difference_text(const project::Check& check) {
  const bool is_time = trace::is_time_metric(check.metric);
  const std::string change = change_text(check, *check.value);
  if (!is_time) return fmt::format("{} has {} {} than {}", check.subject, change, check.metric, check.reference);
  const bool is_none = change.find_first_of("123456789") == std::string::npos && std::isfinite(*check.value);
  const std::string text = is_none ? fmt::format("{} takes as long as {}", check.subject, check.reference)
                                   : fmt::format("{} is {} than {}", check.subject, change, check.reference);
  return check.metric == "runtime_s" ? text : fmt::format("{} in {}", text, check.metric);
}

/// "7.3 to 22 %" if both ends are on the side of the figure, else "1.2 % faster to 9.5 % slower".
std::string range_text(const project::Check& check, const project::Interval& bounds) {
  const bool one_side = (bounds.low > 0 || bounds.high < 0) && std::isfinite(bounds.low) && std::isfinite(bounds.high);
  if (!one_side) return fmt::format("{} to {}", change_text(check, bounds.low), change_text(check, bounds.high));
  const auto [least, most] =
      std::minmax({std::abs(bounds.low), std::abs(bounds.high)});  // the list: values, not references
  return fmt::format("{} to {}", number_text(100 * least, 2), percent_text(most, 2));
}

/// " (95 %: at least 7.9 %)": the one-sided bound that decides a verdict; of an inconclusive check the two-sided
/// interval, as in tables and on pages.
std::string bounds_text(const project::Check& check) {
  if (!check.interval) return "";
  std::string text = range_text(check, *check.interval);
  if (check.bounds && check.verdict != project::Verdict::inconclusive) {
    const bool fails = check.verdict == project::Verdict::fail;
    const double bound = fails ? check.bounds->low : check.bounds->high;
    text =
        (bound > 0) == fails ? "at least " + percent_text(std::abs(bound), 2) : "at most " + change_text(check, bound);
  }
  return fmt::format(" ({}: {})", typed_percent(check.confidence), text);
}

/// "b is 17 % slower than a (95 %: at least 7.9 %); limit 3 %"; without a figure or an interval the reason for that.
std::string regression_text(const project::Check& check) {
  const std::string who = check.subject + " vs " + check.reference + (check.metric.empty() ? "" : ": " + check.metric);
  if (!check.value) return fmt::format("{} cannot be compared: {}", who, check.note);
  std::string text =
      fmt::format("{}{}; limit {}", difference_text(check), bounds_text(check), typed_percent(check.limit));
  if (!check.note.empty()) text += (check.interval ? "; " : "; no interval: ") + check.note;
  if (!check.where.empty()) text += "; where: " + check.where;
  return text + doubt_text(check);
}

/// What would decide an inconclusive check; empty if that is not known.
std::string remedy_of(const project::Check& check) {
  if (check.interval && !check.note.empty()) return "";  // which says it
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
                         percent_text(*check.value, 4), typed_percent(check.limit));
    case project::Gate::fail_above: break;
  }
  if (!check.value)
    return fmt::format("{}: no prediction of {}: {}; --fail-above allows {}", check.subject, check.configuration,
                       check.note, typed_percent(check.limit));
  return fmt::format("{}: error on {} {}, --fail-above allows {}", check.subject, check.configuration,
                     percent_text(*check.value, 3), typed_percent(check.limit));
}

std::string sentence_of(const project::Check& check) {
  const std::string_view verdict = check.verdict == project::Verdict::fail           ? "FAIL  "
                                   : check.verdict == project::Verdict::pass         ? "PASS  "
                                   : check.verdict == project::Verdict::inconclusive ? "INCONCLUSIVE  "
                                                                                     : "";
  return std::string(verdict) + message_of(check);
}

std::string verdicts_markdown(const project::Gates& gates) {
  std::string text;
  for (const project::Check& check : gates.checks)
    text += fmt::format("**{}**\n\n", text::markdown_cell(sentence_of(check)));
  return text;
}

std::string hint_of(const project::Check& check) {
  if (check.gate == project::Gate::require_weight) return "measure the missing points";
  if (check.verdict == project::Verdict::unmatched) return "measure the same metrics and points on both sides";
  if (check.verdict != project::Verdict::inconclusive) return "";
  std::string hint = remedy_of(check);
  if (check.detectable)
    hint += fmt::format("{}the smallest slowdown to be found is {}", hint.empty() ? "" : "; ",
                        percent_text(*check.detectable, 2));
  return hint;
}

}  // namespace seqpoint::io::views
