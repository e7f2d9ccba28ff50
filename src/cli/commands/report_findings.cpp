#include "cli/commands/report_findings.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/findings.hpp"
#include "io/views/diagnosis_text.hpp"

namespace seqpoint::cli::commands {
namespace {

/// " (and 4 more, also in b.csv, c.csv)" after the first of several findings; empty if there is one.
std::string others_text(const std::vector<const Finding*>& alike) {
  if (alike.size() < 2) return "";
  std::vector<std::string> files;
  for (const Finding* const finding : alike)
    if (const std::string& file = finding->place.source;
        file != alike.front()->place.source && std::ranges::find(files, file) == files.end())
      files.push_back(file);
  const std::string also = files.empty() ? "" : fmt::format(", also in {}", fmt::join(files, ", "));
  return fmt::format(" (and {} more{})", alike.size() - 1, also);
}

/// Prints one warning of each kind of findings about a subject: the first, and where there are others.
void warn_of_each(const std::vector<Finding>& found, Console& console) {
  std::vector<std::vector<const Finding*>> groups;
  for (const Finding& finding : found) {
    const auto is_alike = [&](const std::vector<const Finding*>& group) {
      return group.front()->kind.id == finding.kind.id && group.front()->subject == finding.subject;
    };
    const auto group = std::ranges::find_if(groups, is_alike);
    (group == groups.end() ? groups.emplace_back() : *group).push_back(&finding);
  }
  for (const std::vector<const Finding*>& alike : groups)
    console.warn(io::views::message_of(*alike.front()) + others_text(alike), io::views::hint_of(*alike.front()));
}

}  // namespace

void require_not_refused(const Finding& finding, bool named) {
  if (finding.kind.severity == Severity::refused && !named)
    throw InputError({io::views::problem_of(finding)}, 0, std::string(finding.kind.hint));
}

void warn_of(const std::vector<Finding>& found, Console& console, std::string_view gate, bool named) {
  for (const Finding& finding : found) require_not_refused(finding, named);
  for (const Finding& finding : found)
    if (finding.severe && !gate.empty())
      throw InputError({io::views::problem_of(finding)}, 0,
                       fmt::format("correct it or leave it out: {} would depend on it", gate));
  warn_of_each(found, console);
}

void report_findings(const trace::Trace& run, const trace::Metric* times, const std::string& source, Console& console,
                     bool named) {
  if (times != nullptr) warn_of(findings::findings_about(run, *times, source), console, {}, named);
}

void report_other_lengths(const trace::Trace& calibration, const std::string& source, const trace::RunSummary& run,
                          Console& console) {
  if (calibration.shapes.empty() || calibration.kind != run.kind) return;
  const auto [shortest, longest] = std::ranges::minmax(calibration.shapes, {}, &trace::Shape::length);
  const std::uint32_t least = shortest.length(), most = longest.length();
  const trace::Dimension length = trace::length_dimension(run.kind);  // the histogram ascends by it
  const std::uint64_t first = run.histogram.front().shape[length], last = run.histogram.back().shape[length];
  if (least <= last && first <= most) return;
  console.warn(fmt::format("{}: {} is {} to {}, in the run {} to {}: costs are extrapolated", source,
                           trace::name_of(length), least, most, first, last),
               "check that both count lengths in one unit");
}

void report_findings(std::span<const trace::NamedTrace> traces, const std::string& metric, std::string_view gate,
                     Console& console, bool named) {
  for (std::size_t t = 0; t < traces.size(); ++t)
    warn_of(findings::findings_about(traces, t, metric), console, gate, named);
}

}  // namespace seqpoint::cli::commands
