#include "cli/commands/report_findings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "core/findings.hpp"
#include "io/views/diagnosis_text.hpp"

namespace seqpoint::cli::commands {
namespace {

/// Findings of one kind in one file that are printed; the others are counted.
constexpr std::size_t kShownOfAKind = 3;

/// Prints the findings; of a kind and file the first three, then the number of the others.
void warn_of_each(const std::vector<Finding>& found, Messages& say) {
  std::map<std::pair<std::string_view, std::string>, std::size_t> seen;  // by kind and file
  for (const Finding& finding : found)
    if (++seen[{finding.kind.id, finding.place.source}] <= kShownOfAKind)
      say.warn(io::views::message_of(finding), io::views::hint_of(finding));
  for (const auto& [of, count] : seen)
    if (count > kShownOfAKind)
      say.warn(fmt::format("{}{} of the kind {}", of.second.empty() ? "" : of.second + ": ",
                           counted(count - kShownOfAKind, "more issue"), of.first),
               "look at the first three: the others are like them");
}

}  // namespace

void require_not_refused(const Finding& finding, bool named) {
  if (finding.kind.severity == Severity::refused && !named)
    throw InputError({io::views::problem_of(finding)}, 0, std::string(finding.kind.hint));
}

void warn_of(const std::vector<Finding>& found, Messages& say, std::string_view gate, bool named) {
  for (const Finding& finding : found) require_not_refused(finding, named);
  for (const Finding& finding : found)
    if (finding.severe && !gate.empty())
      throw InputError({io::views::problem_of(finding)}, 0,
                       fmt::format("correct it or leave it out: {} would depend on it", gate));
  warn_of_each(found, say);
}

void report_findings(const trace::Trace& run, const trace::Metric* times, const std::string& source, Messages& say,
                     bool named) {
  if (times != nullptr) warn_of(findings::findings_about(run, *times, source), say, {}, named);
}

void report_other_lengths(const trace::Trace& calibration, const std::string& source, const trace::RunSummary& run,
                          Messages& say) {
  if (calibration.shapes.empty() || calibration.kind != run.kind) return;
  const auto [shortest, longest] = std::ranges::minmax(calibration.shapes, {}, &trace::Shape::length);
  const std::uint32_t least = shortest.length(), most = longest.length();
  const trace::Dimension length = trace::length_dimension(run.kind);  // the histogram ascends by it
  const std::uint64_t first = run.histogram.front().shape[length], last = run.histogram.back().shape[length];
  if (least <= last && first <= most) return;
  say.warn(fmt::format("{}: {} is {} to {}, in the run {} to {}: costs are extrapolated", source,
                       trace::name_of(length), least, most, first, last),
           "check that both count lengths in one unit");
}

void report_findings(std::span<const trace::NamedTrace> traces, const std::string& metric, std::string_view gate,
                     Messages& say, bool named) {
  for (std::size_t t = 0; t < traces.size(); ++t)
    warn_of(findings::findings_about(traces, t, metric), say, gate, named);
}

}  // namespace seqpoint::cli::commands
