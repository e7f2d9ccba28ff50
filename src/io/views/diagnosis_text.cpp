#include "io/views/diagnosis_text.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "io/text/command_words.hpp"
#include "io/text/escape.hpp"
#include "io/views/amounts.hpp"
#include "io/views/cells.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views {
namespace {

/// A figure in the text of a finding. From 1,000 on it is a whole number with commas, where `g` would write an
/// exponent.
struct Figure {
  double value = 0;
};

}  // namespace
}  // namespace seqpoint::io::views

template <>
struct fmt::formatter<seqpoint::io::views::Figure> : fmt::formatter<double> {
  auto format(const seqpoint::io::views::Figure& figure, fmt::format_context& context) const {
    if (!(figure.value >= 1000 && figure.value < 1e15)) return fmt::formatter<double>::format(figure.value, context);
    const auto whole = static_cast<std::uint64_t>(std::llround(figure.value));
    return fmt::format_to(context.out(), "{}", seqpoint::grouped(whole));
  }
};

namespace seqpoint::io::views {
namespace {

/// "± 5.8 %": the half-width of the interval as a share of the total.
std::string spread_text(double total, const project::Interval& interval) {
  return fmt::format("± {}", percent_text(project::relative_half_width(total, interval), 2));
}

/// A relative change as a comparison: "10.2 times as long as" from +100 % on, "1/3 as long as" from -50 % down, between
/// them "6.2 % longer than" and "6.2 % less time than".
std::string comparison_text(double change) {
  constexpr double kPercentUpTo = 1;  // twice as long
  if (change >= kPercentUpTo) return fmt::format("{} times as long as", number_text(1 + change, 3));
  if (change <= -kPercentUpTo / 2) return fmt::format("1/{} as long as", number_text(1 / (1 + change), 3));
  return fmt::format("{} {} than", percent_text(std::abs(change), 2), change > 0 ? "longer" : "less time");
}

/// A line of two columns: the label, padded to 12 characters, and the text.
std::string labelled(const std::string& label, const std::string& text) { return fmt::format("{:<12}{}", label, text); }

constexpr std::string_view kBetweenProcesses = "between processes";

/// One line for each part of an interval's variance from kLeastVariancePart on, the largest first: its share, and the
/// half-width that the interval would have without the part. `half`: the half-width, as a share of the total.
std::vector<std::string> variance_lines(const findings::Width& width, double half) {
  std::vector<std::string> lines;
  for (const auto& [name, share] : variance_parts(width)) {
    if (share < kLeastVariancePart) continue;
    const bool assumed = name == kBetweenProcesses && width.processes == 1;
    lines.push_back(labelled(lines.empty() ? "variance" : "",
                             fmt::format("{:<20}{:>6}   ± {} without{}", name, percent_text(share, 2),
                                         percent_text(half * std::sqrt(std::max(1 - share, 0.0)), 2),
                                         assumed ? "; assumed, as one process measured" : "")));
  }
  return lines;
}

/// The three points with the largest shares of the variance: "sp3 41 %, sp1 20 %, sp7 9 % of the variance (largest)".
std::string largest_points_text(const findings::Width& width) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t p = 0; p < std::min(kShown, width.points.size()); ++p)
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", width.points[p].id, percent_text(width.points[p].share, 2));
  return text + " of the variance (largest)";
}

/// The total without the point that changes the total most, and whether that total is inside the interval. Empty if no
/// point was tried.
std::string without_text(const findings::Series& series) {
  const findings::PointPart* most = nullptr;
  for (const findings::PointPart& point : series.width->points)
    if (point.change_without && (most == nullptr || std::abs(*point.change_without) > std::abs(*most->change_without)))
      most = &point;
  if (most == nullptr) return "";
  const double without = series.total * (1 + *most->change_without);
  const bool inside = series.interval->low <= without && without <= series.interval->high;
  return fmt::format("without {} the total would be {} {}, {} the interval (largest)", most->id,
                     percent_text(std::abs(*most->change_without), 2), *most->change_without < 0 ? "less" : "more",
                     inside ? "inside" : "outside");
}

/// Advice, and a command that follows it; may be empty.
struct Advice {
  std::string text, command;
};

/// The ids of the missing points, separated by commas.
std::string missing_points_of(const findings::NextStep& next) {
  std::string list;
  for (const auto& [id, planned] : next.measure) list += (list.empty() ? "" : ", ") + id;
  return list;
}

