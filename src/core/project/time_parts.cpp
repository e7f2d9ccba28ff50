#include "core/project/time_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/averages.hpp"
#include "core/distributions.hpp"
#include "core/project/measured_points.hpp"
#include "core/select/select.hpp"

namespace seqpoint::project {
namespace {

/// A smaller difference is printed as 0.0 %.
constexpr double kShown = 0.0005;
constexpr double kRanges = 3;

// --- by length -----------------------------------------------------------------------------------------------------

/// Logarithms of times: by point, then by process.
using Logs = std::vector<std::vector<double>>;

/// The logarithm of each process's mean time at each point. Empty if a process lacks a point, or a time is not above 0.
Logs logs_of(const MeasuredPoints& time) {
  std::set<std::size_t> processes;
  for (const std::vector<profile::Reading>& readings : time.readings)
    for (const profile::Reading& reading : readings) processes.insert(reading.process);
  Logs logs;
  for (const std::vector<profile::Reading>& readings : time.readings) {
    std::map<std::size_t, std::vector<double>> by_process;
    for (const profile::Reading& reading : readings) by_process[reading.process].push_back(reading.value);
    std::vector<double>& of_point = logs.emplace_back();
    for (const auto& [process, values] : by_process) of_point.push_back(std::log(mean(values)));
    if (of_point.size() < processes.size() || !std::isfinite(mean(of_point))) return {};
  }
  return logs;
}

/// The work that each point stands for: padded tokens.
std::vector<double> work_of(const select::Selection& selection) {
  std::vector<double> work;
  for (const select::Point& point : selection.points)
    work.push_back(point.weight.iterations() * static_cast<double>(point.shape.padded_tokens()));
  return work;
}

/// Three ranges of lengths, with their bounds only; empty if there are no three.
std::vector<LengthRange> ranges_of(const select::Selection& selection, const std::vector<double>& work) {
  std::map<double, double> by_length;
  double all = 0, before = 0;
  for (std::size_t p = 0; p < work.size(); ++p) {
    by_length[selection.points[p].shape.length()] += work[p];
    all += work[p];
  }
  std::vector<LengthRange> ranges;
  double last_range = -1, last_length = 0;
  for (const auto& [length, own] : by_length) {
    const double range = std::floor(kRanges * (before + own / 2) / all);  // of the middle of its work
    if (range != last_range) {
      const double bound = ranges.empty() ? 0 : (last_length + length) / 2;
      if (!ranges.empty()) ranges.back().up_to = bound;
      ranges.push_back({.above = bound});
    }
    before += own;
    last_range = range;
    last_length = length;
  }
  return static_cast<double>(ranges.size()) < kRanges ? std::vector<LengthRange>() : ranges;
}

bool contains(const LengthRange& range, const select::Point& point) {
  return range.above < point.shape.length() && point.shape.length() <= range.up_to;
}

/// Adds the noise: the residuals of logarithms without the means of points and of processes.
void add_noise(TimesByLength& times, const Logs& logs) {
  const std::size_t processes = logs.front().size();
  std::vector<double> levels(processes);
  for (const std::vector<double>& of_point : logs)
    for (std::size_t i = 0; i < processes; ++i)
      levels[i] += (of_point[i] - mean(of_point)) / static_cast<double>(logs.size());
  for (const std::vector<double>& of_point : logs)
    for (std::size_t i = 0; i < processes; ++i) {
      const double residual = of_point[i] - mean(of_point) - levels[i];
      times.squares += residual * residual;
    }
  times.degrees = static_cast<double>((logs.size() - 1) * (processes - 1));
}

/// Sets the contrast of a range, and its leverage.
void set_contrast(LengthRange& range, const select::Selection& selection, const std::vector<double>& work,
                  const Logs& logs) {
  double own = 0, others = 0;
  for (std::size_t p = 0; p < work.size(); ++p) (contains(range, selection.points[p]) ? own : others) += work[p];
  for (std::size_t p = 0; p < work.size(); ++p) {
    const double weight = contains(range, selection.points[p]) ? work[p] / own : -work[p] / others;
    range.contrast += weight * mean(logs[p]);
    range.leverage += weight * weight;
  }
}

}  // namespace

std::string_view name_of_phase(std::string_view column) {
  const auto found = std::ranges::find(kPhases, column, &decltype(kPhases)::value_type::first);
  return found == kPhases.end() ? "" : found->second;
}

bool is_phase(std::string_view metric, const std::vector<std::string>& metrics) {
  const auto has = [&](std::string_view name) { return std::ranges::find(metrics, name) != metrics.end(); };
  return !name_of_phase(metric).empty() && has("runtime_s") && has("wait_s") && (has("other_s") || has("step_s"));
}

double seconds_of(const std::vector<Phase>& phases) {
  double seconds = 0;
  for (const Phase& phase : phases) seconds += phase.seconds;
  return seconds;
}

double within_all(std::size_t intervals, double confidence) {
  return 1 - (1 - confidence) / static_cast<double>(intervals);
}

std::vector<Phase> scaled_phases(std::vector<Phase> phases, double total) {
  const double measured = seconds_of(phases);
  if (!(measured > 0)) return {};
  for (Phase& phase : phases) {
    phase.share = phase.seconds / measured;
    phase.seconds *= total / measured;
    if (phase.interval)
      phase.interval = Interval{phase.interval->low * total / measured, phase.interval->high * total / measured};
  }
  return phases;
}

PhaseDifference difference_of(const Phase& base, const Phase& here, double all_of_base, double ratio,
                              const IntervalOrReason& of_ratio) {
  PhaseDifference found{.column = base.column, .change = (here.seconds - base.seconds) / all_of_base, .interval = {}};
  if (!of_ratio || !(ratio > 0) || !(of_ratio->low > 0)) return found;
  const double share = base.seconds / all_of_base;
  found.change = share * (1 / ratio - 1);
  found.interval = Interval{share * (1 / of_ratio->high - 1), share * (1 / of_ratio->low - 1)};
  found.is_cause = std::abs(found.change) > kShown && (found.interval->low > 0 || found.interval->high < 0);
  return found;
}

void sort_by_size(std::vector<PhaseDifference>& differences) {
  std::ranges::stable_sort(differences, [](const PhaseDifference& a, const PhaseDifference& b) {
    if (a.is_cause != b.is_cause) return a.is_cause;
    return std::abs(a.change) > std::abs(b.change);
  });
}

std::vector<PhaseDifference> differences_of(const std::vector<Phase>& base, const std::vector<Phase>& here) {
  if (!std::ranges::equal(base, here, {}, &Phase::column, &Phase::column)) return {};
  std::vector<PhaseDifference> found;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const MetricProjection above{.name = "", .value = base[i].seconds, .interval = base[i].interval},
        below{.name = "", .value = here[i].seconds, .interval = here[i].interval};
    found.push_back(
        difference_of(base[i], here[i], seconds_of(base), above.value / below.value, ratio_of(above, below)));
  }
  sort_by_size(found);
  return found;
}

