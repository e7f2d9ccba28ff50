#include "core/project/operation_differences.hpp"

#include <algorithm>
#include <cmath>

#include "core/averages.hpp"
#include "core/distributions.hpp"
#include "core/project/time_parts.hpp"

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

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += (value - mean(values)) * (value - mean(values));
  return sum;
}

/// Half-width of the interval of the difference of two means; nothing if a side has a single value.
std::optional<double> half_width_of(const std::vector<double>& a, const std::vector<double>& b, double confidence) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const auto of_a = static_cast<double>(a.size()), of_b = static_cast<double>(b.size());
  const double degrees = of_a + of_b - 2, variance = (sum_of_squares(a) + sum_of_squares(b)) / degrees;
  return two_sided_t_bound(1 - confidence, degrees) * std::sqrt(variance * (1 / of_a + 1 / of_b));
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
  for (ConfigurationBreakdown& configuration : breakdown.configurations) {
    const auto here = std::ranges::find(by_process, configuration.name, &BreakdownsByProcess::name);
    if (configuration.name == baseline || here == by_process.end()) continue;
    add_missing(configuration, *base_rows);
    const double of_each = within_all(std::max<std::size_t>(configuration.rows.size(), 1), confidence);
    for (BreakdownRow& row : configuration.rows) {
      const std::vector<double> before = seconds_of(row.name, *base), after = seconds_of(row.name, *here);
      row.difference = mean(after) - mean(before);
      row.half_width = half_width_of(before, after, of_each);
    }
  }
}

}  // namespace seqpoint::project