/// Advice to measure in more processes, with the expected interval. The command makes a longer plan and runs its last
/// processes only, because each process of a plan measures other iterations.
Advice more_processes(const findings::Series& series, const std::string& seqpoints) {
  constexpr double kWorthwhile = 0.9;  // a tenth narrower, for twice the processes
  const std::uint64_t more = series.next->processes, all = series.width->processes + more;
  const std::string command = fmt::format("seqpoint plan {} --processes {} -o more; run it with SEQPOINT_PROCESS={}{}",
                                          io::text::shell_words(std::vector{seqpoints}), all, all - more,
                                          more == 1 ? "" : fmt::format(" to {}", all - 1));
  if (!series.next->expected)
    return {fmt::format("processes disagree, and which one was disturbed cannot be told: measure in {}",
                        counted(more, "more process")),
            command};
  if (project::relative_half_width(series.total, *series.next->expected) >
      kWorthwhile * project::relative_half_width(series.total, *series.interval))
    return {fmt::format("{} would narrow it little, to about {}: time a whole epoch, or measure on a quieter machine",
                        counted(more, "more process"), spread_text(series.total, *series.next->expected)),
            ""};
  return {fmt::format("measure in {}: about {}{} {}", counted(more, "more process"),
                      spread_text(series.total, *series.next->expected),
                      series.width->processes == 1 ? ", if processes differ by the usual" : ", as processes differ by",
                      percent_text(series.width->spread, 2)),
          command};
}

/// The findings to look at, if there are some; else the next step. Requires `series.next`.
Advice advice_of(const findings::Series& series, const findings::Diagnosis& diagnosis, const std::string& seqpoints) {
  if (findings::is_questioned(series, diagnosis.findings))
    return {"look at the measurements that problems name: correct them, or measure them again", ""};
  const findings::NextStep& next = *series.next;
  switch (next.what) {
    case findings::NextStep::What::missing_points:
      return {fmt::format("{} not measured: run a whole plan", missing_points_of(next)),
              fmt::format("seqpoint plan {} -o more", io::text::shell_words(std::vector{seqpoints}))};
    case findings::NextStep::What::more_points:
      return {fmt::format("choose {} points (--points {} of select or run) and measure them: more processes narrow the "
                          "smaller part only",
                          next.points, next.points),
              ""};
    case findings::NextStep::What::more_processes: break;
  }
  return more_processes(series, seqpoints);
}

/// The total of a series, which is seconds, with the digits of its interval.
std::string total_text(double seconds, const project::IntervalOrReason& interval) {
  project::MetricProjection metric;
  metric.name = "runtime_s";
  metric.value = seconds;
  metric.interval = interval;
  return Amounts(metric).text(seconds);
}

/// "v1: runtime_s  122 s ± 11 % (95 %), 24 measurements of 8 points, 1 process". Without an interval, the reason for
/// that replaces the spread and the processes.
std::string headline_of(const findings::Series& series, double confidence) {
  std::string text =
      fmt::format("{}: {}  {}", series.configuration, series.metric, total_text(series.total, series.interval));
  if (series.width)
    text += fmt::format(" {} ({})", spread_text(series.total, *series.interval), confidence_text(confidence));
  text += fmt::format(", {} of {}", counted(series.measurements, "measurement"), counted(series.points, "point"));
  if (series.width) return text + ", " + counted(series.width->processes, "process");
  return text + "; no interval: " + series.interval.reason;
}

/// Whether the finding's text contains the placeholder `figure`, such as "{file}".
bool names(const Finding& finding, std::string_view figure) {
  return finding.kind.text.find(figure) != std::string_view::npos;
}

/// A text of a kind of finding with its placeholders replaced: {subject}, {file}, the finding's figures by name, and
/// {comparison}, which is the figure "change" in words.
std::string filled_in(std::string_view text, const Finding& finding) {
  fmt::dynamic_format_arg_store<fmt::format_context> figures;
  figures.push_back(fmt::arg("subject", finding.subject));
  figures.push_back(fmt::arg("file", finding.place.source));
  for (const auto& [name, figure] : finding.figures) {
    if (const double* const number = std::get_if<double>(&figure)) {
      figures.push_back(fmt::arg(name.data(), Figure{*number}));
      if (name == "change") figures.push_back(fmt::arg("comparison", comparison_text(*number)));
    } else {
      std::visit([&, &of = name](const auto& value) { figures.push_back(fmt::arg(of.data(), value)); }, figure);
    }
  }
  return fmt::vformat(text, figures);
}

