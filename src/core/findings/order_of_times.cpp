#include "core/findings/rules.hpp"

#include <algorithm>
#include <cstdint>
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

/// Size and median time of a point.
struct SizedTime {
  double size, time;
};

/// Those of the measured points with times above 0.
std::vector<SizedTime> sized_times(std::span<const profile::RowReading> readings, const select::Selection& selection) {
  std::map<std::size_t, std::vector<double>> times;
  for (const profile::RowReading& reading : readings)
    if (reading.value > 0) times[reading.point].push_back(reading.value);
  std::vector<SizedTime> points;
  for (auto& [point, own] : times)
    points.push_back({static_cast<double>(selection.points[point].shape.padded_tokens()), median(std::move(own))});
  return points;
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

std::optional<Finding> reversed_points_of(std::span<const profile::RowReading> readings,
                                          const select::Selection& selection, const std::string& metric) {
  constexpr double kClearly = 1.5;
  constexpr std::uint64_t kFewest = 6;  // pairs: of fewer one or two points decide
  std::uint64_t pairs = 0, reversed = 0;
  const std::vector<SizedTime> points = sized_times(readings, selection);
  for (const SizedTime& large : points)
    for (const SizedTime& small : points) {
      if (!(small.size > 0) || large.size < kClearly * small.size) continue;
      if (factor_of(large.time / small.time) < kClearly) continue;
      ++pairs;
      if (small.time > large.time) ++reversed;
    }
  if (pairs < kFewest || 4 * reversed < pairs) return std::nullopt;
  return Finding{.kind = kMisplaced,
                 .place = place_of(readings.front(), metric),
                 .figures = {{"count", reversed}, {"all", pairs}}};
}

}  // namespace seqpoint::findings
