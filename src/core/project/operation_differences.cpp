#include "core/project/operation_differences.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/averages.hpp"
#include "core/distributions.hpp"
#include "core/project/time_parts.hpp"

namespace seqpoint::project {
namespace {

/// Operations that take less in both builds have no interval. Reason: it is below the precision of runs, ± 1 to 2 %,
/// and each operation that is compared widens the intervals of all.
constexpr double kLeastShare = 0.01;

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

/// An operation with its seconds in each process of both builds.
struct Compared {
  BreakdownRow* row;
  std::vector<double> before, after;
};

/// The seconds that kLeastShare of a process of the baseline is.
double least_seconds(const BreakdownsByProcess& base) {
  double seconds = 0;
  for (const ConfigurationBreakdown& process : base.processes)
    for (const BreakdownRow& row : process.rows) seconds += row.seconds;
  return kLeastShare * seconds / static_cast<double>(base.processes.size());
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
  const double least = least_seconds(*base);
  for (ConfigurationBreakdown& configuration : breakdown.configurations) {
    const auto here = std::ranges::find(by_process, configuration.name, &BreakdownsByProcess::name);
    if (configuration.name == baseline || here == by_process.end()) continue;
    add_missing(configuration, *base_rows);
    std::vector<Compared> compared;
    for (BreakdownRow& row : configuration.rows) {
      Compared sides{&row, seconds_of(row.name, *base), seconds_of(row.name, *here)};
      row.difference = mean(sides.after) - mean(sides.before);
      if (std::max(mean(sides.before), mean(sides.after)) >= least) compared.push_back(std::move(sides));
    }
    const double of_each = within_all(std::max<std::size_t>(compared.size(), 1), confidence);
    for (const Compared& sides : compared) sides.row->half_width = half_width_of(sides.before, sides.after, of_each);
  }
}

}  // namespace seqpoint::project
