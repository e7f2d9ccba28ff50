#include "core/project/operation_differences.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/numbers.hpp"
#include "core/project/rounds.hpp"

namespace seqpoint::project {
namespace {

/// Seconds of an operation in each process.
std::vector<double> seconds_of(const std::string& operation, const BreakdownsByProcess& all) {
  std::vector<double> seconds;
  for (const ConfigurationBreakdown& process : all.processes) {
    const auto row = std::ranges::find(process.rows, operation, &BreakdownRow::name);
    seconds.push_back(row == process.rows.end() ? 0 : row->seconds);
  }
  return seconds;
}

/// The mean seconds of all operations in a process.
double seconds_of(const BreakdownsByProcess& all) {
  double seconds = 0;
  for (const ConfigurationBreakdown& process : all.processes)
    for (const BreakdownRow& row : process.rows) seconds += row.seconds;
  return seconds / static_cast<double>(all.processes.size());
}

/// The seconds of an operation in the processes that both builds have.
PartByRound rounds_of(const std::string& operation, const BreakdownsByProcess& base, const BreakdownsByProcess& here) {
  PartByRound part{seconds_of(operation, base), seconds_of(operation, here)};
  const std::size_t rounds = std::min(part.before.size(), part.after.size());
  part.before.resize(rounds);
  part.after.resize(rounds);
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
                     const select::BetweenProcesses& between, double confidence, bool agree) {
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
      if (std::max(mean(part.before), mean(part.after)) < kLeastCause * seconds) continue;
      rows.push_back(&row);
      parts.push_back(part);
    }
    const auto differences = differences_by_round(parts, seconds, between, confidence, agree);
    for (std::size_t i = 0; i < rows.size(); ++i) set_difference(*rows[i], differences[i], seconds);
    for (BreakdownRow& row : configuration.rows)
      if (!row.half_width || std::abs(*row.difference) <= *row.half_width) row.change.reset();
  }
}

}  // namespace seqpoint::project
