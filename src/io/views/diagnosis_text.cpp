#include "io/views/diagnosis_text.hpp"

#include <fmt/args.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "io/text/escape.hpp"
#include "io/views/cells.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views {
namespace {

using checks::Fault;

/// "± 5.8 %" of the total.
std::string spread_text(double total, const project::Interval& interval) {
  return fmt::format("± {}", percent_text(project::relative_half_width(total, interval), 2));
}

/// "10.2 times as long as", "6.2 % slower than".
std::string comparison_text(double change) {
  constexpr double kPercentUpTo = 1;  // twice as long
  if (change >= kPercentUpTo) return fmt::format("{} times as long as", number_text(1 + change, 3));
  if (change <= -kPercentUpTo / 2) return fmt::format("1/{} as long as", number_text(1 / (1 + change), 3));
  return fmt::format("{} {} than", percent_text(std::abs(change), 2), change > 0 ? "longer" : "shorter");
}

std::string percent_of(double confidence) { return full_precision(100 * confidence) + " %"; }

std::string chance_text(double probability) {
  return probability < 0.001 ? "p < 0.001" : "p = " + number_text(probability, 1);
}

/// The parts of a width, the largest first, without zeros.
std::string parts_text(const diagnose::Width& width) {
  std::vector<std::pair<double, const char*>> parts{
      {width.iterations, "scatter of iterations"},   {width.measurements, "scatter of measurements"},
      {width.between, "lengths between the points"}, {width.missed, "shapes that the points do not show"},
      {width.own, "the run's own iterations"},       {width.sessions, "differences between processes"}};
  std::ranges::stable_sort(parts, std::greater{}, &std::pair<double, const char*>::first);
  std::string text;
  for (const auto& [share, name] : parts)
    if (share >= 0.005) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", percent_text(share, 2), name);
  return text;
}

std::string most_text(const diagnose::Width& width) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t p = 0; p < std::min(kShown, width.points.size()); ++p)
    text +=
        fmt::format("{}{} ({})", text.empty() ? "" : ", ", width.points[p].id, percent_text(width.points[p].share, 2));
  return text;
}

/// The point with the largest influence on the total.
std::string without_text(const diagnose::Series& series) {
  const diagnose::PointPart* most = nullptr;
  for (const diagnose::PointPart& point : series.width->points)
    if (point.change_without && (most == nullptr || std::abs(*point.change_without) > std::abs(*most->change_without)))
      most = &point;
  if (most == nullptr) return "";
  const double without = series.total * (1 + *most->change_without);
  const bool inside = series.interval->low <= without && without <= series.interval->high;
  return fmt::format("without {} the total would be {} {}, {} the interval: no point moves it more", most->id,
                     percent_text(std::abs(*most->change_without), 2), *most->change_without < 0 ? "less" : "more",
                     inside ? "inside" : "outside");
}

std::string next_text(const diagnose::Series& series, const std::string& seqpoints) {
  if (!series.findings.empty())
    return "measure again in more processes, and project from all together; correct or leave out only what has a cause "
           "that the whole run has not";
  const diagnose::NextStep& next = *series.next;
  std::string list;
  for (const auto& [id, more] : next.measure)
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", id,
                        next.what == diagnose::NextStep::What::repeats ? fmt::format(" {}", more) : "");
  const std::string then = next.expected ? spread_text(series.total, *next.expected) : "";
  switch (next.what) {
    case diagnose::NextStep::What::missing_points:
      return fmt::format("measure {}: `seqpoint plan {} -o more`", list, seqpoints);
    case diagnose::NextStep::What::more_points:
      return fmt::format(
          "select more points, repeats would narrow the smaller part only: `seqpoint select ... --points {}`",
          next.points);
    case diagnose::NextStep::What::more_sessions:
      return fmt::format(
          "most of the width is that processes differ: measuring in {} would make it {}: `seqpoint plan {} "
          "--processes {} -o more`",
          counted(next.processes, "more process"), then, seqpoints, next.processes);
    case diagnose::NextStep::What::repeats: break;
  }
  return fmt::format(
      "{} ({}) would make it {}; the nearest plan measures all points equally often: `seqpoint plan {} "
      "--repeats "
      "{} -o more`",
      counted(series.measurements, "more measurement"), list, then, seqpoints, next.repeats);
}

std::string name_of(const diagnose::Series& series) { return series.configuration + ": " + series.metric; }

std::vector<std::string> problems_of(const diagnose::Series& series) {
  std::vector<std::string> problems;
  for (const checks::FoundFault& finding : series.findings) problems.push_back(message_of(finding, series));
  return problems;
}

/// Inserts the figures into a finding's text.
bool names(const Finding& finding, std::string_view figure) {
  return finding.kind.text.find(figure) != std::string_view::npos;
}

