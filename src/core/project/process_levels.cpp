#include "core/project/process_levels.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/numbers.hpp"
#include "core/project/measured_points.hpp"

namespace seqpoint::project {
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
  LevelSums(const select::ModelConstants& constants) : constants_(constants) {}

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
          size * size * constants_.disturbance_variance(effective_iterations(own), static_cast<double>(own.size()));
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

  const select::ModelConstants& constants_;
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
                             const Eigen::VectorXd& relative_sizes, const select::ModelConstants& constants) {
  if (measured.readings.empty()) return {};
  LevelSums sums(constants);
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
