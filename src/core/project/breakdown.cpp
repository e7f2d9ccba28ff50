#include "core/project/projection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/numbers.hpp"
#include "core/project/run_estimator.hpp"
#include "core/project/time_parts.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

using OperationsMember = std::vector<profile::Operation> profile::ProfiledStep::*;

struct Sum {
  double ns = 0, count = 0;
};
using Sums = std::map<std::string, Sum>;

/// The profiler steps that are measurements of a point and recorded operations of this kind; rows of other files are
/// skipped.
std::vector<const profile::ProfiledStep*> steps_at(const ProfiledConfiguration& configuration, std::size_t point,
                                                   OperationsMember operations) {
  std::vector<const profile::ProfiledStep*> steps;
  for (const auto& [table, row] : configuration.measurements->source_rows[point]) {
    if (table < configuration.first_table || table - configuration.first_table >= configuration.profiles.size())
      continue;
    const profile::ProfileTable& of_profile = configuration.tables[table];
    const profile::ProfiledStep& step = configuration.profiles[table - configuration.first_table]
                                            .steps[of_profile.step_of_place[of_profile.rows[row].place]];
    if (!(step.*operations).empty()) steps.push_back(&step);
  }
  return steps;
}

/// Whether a measurement of any point recorded operations of this kind.
bool has_operations(const select::Selection& selection, const ProfiledConfiguration& configuration,
                    OperationsMember operations) {
  for (std::size_t p = 0; p < selection.points.size(); ++p)
    if (!steps_at(configuration, p, operations).empty()) return true;
  return false;
}

/// The operations that the rows consist of: kernels or operators, as requested; for categories kernels if every
/// configuration has them, else operators. Throws ParameterError if not every configuration has them.
OperationsMember operations_for(const select::Selection& selection,
                                std::span<const ProfiledConfiguration> configurations, BreakdownBy by) {
  const auto all_have = [&](OperationsMember operations) {
    return std::all_of(configurations.begin(), configurations.end(),
                       [&](const ProfiledConfiguration& c) { return has_operations(selection, c, operations); });
  };
  if (by != BreakdownBy::host_operator && all_have(&profile::ProfiledStep::kernels))
    return &profile::ProfiledStep::kernels;
  if (by != BreakdownBy::kernel && all_have(&profile::ProfiledStep::operators))
    return &profile::ProfiledStep::operators;
  const OperationsMember wanted =
      by == BreakdownBy::host_operator ? &profile::ProfiledStep::operators : &profile::ProfiledStep::kernels;
  for (const ProfiledConfiguration& c : configurations)
    if (!has_operations(selection, c, wanted))
      throw ParameterError("by",
                           fmt::format("{}: the profiles of {} have no {}", name_of(by), c.name,
                                       by == BreakdownBy::host_operator ? "operators" : "kernels"),
                           "profile with PyTorch's profiler, Nsight Systems or rocprofv3, or choose another `by`");
  throw ParameterError("by", "category: some builds have kernels, others operators only",
                       "use `by` with profiles of one kind");
}

/// Sums the operations of one configuration by name or, unless `categories` is null, by category; BreakdownRow::change
/// is not set. Points without operations count as not measured.
ConfigurationBreakdown break_down_one(const select::Selection& selection, const ProfiledConfiguration& configuration,
                                      OperationsMember operations, const profile::Categories* categories) {
  const std::size_t points = selection.points.size();
  std::vector<std::vector<const profile::ProfiledStep*>> steps;
  MeasurementCounts measured;
  for (std::size_t p = 0; p < points; ++p) {
    steps.push_back(steps_at(configuration, p, operations));
    if (steps.back().empty()) continue;
    measured.points.push_back(p);
    measured.iterations.push_back(1);
    measured.measurements.push_back(static_cast<double>(steps.back().size()));
  }
  std::vector<double> weights(points, 0.0);
  const Eigen::VectorXd of_measured = RunEstimator(selection).fit(measured).weights;
  for (std::size_t i = 0; i < measured.points.size(); ++i) weights[measured.points[i]] = of_measured[i];
  Sums sums;
  for (std::size_t p = 0; p < points; ++p)
    for (const profile::ProfiledStep* const step : steps[p])
      for (const profile::Operation& operation : step->*operations) {
        Sum& sum = sums[categories != nullptr ? categories->category_of(operation.name) : operation.name];
        const double weight = weights[p] / static_cast<double>(steps[p].size());
        sum.ns += weight * static_cast<double>(operation.ns);
        sum.count += weight * static_cast<double>(operation.count);
      }
  ConfigurationBreakdown out{
      .name = configuration.name, .measured_weight = select::measured_weight(selection, measured.points), .rows = {}};
  constexpr double kNsPerSecond = 1e9;
  for (const auto& [name, sum] : sums) {
    out.rows.push_back({.name = name, .seconds = sum.ns / kNsPerSecond, .count = sum.count, .change = {}});
    out.seconds += out.rows.back().seconds;
  }
  for (BreakdownRow& row : out.rows) row.share = out.seconds > 0 ? row.seconds / out.seconds : 0;
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const BreakdownRow& a, const BreakdownRow& b) { return a.seconds > b.seconds; });
  return out;
}

/// Sets BreakdownRow::change of all rows. Does nothing if no configuration is called `baseline`; skips rows that the
/// baseline lacks or that take no time there, and those below kLeastCause of its time in both.
void add_changes(Breakdown& breakdown, const std::string& baseline) {
  const auto base = std::find_if(breakdown.configurations.begin(), breakdown.configurations.end(),
                                 [&](const ConfigurationBreakdown& c) { return c.name == baseline; });
  if (base == breakdown.configurations.end()) return;
  std::map<std::string, double> seconds;
  for (const BreakdownRow& row : base->rows) seconds[row.name] = row.seconds;
  for (ConfigurationBreakdown& c : breakdown.configurations)
    for (BreakdownRow& row : c.rows)
      if (const auto found = seconds.find(row.name); found != seconds.end() && found->second > 0)
        if (std::max(row.seconds, found->second) >= kLeastCause * base->seconds)
          row.change = row.seconds / found->second;
}

}  // namespace

Breakdown break_down(const select::Selection& selection, std::span<const ProfiledConfiguration> configurations,
                     BreakdownBy by, const profile::Categories& categories, const std::string& baseline) {
  const OperationsMember operations = operations_for(selection, configurations, by);
  Breakdown breakdown{.by = by, .kernels = operations == &profile::ProfiledStep::kernels, .configurations = {}};
  for (const ProfiledConfiguration& c : configurations)
    breakdown.configurations.push_back(
        break_down_one(selection, c, operations, by == BreakdownBy::category ? &categories : nullptr));
  add_changes(breakdown, baseline);
  return breakdown;
}

// --- In which operations two builds differ

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
