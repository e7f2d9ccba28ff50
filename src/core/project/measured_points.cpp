#include "core/project/measured_points.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
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
  if (measurements.metrics[m] == kStretchMetric && measurements.process_names.size() <= kMaxProcesses)
    points.stretches = measurements.stretches;
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
  both.stretches = points.stretches;
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

// --- Levels of processes

namespace {

/// The measurements of one point by process.
using ByProcess = std::map<std::size_t, std::vector<profile::Reading>>;

ByProcess by_process(const std::vector<profile::Reading>& readings) {
  ByProcess found;
  for (const profile::Reading& reading : readings) found[reading.process].push_back(reading);
  return found;
}

/// A process compared with the others, over the points that it shares with them.
struct SharedPoints {
  double costs = 0, deviation = 0, noise = 0;  ///< sums over the points
};

/// Sums over points from which the levels of processes follow.
class LevelSums {
 public:
  /// Adds a point. `readings`: their number. `cost`: the point's contribution to the projection. `size`: its weight
  /// times its relative size.
  void add(const ByProcess& processes, double readings, double cost, double size) {
    double level = 0;
    for (const auto& [process, own] : processes) {
      parts_[process] += cost * static_cast<double>(own.size()) / readings;
      level += mean(profile::values_of(own)) / static_cast<double>(processes.size());
    }
    if (processes.size() < 2 || level == 0) return;
    for (const auto& [process, own] : processes) {
      SharedPoints& sums = shared_[process];
      sums.costs += cost;
      sums.deviation += cost * (mean(profile::values_of(own)) / level - 1);
      sums.noise +=
          size * size *
          select::kModelConstants.disturbance_variance(effective_iterations(own), static_cast<double>(own.size()));
    }
  }

  /// The levels from all points that were added. With fewer than two comparable processes only ProcessLevels::shares.
  ProcessLevels levels() const {
    ProcessLevels found{.shares = 0};
    double all = 0;
    for (const auto& [process, part] : parts_) all += part;
    for (const auto& [process, part] : parts_) found.shares += part * part / (all * all);
    for (const auto& [process, sums] : shared_) {
      if (!(std::abs(sums.costs) > 0)) continue;
      const double deviation = found.deviations[process] = sums.deviation / sums.costs;
      found.evidence.squares += deviation * deviation;
      found.evidence.noise += sums.noise * all * all / (sums.costs * sums.costs);
    }
    if (found.deviations.size() < 2) return {.shares = found.shares};
    const auto processes = static_cast<double>(found.deviations.size());
    found.evidence.noise /= processes;
    found.evidence.degrees = processes - 1;
    for (const auto& [process, deviation] : found.deviations) {
      if (!(deviation > -1)) return without_logs(std::move(found));
      found.evidence.logs.push_back(std::log1p(deviation));
    }
    return found;
  }

 private:
  /// Costs of both signs: there is no logarithm, and levels are normal.
  static ProcessLevels without_logs(ProcessLevels levels) {
    levels.evidence.logs.clear();
    return levels;
  }

  std::map<std::size_t, double> parts_;
  std::map<std::size_t, SharedPoints> shared_;
};

}  // namespace

double ProcessLevels::levelled(const profile::Reading& reading) const {
  const auto found = deviations.find(reading.process);
  const double level = found == deviations.end() ? 1 : 1 + found->second;
  return level > 0 ? reading.value / level : reading.value;
}

std::uint64_t processes_of(const MeasuredPoints& measured) {
  std::set<std::size_t> processes;
  for (const std::vector<profile::Reading>& readings : measured.readings)
    for (const profile::Reading& reading : readings) processes.insert(reading.process);
  return std::max<std::uint64_t>(processes.size(), 1);
}

ProcessLevels process_levels(const MeasuredPoints& measured, const Eigen::VectorXd& weights,
                             const Eigen::VectorXd& relative_sizes) {
  if (measured.readings.empty()) return {};
  LevelSums sums;
  for (std::size_t i = 0; i < measured.values.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    sums.add(by_process(measured.readings[i]), static_cast<double>(measured.readings[i].size()),
             weights[row] * measured.values[i], weights[row] * relative_sizes[row]);
  }
  return sums.levels();
}

std::vector<Deviations> deviations_of(const MeasuredPoints& measured, const ProcessLevels& levels) {
  std::vector<Deviations> found(measured.readings.size());
  for (std::size_t p = 0; p < found.size(); ++p) {
    std::map<std::uint64_t, std::vector<double>> by_iteration;
    bool known = true;
    for (const profile::Reading& reading : measured.readings[p]) {
      known = known && reading.iteration.has_value();
      by_iteration[reading.iteration.value_or(0)].push_back(levels.levelled(reading));
    }
    double all = 0;
    for (const auto& [iteration, values] : by_iteration) all += mean(values) / static_cast<double>(by_iteration.size());
    if (!known || by_iteration.size() < 2 || all == 0) continue;
    found[p].reserve(by_iteration.size());
    for (const auto& [iteration, values] : by_iteration) found[p].emplace_back(iteration, mean(values) / all - 1);
  }
  return found;
}

}  // namespace seqpoint::project
