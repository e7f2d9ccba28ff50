#include "core/findings/rules.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/findings.hpp"
#include "core/findings/trends.hpp"
#include "core/numbers.hpp"

namespace seqpoint::findings {
namespace {

Where place_of(const profile::RowReading& reading, const std::string& metric) {
  return {reading.file->source, reading.row->line, metric};
}

/// The times above 0 of each point in each process, in their order.
std::vector<std::vector<double>> times_by_process(std::span<const profile::RowReading> readings) {
  const std::vector<std::size_t> processes = profile::processes_of(readings);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> times;
  for (std::size_t i = 0; i < readings.size(); ++i)
    if (readings[i].value > 0) times[{processes[i], readings[i].point}].push_back(readings[i].value);
  std::vector<std::vector<double>> all;
  for (auto& [of, own] : times) all.push_back(std::move(own));
  return all;
}

}  // namespace

std::optional<Finding> slow_start_of(std::span<const profile::RowReading> readings, const std::string& metric) {
  double chance = 1;
  std::vector<double> ratios;
  for (std::vector<double>& times : times_by_process(readings)) {
    if (times.size() < 2) continue;
    const double first = times.front();
    chance /= static_cast<double>(times.size());
    times.erase(times.begin());
    if (first <= *std::ranges::max_element(times)) return std::nullopt;
    ratios.push_back(first / median(std::move(times)));
  }
  if (chance >= kFalseTrends) return std::nullopt;
  const double change = median(std::move(ratios)) - 1;
  if (change < kMinTrend) return std::nullopt;
  return Finding{.kind = kSlowStart, .place = place_of(readings.front(), metric), .figures = {{"change", change}}};
}

std::optional<Finding> steady_growth_of(std::span<const profile::RowReading> readings, const std::string& metric) {
  Trend growth{.change = 0, .probability = 1};
  std::vector<double> ratios;
  for (const std::vector<double>& times : times_by_process(readings)) {
    if (std::ranges::adjacent_find(times, std::greater_equal{}) != times.end()) return std::nullopt;
    for (std::size_t i = 2; i <= times.size(); ++i) growth.probability /= static_cast<double>(i);
    if (times.size() > 1) ratios.push_back(times.back() / times.front());
  }
  if (growth.probability >= kFalseTrends) return std::nullopt;
  growth.change = median(std::move(ratios)) - 1;
  if (growth.change < kMinTrend) return std::nullopt;
  return finding_about(growth, place_of(readings.front(), metric));
}

}  // namespace seqpoint::findings