TimesByLength times_by_length(const select::Selection& selection, const MeasuredPoints& time) {
  const std::vector<double> work = work_of(selection);
  TimesByLength times{.ranges = ranges_of(selection, work)};
  if (times.ranges.empty() || time.values.size() < selection.points.size()) return {};
  const Logs logs = logs_of(time);
  if (logs.empty()) return {};
  times.processes = static_cast<double>(logs.front().size());
  add_noise(times, logs);
  for (LengthRange& range : times.ranges) {
    set_contrast(range, selection, work, logs);
    for (std::size_t p = 0; p < work.size(); ++p)
      if (contains(range, selection.points[p]))
        range.seconds += selection.points[p].weight.iterations() * time.values[p];
  }
  return times;
}

std::vector<RangeDifference> differences_by_length(const TimesByLength& base, const TimesByLength& here,
                                                   double confidence) {
  const double degrees = base.degrees + here.degrees;
  const auto bounds = [](const LengthRange& range) { return std::pair(range.above, range.up_to); };
  if (degrees < 1 || !std::ranges::equal(base.ranges, here.ranges, {}, bounds, bounds)) return {};
  const double variance = (base.squares + here.squares) / degrees * (1 / base.processes + 1 / here.processes),
               quantile = two_sided_t_bound(1 - within_all(base.ranges.size(), confidence), degrees);
  double all_before = 0, all = 0;
  for (const LengthRange& range : base.ranges) all_before += range.seconds;
  for (const LengthRange& range : here.ranges) all += range.seconds;
  std::vector<RangeDifference> found;
  for (std::size_t i = 0; i < base.ranges.size(); ++i) {
    const LengthRange &before = base.ranges[i], &after = here.ranges[i];
    const double difference = after.contrast - before.contrast, half = quantile * std::sqrt(variance * before.leverage);
    found.push_back({.above = before.above,
                     .up_to = before.up_to,
                     .share = before.seconds / all_before,
                     .change = after.seconds / before.seconds - 1,
                     .change_of_others = (all - after.seconds) / (all_before - before.seconds) - 1,
                     .relative = {std::expm1(difference - half), std::expm1(difference + half)},
                     .is_cause = std::abs(difference) > std::max(half, kShown)});
  }
  return found;
}

}  // namespace seqpoint::project
