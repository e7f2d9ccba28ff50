#include "core/measuring/price.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "core/measuring/turns.hpp"
#include "core/numbers.hpp"
#include "core/select/measurement_plan.hpp"
#include "core/select/scales.hpp"

namespace seqpoint::measuring {
namespace {

/// The half-width from levels alone after so many processes, whose standard deviation is `spread`.
double half_width_of_levels(double processes, double spread, const select::BetweenProcesses& usual) {
  const select::LevelEvidence evidence{.degrees = processes - 1, .squares = (processes - 1) * spread * spread};
  const auto scales = select::posterior_of_levels(std::span(&evidence, 1), usual);
  return scales->half_width({.processes = 1 / processes, .own_process = 1}, kConfidence);
}

/// More batches than any plan of a process has.
constexpr double kMostPlanned = 1e9;

/// Seconds of a process beside its batches.
double beside_batches(const Pace& pace) { return pace.start_s + kLoaderStarts * pace.loader_s + kOwnWork; }

/// Seconds of the batches of a process that are not of its plan: warm-up, and batches in a row.
double unplanned_batches(const Pace& pace) {
  return std::max(kLeastWarmUp, kWarmUpBatches * pace.batch_s) + kInARow * pace.batch_s;
}

/// M of half_width_after().
double half_width_of_measurements(const project::ProcessPart& part) {
  return std::sqrt(std::max(std::pow(part.half_width_without, 2) - std::pow(part.half_width_steady, 2), 0.0));
}

/// An interval that is wider than its parts, for example because consecutive batches contradict the points, stays so.
void add_steady(project::ProcessPart& part, double half_width) {
  const double now = half_width_after(part, part.processes);
  if (half_width <= now) return;
  const double more = std::sqrt(half_width * half_width - now * now);
  part.half_width_without = std::hypot(part.half_width_without, more);
  part.half_width_steady = std::hypot(part.half_width_steady, more);
}

/// The smallest number above the present one whose half-width is at most `wanted`, which that of kMaxPlannedProcesses
/// is: half-widths fall with the number.
std::uint64_t enough_processes(const project::ProcessPart& part, double wanted) {
  std::uint64_t few = part.processes, enough = select::kMaxPlannedProcesses;
  while (enough - few > 1) {
    const std::uint64_t middle = few + (enough - few) / 2;
    (half_width_after(part, middle) > wanted ? few : enough) = middle;
  }
  return enough;
}

}  // namespace

Way way_of(std::uint64_t planned, std::uint64_t iterations) {
  const auto others = static_cast<std::uint64_t>(kWarmUpBatches) + kInARow;
  return planned + others < iterations ? Way::points : Way::epochs;
}

Price& Price::operator+=(const Price& other) {
  points_s += other.points_s;
  start_s += other.start_s;
  steady_s += other.steady_s;
  return *this;
}

Price price_by(const Pace& pace, double planned, std::uint64_t iterations) {
  const double start_s = beside_batches(pace), plan_s = pace.batch_s * planned / static_cast<double>(kMinProcesses);
  return {.points_s = start_s + unplanned_batches(pace) + plan_s,
          .start_s = start_s,
          .steady_s = pace.batch_s * static_cast<double>(iterations)};
}

Way way_of(const Price& price, std::uint64_t points, std::uint64_t epochs, double saved_s) {
  const double points_s = static_cast<double>(points) * price.points_s - saved_s;
  return points_s <= static_cast<double>(epochs) * price.epoch_s() ? Way::points : Way::epochs;
}

std::uint64_t batches_of_process(const Pace& pace, const select::BetweenProcesses& between, std::uint64_t iterations) {
  constexpr double kBefore = 1;  // w
  constexpr double kMostOfEpoch = 0.25;
  const double noise = std::sqrt(select::kModelConstants.disturbance_variance(1, 1));
  const double best = noise / between.median * std::sqrt((pace.start_s + kLeastWarmUp) / pace.batch_s + kBefore);
  const double most = std::min(select::kMaxExecutions, kMostOfEpoch * static_cast<double>(iterations));
  return std::max(kFewestPlanned, static_cast<std::uint64_t>(std::min(std::round(best), most)));
}

std::uint64_t affordable(const Pace& pace, double seconds) {
  const double of_plan_s =
                   seconds / static_cast<double>(kMinProcesses) - beside_batches(pace) - unplanned_batches(pace),
               batches = of_plan_s / pace.batch_s;
  return kMinProcesses * static_cast<std::uint64_t>(std::clamp<double>(batches, kFewestPlanned, kMostPlanned));
}

SaidPrice price_said(double spent_s, double needed_s, double round_s) {
  return {.about_s = spent_s + needed_s, .most_s = spent_s + needed_s + round_s};
}

bool fits(const SaidPrice& said, double spent_s, double round_s) {
  return said.most_s == 0 || spent_s + round_s <= said.most_s;
}

bool exceeds_epoch(const Price& price, double spent_s) {
  return spent_s + price.points_s > price.start_s + price.epoch_s();
}

double half_width_after(const project::ProcessPart& part, std::uint64_t processes) {
  const double fewer = static_cast<double>(part.processes) / static_cast<double>(processes);
  return std::hypot(half_width_of_levels(static_cast<double>(processes), part.spread, part.usual),
                    half_width_of_measurements(part) * std::sqrt(fewer), part.half_width_steady);
}

double narrowing(const project::ProcessPart& part, double now) {
  if (now > kApart * half_width_after(part, part.processes)) return half_width_after(part, part.processes + 1) / now;
  project::ProcessPart noisy = part;
  noisy.half_width_steady = 0;
  const double before = half_width_after(noisy, part.processes);
  return before > 0 ? half_width_after(noisy, part.processes + 1) / before : 1;
}

double least_half_width(const project::ProcessPart& part) {
  return std::hypot(kTwoSided95 * part.spread, part.half_width_steady);
}

std::optional<std::uint64_t> processes_for(const project::Projection& projection, double precision) {
  const bool of_change = projection.configurations.size() > 1;
  const double a_build = of_change ? 1 / std::numbers::sqrt2 : 1;  // errors of two builds add up in squares
  std::uint64_t enough = 0;
  for (const project::ConfigurationProjection& c : projection.configurations) {
    if (!c.processes) return std::nullopt;
    project::ProcessPart part = *c.processes;
    if (of_change) {
      part.half_width_without = half_width_of_measurements(part);
      part.half_width_steady = 0;
    }
    add_steady(part, a_build * widest(projection));
    if (half_width_after(part, select::kMaxPlannedProcesses) > a_build * precision) return std::nullopt;
    enough = std::max(enough, enough_processes(part, a_build * precision));
  }
  return enough;
}

}  // namespace seqpoint::measuring
