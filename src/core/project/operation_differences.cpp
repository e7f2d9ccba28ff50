#include "core/project/operation_differences.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/numbers.hpp"
#include "core/project/rounds.hpp"

namespace seqpoint::project {
namespace {

bool is_profiled(const ConfigurationBreakdown& process) { return !process.rows.empty(); }

double seconds_of(const std::string& operation, const ConfigurationBreakdown& process) {
  const auto row = std::ranges::find(process.rows, operation, &BreakdownRow::name);
  return row == process.rows.end() ? 0 : row->seconds;
}

/// The mean seconds of all operations in a process.
double seconds_of(const BreakdownsByProcess& all) {
  double seconds = 0;
  for (const ConfigurationBreakdown& process : all.processes)
    for (const BreakdownRow& row : process.rows) seconds += row.seconds;
  return seconds / static_cast<double>(std::max<std::ptrdiff_t>(std::ranges::count_if(all.processes, is_profiled), 1));
}

/// The seconds of an operation in the rounds in which both builds were profiled.
PartByRound rounds_of(const std::string& operation, const BreakdownsByProcess& base, const BreakdownsByProcess& here) {
  PartByRound part;
  for (std::size_t i = 0; i < std::min(base.processes.size(), here.processes.size()); ++i) {
    if (!is_profiled(base.processes[i]) || !is_profiled(here.processes[i])) continue;
    part.before.push_back(seconds_of(operation, base.processes[i]));
    part.after.push_back(seconds_of(operation, here.processes[i]));
  }
  return part;
}

void set_difference(BreakdownRow& row, const PartDifference& found, double seconds) {
  row.difference = found.change * seconds;
  row.is_cause = found.is_cause;
  if (!found.half_width) return;
  row.half_width = *found.half_width * seconds;
}

/// Adds rows of 0 s for the operations that only the baseline has.
void add_missing(ConfigurationBreakdown& configuration, const ConfigurationBreakdown& base) {
  for (const BreakdownRow& row : base.rows)
    if (std::ranges::find(configuration.rows, row.name, &BreakdownRow::name) == configuration.rows.end())
      configuration.rows.push_back({.name = row.name, .change = row.seconds > 0 ? std::optional(0.0) : std::nullopt});
}

}  // namespace

void set_differences(Breakdown& breakdown, std::span<const BreakdownsByProcess> by_process, const std::string& baseline,
                     double confidence) {
  const auto base = std::ranges::find(by_process, baseline, &BreakdownsByProcess::name);
  const auto base_rows = std::ranges::find(breakdown.configurations, baseline, &ConfigurationBreakdown::name);
  if (base == by_process.end() || base_rows == breakdown.configurations.end()) return;
  const double seconds = seconds_of(*base);
  for (ConfigurationBreakdown& configuration : breakdown.configurations) {
    const auto here = std::ranges::find(by_process, configuration.name, &BreakdownsByProcess::name);
    if (configuration.name == baseline || here == by_process.end()) continue;
    add_missing(configuration, *base_rows);
    std::vector<BreakdownRow*> rows;
    std::vector<PartByRound> parts;
    for (BreakdownRow& row : configuration.rows) {
      const PartByRound part = rounds_of(row.name, *base, *here);
      if (part.before.empty() || std::max(mean(part.before), mean(part.after)) < kLeastCause * seconds) continue;
      rows.push_back(&row);
      parts.push_back(part);
    }
    const auto differences = differences_by_round(parts, seconds, select::wider(base->between, here->between),
                                                  confidence, base->agree && here->agree);
    for (std::size_t i = 0; i < rows.size(); ++i) set_difference(*rows[i], differences[i], seconds);
    for (BreakdownRow& row : configuration.rows)
      if (!row.half_width || std::abs(*row.difference) <= *row.half_width) row.change.reset();
  }
}

}  // namespace seqpoint::project
