#include "cli/commands/report_findings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/findings.hpp"
#include "io/views/diagnosis_text.hpp"

namespace seqpoint::cli::commands {
namespace {

using evaluate::NamedTrace;
using project::MetricKind;
using project::MetricProjection;

/// The finding that trace `t` has the same times as an earlier one, or else apparently another unit than the first;
/// empty if neither.
std::vector<Finding> beside_others(std::span<const NamedTrace> traces, std::size_t t, const std::string& metric) {
  const NamedTrace& here = traces[t];
  const trace::Metric* const times = here.trace.find_metric(metric);
  if (t == 0 || times == nullptr) return {};
  for (const NamedTrace& other : traces.first(t)) {
    const trace::Metric* const others = other.trace.find_metric(metric);
    if (others == nullptr || !checks::same_times(*times, *others)) continue;
    return {{.kind = findings::kSameTimes,
             .place = {here.source},
             .figures = {{"metric", metric}, {"other", other.name}, {"other_file", other.source}},
             .subject = here.name}};
  }
  const trace::Metric* const first = traces.front().trace.find_metric(metric);
  const double factor = first == nullptr ? 1 : checks::factor_of(checks::time_ratio(*times, *first));
  if (factor < checks::kOtherUnit) return {};
  return {{.kind = findings::kTraceInOtherUnit,
           .place = {here.source},
           .figures = {{"metric", metric}, {"other", traces.front().name}, {"factor", factor}},
           .subject = here.name}};
}

/// The projected total to compare a configuration's trace with; null if there is none.
const MetricProjection* total_of(const project::Projection& projection, const std::string& name,
                                 const std::string& metric) {
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const MetricProjection& m : c.metrics)
      if (c.name == name && m.name == metric && m.kind == MetricKind::total && m.value > 0) return &m;
  return nullptr;
}

/// The distance of two totals: the absolute logarithm of their ratio.
double distance(double total, double projected) { return std::abs(std::log(total / projected)); }

/// The configuration whose projected total is nearest to a trace's; `name`, the trace's own, if the trace lies inside
/// of its interval. `more`: overheads in seconds, which projections include and traces do not.
const std::string& nearest(const project::Projection& projection, const std::string& name, const MetricProjection& own,
                           double total, double more) {
  const std::string* nearest = &name;
  if (own.interval && own.interval->low <= total + more && total + more <= own.interval->high) return *nearest;
  double least = distance(total + more, own.value);
  for (const project::ConfigurationProjection& c : projection.configurations)
    if (const MetricProjection* const other = total_of(projection, c.name, own.name))
      if (const double far = distance(total + more, other->value); far < least) {
        least = far;
        nearest = &c.name;
      }
  return *nearest;
}

/// Reports a trace's total compared with the projected one. Warns if they are apparently in different units, or another
/// configuration is nearer. Does nothing if a time is missing, or another run is projected.
void report_beside_projection(const NamedTrace& trace, const trace::Metric& times,
                              const project::Projection& projection, Console& console) {
  const MetricProjection* const own = total_of(projection, trace.name, times.name);
  const double total = std::accumulate(times.values.begin(), times.values.end(), 0.0);  // NaN if one is missing
  if (own == nullptr || !(total > 0) || projection.target_run) return;
  const double more = projection.overheads ? projection.overheads->seconds : 0;
  const std::string text =
      fmt::format("{}: {} of {} adds up to {}; {} is projected", trace.name, times.name, trace.source,
                  io::views::duration_text(total), io::views::duration_text(own->value - more));
  if (checks::factor_of((total + more) / own->value) >= checks::kOtherUnit)
    return console.warn(text, "check that both are in the same unit");
  if (const std::string& other = nearest(projection, trace.name, *own, total, more); other != trace.name)
    return console.warn(fmt::format("{}, and it is nearer to {}", text, other),
                        "check that the trace is of this configuration");
  console.note(text);
}

/// Findings of one kind in one file that are printed; the others are counted.
constexpr std::size_t kShownOfAKind = 3;

/// Prints the findings; of a kind and file the first three, then the number of the others.
void warn_of_each(const std::vector<Finding>& found, Console& console) {
  std::map<std::pair<std::string_view, std::string>, std::size_t> seen;  // by kind and file
  for (const Finding& finding : found)
    if (++seen[{finding.kind.id, finding.place.source}] <= kShownOfAKind)
      console.warn(io::views::message_of(finding), io::views::hint_of(finding));
  for (const auto& [of, count] : seen)
    if (count > kShownOfAKind)
      console.warn(fmt::format("{}{} of the kind {}", of.second.empty() ? "" : of.second + ": ",
                               counted(count - kShownOfAKind, "more issue"), of.first),
                   "look at the first three: the others are like them");
}

}  // namespace

void require_not_refused(const Finding& finding, bool named) {
  const auto refused = [&](const FindingKind& kind) { return finding.is(kind); };
  if (std::ranges::any_of(findings::kRefused, refused) && !named)
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
  if (times != nullptr) warn_of(checks::findings_about(run, *times, source), console, {}, named);
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

void report_findings(std::span<const NamedTrace> traces, const std::string& metric, std::string_view gate,
                     Console& console, bool named) {
  if (!trace::is_time_metric(metric)) return;
  for (std::size_t t = 0; t < traces.size(); ++t) {
    warn_of(beside_others(traces, t, metric), console, gate);
    const trace::Metric* const times = traces[t].trace.find_metric(metric);
    if (times == nullptr) continue;
    std::vector<Finding> found = checks::findings_about(traces[t].trace, *times, traces[t].source);
    for (Finding& finding : found) finding.subject = traces[t].name;
    warn_of(found, console, gate, named);
  }
}

void report_findings(std::span<const NamedTrace> traces, const project::Projection& projection, Console& console) {
  for (std::size_t t = 0; t < traces.size(); ++t) {
    const NamedTrace& trace = traces[t];
    for (const trace::Metric& times : trace.trace.metrics) {
      if (total_of(projection, trace.name, times.name) == nullptr) continue;
      report_findings(trace.trace, &times, trace.source, console);
      for (const NamedTrace& other : traces.first(t))
        if (const trace::Metric* const same = other.trace.find_metric(times.name))
          if (checks::same_times(times, *same))
            warn_of({{.kind = findings::kSameTrace,
                      .place = {trace.source},
                      .figures = {{"metric", times.name}, {"other", other.name}},
                      .subject = trace.name}},
                    console);
      if (trace::is_time_metric(times.name)) report_beside_projection(trace, times, projection, console);
    }
  }
}

}  // namespace seqpoint::cli::commands
