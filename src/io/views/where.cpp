#include "io/views/where.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "io/views/amounts.hpp"
#include "io/views/cells.hpp"

namespace seqpoint::io::views {
namespace {

using project::Phase;
using project::PhaseDifference;
using project::RangeDifference;

/// "+0.6 % to +19.3 %"; empty without an interval.
std::string range_text(const PhaseDifference& difference) {
  if (!difference.interval) return "";
  return fmt::format("{} to {}", signed_tenth_percent(difference.interval->low),
                     signed_tenth_percent(difference.interval->high));
}

/// Whether its interval does not contain 0.
bool is_beyond_processes(const PhaseDifference& difference) {
  return difference.interval && (difference.interval->low > 0 || difference.interval->high < 0);
}

/// Seconds of the longest phase of all builds.
double longest_phase(const project::Projection& projection) {
  double longest = 0;
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const Phase& phase : c.phases) longest = std::max(longest, phase.seconds);
  return longest;
}

}  // namespace

std::string signed_tenth_percent(double share) {
  const std::string text = fmt::format("{:+.1f} %", 100 * share);
  return text == "-0.0 %" ? "+0.0 %" : text;
}

const project::PhaseDifference* find_difference(const project::ConfigurationProjection& c, const Phase& phase) {
  const auto found = std::ranges::find(c.phase_differences, phase.column, &PhaseDifference::column);
  return found == c.phase_differences.end() ? nullptr : &*found;
}

std::string lengths_text(const RangeDifference& range) {
  const double least = std::floor(range.above) + 1, most = std::floor(range.up_to);
  if (std::isinf(range.up_to)) return fmt::format("longer than {:.0f}", std::floor(range.above));
  if (range.above == 0) return fmt::format("up to {:.0f}", most);
  return fmt::format("from {:.0f} to {:.0f}", least, most);
}

std::string where_text(const project::ConfigurationProjection& c) {
  std::string text;
  for (const PhaseDifference& difference : c.phase_differences)
    if (difference.is_cause)
      text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", signed_tenth_percent(difference.change),
                          project::name_of_phase(difference.column), range_text(difference));
  return text;
}

std::string where_or_nowhere(const project::ConfigurationProjection& c) {
  if (c.phase_differences.empty()) return "";
  if (std::string text = where_text(c); !text.empty()) return text;
  if (!c.agrees_with_baseline) return "processes disagree: no phase is named";
  if (c.rounds + 1 == project::kMinRoundsOfACause) return "a third round is needed to name a phase";
  if (c.rounds < project::kMinRoundsOfACause) return "three processes of each build are needed to name a phase";
  if (std::ranges::any_of(c.phase_differences, is_beyond_processes))
    return fmt::format("no phase differs by {} or more in all rounds", percent_text(project::kLeastCause, 1));
  return "no phase differs by more than processes do";
}

std::string by_length_text(const project::ConfigurationProjection& c) {
  const RangeDifference* most = nullptr;
  for (const RangeDifference& range : c.length_differences)
    if (range.is_cause && (most == nullptr || std::abs(range.change - range.change_of_others) >
                                                  std::abs(most->change - most->change_of_others)))
      most = &range;
  if (most == nullptr) return "";
  return fmt::format("{} in batches {} ({} of the time), {} in the others", signed_tenth_percent(most->change),
                     lengths_text(*most), percent_text(most->share, 2), signed_tenth_percent(most->change_of_others));
}

TextTable phases_table(const project::Projection& projection) {
  const bool several = projection.configurations.size() > 1;
  TextTable table{{{"build", "phase", "time", "share", "change of the total",
                    full_precision(100 * projection.confidence) + " %, all phases"}},
                  several ? 2U : 1U};
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const Phase& phase : c.phases) {
      const PhaseDifference* const difference = find_difference(c, phase);
      table.rows.push_back(
          {several ? c.name : "", std::string(project::name_of_phase(phase.column)),
           Amounts(longest_phase(projection)).text(phase.seconds), tenth_percent(phase.share),
           difference == nullptr || !difference->interval ? "" : signed_tenth_percent(difference->change),
           difference == nullptr ? "" : range_text(*difference)});
    }
  return without_empty_columns(std::move(table));
}

TextTable by_length_table(const project::Projection& projection) {
  TextTable table{{{"build", "batches", "share of the time", "change", "change of others"}}, 2};
  const auto is_cause = [](const RangeDifference& range) { return range.is_cause; };
  for (const project::ConfigurationProjection& c : projection.configurations)
    if (std::ranges::any_of(c.length_differences, is_cause))
      for (const RangeDifference& range : c.length_differences)
        table.rows.push_back({c.name, lengths_text(range), percent_text(range.share, 2),
                              signed_tenth_percent(range.change), signed_tenth_percent(range.change_of_others)});
  return table;
}

void append_phase_rows(DataTable& projection, const project::Projection& of) {
  for (const project::ConfigurationProjection& c : of.configurations)
    for (const Phase& phase : c.phases)
      append_row(projection, {{"configuration", c.name},
                              {"metric", "phase:" + phase.column},
                              {"kind", "total"},
                              {"value", phase.seconds},
                              {"measured_weight", c.measured_weight}});
}

}  // namespace seqpoint::io::views
