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

using diagnose::Fault;

/// "± 5.8 %" of the total.
std::string spread_text(double total, const project::Interval& interval) {
  return fmt::format("± {}", percent_text(std::max(interval.high - total, total - interval.low) / std::abs(total), 2));
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
  return probability < 1e-12 ? "p < 1e-12" : fmt::format("p = {:.0e}", probability);
}

/// The parts of a width, the largest first, without what is nothing.
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

/// Which point the total rests on most.
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
      return fmt::format("measure {}: `seqpoint plan {} [MANIFEST...] -o more`", list, seqpoints);
    case diagnose::NextStep::What::more_points:
      return fmt::format(
          "select more points, repeats would narrow the smaller part only: `seqpoint select ... --points {}`",
          next.points);
    case diagnose::NextStep::What::more_sessions:
      return fmt::format(
          "most of the width is that processes differ: measuring in {} would make it {}: `seqpoint plan {} "
          "[MANIFEST...] --sessions {} -o more`",
          counted(next.processes, "more process"), then, seqpoints, next.processes);
    case diagnose::NextStep::What::repeats: break;
  }
  return fmt::format(
      "{} ({}) would make it {}; the nearest plan measures all points equally often: `seqpoint plan {} [MANIFEST...] "
      "--repeats "
      "{} -o more`",
      counted(series.measurements, "more measurement"), list, then, seqpoints, next.repeats);
}

std::string name_of(const diagnose::Series& series) { return series.configuration + ": " + series.metric; }

std::vector<std::string> problems_of(const diagnose::Series& series, double confidence) {
  std::vector<std::string> problems;
  for (const diagnose::FoundFault& finding : series.findings) problems.push_back(message_of(finding, series));
  if (series.truth && is_problem(*series.truth)) problems.push_back(message_of(*series.truth, confidence));
  return problems;
}

/// In what a finding says.
bool names(const Finding& finding, std::string_view figure) {
  return finding.kind.text.find(figure) != std::string_view::npos;
}

}  // namespace

Problem problem_of(const Finding& finding) {
  fmt::dynamic_format_arg_store<fmt::format_context> figures;
  figures.push_back(fmt::arg("subject", finding.subject));
  figures.push_back(fmt::arg("file", finding.place.source));
  for (const auto& [name, figure] : finding.figures)
    std::visit([&, &of = name](const auto& value) { figures.push_back(fmt::arg(of.data(), value)); }, figure);
  return {finding.place.source.empty() ? Where{finding.subject} : finding.place,
          (finding.part.empty() ? "" : finding.part + ": ") + fmt::vformat(finding.kind.text, figures)};
}

std::string message_of(const Finding& finding) {
  const Problem problem = problem_of(finding);
  const bool of_file = !finding.place.source.empty() && !names(finding, "{file}"),
             of_subject = !finding.subject.empty() && !names(finding, "{subject}");
  return (of_subject ? finding.subject + ": " : "") + (of_file ? problem.message() : problem.text);
}

std::string message_of(const diagnose::FoundFault& finding, const diagnose::Series& series) {
  const std::string comparison = comparison_text(finding.change), chance = chance_text(finding.probability);
  switch (finding.fault) {
    case Fault::stray_measurement:
      return fmt::format("{}: {} took {}, {} its other {} ({})", finding.where, finding.point,
                         duration_text(finding.value), comparison, counted(finding.others, "measurement"), chance);
    case Fault::stray_point:
      return fmt::format(
          "{} takes {}, {} what the other points suggest for its lengths ({}): was it measured at another signature?",
          finding.point, duration_text(finding.value), comparison, chance);
    case Fault::slow_start:
      return fmt::format(
          "the first measurement of a point takes {} later ones ({}): warm up until times are steady, or leave the "
          "first "
          "out",
          comparison, chance);
    case Fault::drift:
      return fmt::format("cost drifts: at the end of the session from {} it takes {} at its beginning ({})",
                         finding.where, comparison, chance);
    case Fault::misplaced:
      return fmt::format(
          "times do not fit the lengths of the points that they stand at ({}): were rows mixed up, are they of other "
          "points, or did the machine change its speed meanwhile?",
          chance);
    case Fault::disagreement: break;
  }
  return fmt::format("{} takes {} the others of {} ({}): another machine, or another state of it?", finding.where,
                     comparison, series.configuration, chance);
}

bool is_problem(const diagnose::TruthRecord& record) {
  return record.probability <= diagnose::kFalseAlarms * (1 + 1e-9);
}

std::string message_of(const diagnose::TruthRecord& record, double confidence) {
  std::string text =
      fmt::format("the truth, {}, is {} the interval", duration_text(record.truth), record.held ? "inside" : "outside");
  if (record.earlier_stated > 0)
    text += fmt::format("; {} of {} earlier intervals contained it", record.earlier_held, record.earlier_stated);
  return fmt::format("{} ({} of intervals should hold the truth; so few or fewer do with p = {})", text,
                     percent_of(confidence), number_text(record.probability, 2));
}

std::string limits_text(const std::vector<diagnose::Limit>& limits) {
  std::string text;
  for (const auto& [fault, change] : limits) {
    const std::string_view what = fault == diagnose::Fault::stray_measurement ? "a single measurement off by"
                                  : fault == diagnose::Fault::slow_start      ? "a slow start of"
                                  : fault == diagnose::Fault::drift           ? "a drift upwards of"
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
    const std::vector<std::string> found = problems_of(series, diagnosis.confidence);
    problems += found.size();
    for (const std::string& problem : found) add("  problem: " + problem);
    if (series.truth && !is_problem(*series.truth)) add("  " + message_of(*series.truth, diagnosis.confidence));
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

TextTable diagnosis_table(const diagnose::Diagnosis& diagnosis) {
  TextTable table{{{"configuration", "metric", "whole run", "problem"}}, 4};
  for (const diagnose::Series& series : diagnosis.series) {
    std::vector<std::string> problems = problems_of(series, diagnosis.confidence);
    const bool more = std::ranges::count(diagnosis.findings, series.configuration, &Finding::subject) > 0;
    if (problems.empty()) problems.emplace_back(more ? "" : "none found");
    for (const std::string& problem : problems)
      table.rows.push_back({series.configuration, series.metric, duration_text(series.total), problem});
  }
  for (const Finding& finding : diagnosis.findings)
    table.rows.push_back({finding.subject, "", "", message_of(finding)});
  return table;
}

DataTable diagnosis_rows(const diagnose::Diagnosis& diagnosis) {
  DataTable table{{"configuration", "metric", "fault", "where", "point", "change", "probability"}};
  for (const diagnose::Series& series : diagnosis.series)
    for (const diagnose::FoundFault& finding : series.findings)
      table.rows.push_back({series.configuration, series.metric, diagnose::name_of(finding.fault), finding.where,
                            finding.point, finding.change, finding.probability});
  for (const Finding& finding : diagnosis.findings)
    table.rows.push_back(
        {finding.subject, finding.place.field, finding.kind.id, finding.place.row(), "", Cell(""), Cell("")});
  return table;
}

}  // namespace seqpoint::io::views