/// The lines of one time: headline, advice, variance, noise and influence.
std::vector<std::string> lines_about(const findings::Series& series, const findings::Diagnosis& diagnosis,
                                     const std::string& seqpoints) {
  std::vector<std::string> lines{headline_of(series, diagnosis.confidence)};
  if (series.next) {
    const Advice next = advice_of(series, diagnosis, seqpoints);
    lines.push_back(labelled("next", next.text));
    if (!next.command.empty()) lines.push_back(labelled("", next.command));
  }
  if (series.width) {
    const double half = project::relative_half_width(series.total, *series.interval);
    std::ranges::move(variance_lines(*series.width, half), std::back_inserter(lines));
    lines.push_back(labelled("points", largest_points_text(*series.width)));
    lines.push_back(labelled(
        "noise", fmt::format("batches {}x typical, interpolation {}x; processes differ by {}{}",
                             number_text(series.width->scale, 2), number_text(series.width->misfit_scale, 2),
                             percent_text(series.width->spread, 2), series.width->processes == 1 ? " (assumed)" : "")));
    if (const std::string without = without_text(series); !without.empty())
      lines.push_back(labelled("influence", without));
  }
  return lines;
}

}  // namespace

Problem problem_of(const Finding& finding) {
  return {finding.place.source.empty() ? Where{finding.subject} : finding.place,
          (finding.part.empty() ? "" : finding.part + ": ") + filled_in(finding.kind.text, finding)};
}

std::string hint_of(const Finding& finding) { return filled_in(finding.kind.hint, finding); }

std::string message_of(const Finding& finding) {
  const Problem problem = problem_of(finding);
  const bool of_file = !finding.place.source.empty() && !names(finding, "{file}"),
             of_subject = !finding.subject.empty() && !names(finding, "{subject}");
  return (of_subject ? finding.subject + ": " : "") + (of_file ? problem.message() : problem.text);
}

std::vector<std::string> problems_of(const findings::Diagnosis& diagnosis) {
  std::vector<std::string> problems;
  for (const Finding& finding : diagnosis.findings) problems.push_back(message_of(finding));
  return problems;
}

std::vector<VariancePart> variance_parts(const findings::Width& width) {
  std::vector<VariancePart> parts{{"within shapes", width.iterations}, {"measurement", width.measurements},
                                  {"interpolation", width.between},    {"shapes not measured", width.missed},
                                  {"the run's own noise", width.own},  {kBetweenProcesses, width.between_processes}};
  std::ranges::stable_sort(parts, std::greater{}, &VariancePart::share);
  return parts;
}

std::string next_text(const findings::Diagnosis& diagnosis, const std::string& seqpoints) {
  const findings::Series* widest = nullptr;
  double most = 0;
  for (const findings::Series& series : diagnosis.series) {
    if (!series.next || !series.interval) continue;
    const double half = project::relative_half_width(series.total, series.interval);
    if (half > most) widest = &series, most = half;
  }
  if (widest == nullptr) return "";
  const bool several = widest->configuration != diagnosis.series.front().configuration ||
                       widest->configuration != diagnosis.series.back().configuration;
  Advice advice = advice_of(*widest, diagnosis, seqpoints);
  if (several) advice.text = widest->configuration + ": " + advice.text;
  return advice.command.empty() ? advice.text : advice.text + ": " + advice.command;
}

std::string diagnosis_text(const findings::Diagnosis& diagnosis, const std::string& seqpoints) {
  const std::vector<std::string> problems = problems_of(diagnosis);
  std::string text;
  const auto add = [&](const std::string& line) {
    text += text::break_workflow_commands(text::printable(line)) + '\n';
  };
  if (!problems.empty())
    add(counted(problems.size(), "problem") + " found");
  else
    add(diagnosis.series.empty() ? "no time was measured: there is nothing to examine" : "no problems found");
  for (const std::string& problem : problems) add("problem: " + problem);
  for (const findings::Series& series : diagnosis.series) {
    add("");
    for (const std::string& line : lines_about(series, diagnosis, seqpoints)) add(line);
  }
  return text;
}

}  // namespace seqpoint::io::views
