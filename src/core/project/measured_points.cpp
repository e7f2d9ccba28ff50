#include "core/project/measured_points.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/numbers.hpp"

namespace seqpoint::project {
double effective_iterations(std::span<const profile::Reading> readings) {
  std::vector<std::uint64_t> iterations;  // sorted, because a map of millions takes several times their memory
  iterations.reserve(readings.size());
  for (const profile::Reading& reading : readings) iterations.push_back(reading.iteration.value_or(UINT64_MAX));
  std::ranges::sort(iterations);
  double squares = 0;
  for (auto first = iterations.begin(); first != iterations.end();) {
    const auto end = std::upper_bound(first, iterations.end(), *first);
    squares += static_cast<double>(end - first) * static_cast<double>(end - first);
    first = end;
  }
  const auto count = static_cast<double>(readings.size());
  return count * count / squares;
}

namespace {

/// Adds the point at position `p` of the selection with its readings; nothing if there are none.
void add_point(MeasuredPoints& points, std::size_t p, std::vector<profile::Reading> readings, bool robust) {
  const std::vector<double> values = profile::values_of(readings);
  if (values.empty()) return;
  const double noisier = robust && values.size() > 2 ? std::numbers::pi / 2 : 1;
  points.counts.points.push_back(p);
  points.counts.iterations.push_back(effective_iterations(readings) / noisier);
  points.counts.measurements.push_back(static_cast<double>(values.size()) / noisier);
  points.values.push_back(robust ? median(values) : mean(values));
  points.readings.push_back(std::move(readings));
}

}  // namespace

std::optional<MeasuredPoints> measured_points(const profile::Measurements& measurements, std::size_t m, bool robust,
                                              std::optional<double> between) {
  MeasuredPoints points;
  points.scope = trace::is_time_metric(measurements.metrics[m]) ? LevelScope::another_process : LevelScope::measured;
  if (m < measurements.run_totals.size()) points.run_totals = measurements.run_totals[m];
  points.between = between_processes(measurements.device_busy, between);
  for (std::size_t p = 0; p < measurements.readings[m].size(); ++p) {
    std::vector<profile::Reading> readings = measurements.readings[m][p];
    if (measurements.process_names.size() > kMaxProcesses)
      for (profile::Reading& reading : readings) reading.process = 0;
    add_point(points, p, readings, robust);
  }
  if (points.values.empty()) return std::nullopt;
  return points;
}

MeasuredPoints measured_by(const MeasuredPoints& all, std::size_t process, bool robust) {
  MeasuredPoints own{.counts = {}, .values = {}, .scope = all.scope, .between = all.between};
  for (std::size_t i = 0; i < all.readings.size(); ++i) {
    std::vector<profile::Reading> readings;
    std::ranges::copy_if(all.readings[i], std::back_inserter(readings),
                         [&](const profile::Reading& reading) { return reading.process == process; });
    add_point(own, all.counts.points[i], readings, robust);
  }
  return own;
}

select::BetweenProcesses between_processes(const std::optional<double>& device_busy, std::optional<double> median) {
  const double busy = device_busy.value_or(0);
  select::BetweenProcesses usual = busy >= select::kDeviceBoundFrom ? select::kDeviceBound
                                   : busy > 0                       ? select::kHostBoundOnDevice
                                                                    : select::kHostBound;
  if (median) usual.median = *median;
  return usual;
}

MeasuredPoints kept(const MeasuredPoints& points, const std::function<bool(std::size_t)>& is_kept) {
  MeasuredPoints left;
  for (std::size_t i = 0; i < points.values.size(); ++i) {
    if (!is_kept(i)) continue;
    left.counts.points.push_back(points.counts.points[i]);
    left.counts.iterations.push_back(points.counts.iterations[i]);
    left.counts.measurements.push_back(points.counts.measurements[i]);
    left.values.push_back(points.values[i]);
  }
  return left;
}

MeasuredPoints measured_in_both(const MeasuredPoints& points, const MeasuredPoints& other) {
  const auto in_both = [&](std::size_t i) {
    return std::ranges::binary_search(other.counts.points, points.counts.points[i]);
  };
  MeasuredPoints both = kept(points, in_both);
  both.scope = points.scope;
  both.between = points.between;
  both.level = points.level;
  for (std::size_t i = 0; i < points.readings.size(); ++i)
    if (in_both(i)) both.readings.push_back(points.readings[i]);
  return both;
}

MeasurementCounts smaller_counts(const MeasurementCounts& a, const MeasurementCounts& b) {
  MeasurementCounts less = a;
  for (std::size_t i = 0; i < less.points.size(); ++i) {
    less.iterations[i] = std::min(a.iterations[i], b.iterations[i]);
    less.measurements[i] = std::min(a.measurements[i], b.measurements[i]);
  }
  return less;
}

}  // namespace seqpoint::project