/// A text of a kind of finding, with the figures of the finding.
std::string filled_in(std::string_view text, const Finding& finding) {
  fmt::dynamic_format_arg_store<fmt::format_context> figures;
  figures.push_back(fmt::arg("subject", finding.subject));
  figures.push_back(fmt::arg("file", finding.place.source));
  for (const auto& [name, figure] : finding.figures) {
    std::visit([&, &of = name](const auto& value) { figures.push_back(fmt::arg(of.data(), value)); }, figure);
    if (const double* const number = std::get_if<double>(&figure)) {
      if (name == "change") figures.push_back(fmt::arg("comparison", comparison_text(*number)));
      if (name == "probability") figures.push_back(fmt::arg("chance", chance_text(*number)));
    }
  }
  return fmt::vformat(text, figures);
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

std::string message_of(const checks::FoundFault& finding, const diagnose::Series& series) {
  const std::string comparison = comparison_text(finding.change), chance = chance_text(finding.probability);
  switch (finding.fault) {
    case Fault::stray_measurement:
      return fmt::format("{}: {} took {}, {} its other {} ({})", finding.where, finding.point,
                         duration_text(finding.value), comparison, counted(finding.others, "measurement"), chance);
    case Fault::stray_point:
      return fmt::format(
          "{} takes {}, {} what the other points suggest for its lengths ({}); check that it was measured there",
          finding.point, duration_text(finding.value), comparison, chance);
    case Fault::slow_start:
      return fmt::format(
          "the first measurement of a point takes {} later ones ({}); warm up until times are steady, or leave it out",
          comparison, chance);
    case Fault::drift:
      return fmt::format("cost drifts: at the end of the process from {} it takes {} at its beginning ({})",
                         finding.where, comparison, chance);
    case Fault::misplaced:
      return fmt::format(
          "times do not fit the lengths of their points ({}); check for swapped rows, other points, or a machine that "
          "changed its speed",
          chance);
    case Fault::disagreement: break;
  }
  return fmt::format("{} takes {} the others of {} ({}); check that all ran on one idle machine", finding.where,
                     comparison, series.configuration, chance);
}

std::string limits_text(const std::vector<checks::Limit>& limits) {
  std::string text;
  for (const auto& [fault, change] : limits) {
    const std::string_view what = fault == checks::Fault::stray_measurement ? "a single measurement off by"
                                  : fault == checks::Fault::slow_start      ? "a slow start of"
                                  : fault == checks::Fault::drift           ? "a drift upwards of"
                                                                            : "files or sessions that differ by";
    text += fmt::format("{}{} up to {} %", text.empty() ? "" : ", ", what, number_text(100 * change, 2));
  }
  return text;
}

std::vector<std::string> sentences_about(const diagnose::Series& series, double confidence) {
  const std::string from =
      fmt::format("{} of {}", counted(series.measurements, "measurement"), counted(series.points, "point"));
  if (!series.width)
    return {fmt::format("{} from {}; no interval: {}", duration_text(series.total), from, series.interval.reason)};
  std::vector<std::string> sentences{
      fmt::format("{} {} ({}) from {}: {}", duration_text(series.total), spread_text(series.total, *series.interval),
                  percent_of(confidence), from, parts_text(*series.width)),
      fmt::format("as far as the measurements tell, disturbances are {} times what is usual, misfit between lengths {} "
                  "times, and {} differ by about {}",
                  number_text(series.width->scale, 2), number_text(series.width->misfit_scale, 2),
                  series.width->processes == 1 ? "processes, of which one measured," : "processes",
                  percent_text(series.width->spread, 2)),
      fmt::format("most of the width: {}", most_text(*series.width))};
  if (std::string without = without_text(series); !without.empty()) sentences.push_back(std::move(without));
  return sentences;
}

std::string diagnosis_text(const diagnose::Diagnosis& diagnosis, const std::string& seqpoints) {
  std::string text;
  std::size_t problems = diagnosis.findings.size();
  const auto add = [&](const std::string& line) {
    text += text::break_workflow_commands(text::printable(line)) + '\n';
  };
  for (const diagnose::Series& series : diagnosis.series) {
    add(name_of(series));
    for (const std::string& sentence : sentences_about(series, diagnosis.confidence)) add("  " + sentence);
    const std::vector<std::string> found = problems_of(series);
    problems += found.size();
    for (const std::string& problem : found) add("  problem: " + problem);
    for (const std::string& unseen : series.unseen) add("  not examined: " + unseen);
    if (!series.limits.empty()) add("  too small to be noticed here: " + limits_text(series.limits));
    if (series.next) add("  next: " + next_text(series, seqpoints));
  }
  for (const Finding& finding : diagnosis.findings) add("problem: " + message_of(finding));
  if (problems > 0)
    add(counted(problems, "problem") + " found");
  else
    add(diagnosis.series.empty() ? "no time was measured: there is nothing to examine" : "no problems found");
  return text;
}

}  // namespace seqpoint::io::views
