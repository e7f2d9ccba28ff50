#include "core/run/price.hpp"

#include <cmath>
#include <span>

#include "core/run/turns.hpp"
#include "core/select/scales.hpp"

namespace seqpoint::run {
namespace {

/// The half-width from levels alone after so many processes, whose standard deviation is `spread`.
double half_width_of_levels(double processes, double spread, double usual) {
  const select::LevelEvidence evidence{.degrees = processes - 1, .squares = (processes - 1) * spread * spread};
  const select::BetweenProcesses prior{
      usual, usual < select::kHostBound.median ? select::kDeviceBound.spread : select::kHostBound.spread};
  const auto scales = select::posterior_of_levels({}, std::span(&evidence, 1), prior);
  return scales->half_width({.processes = 1 / processes, .own_process = 1}, kConfidence);
}

}  // namespace

Way way_of(std::uint64_t planned, std::uint64_t iterations) { return planned < iterations ? Way::points : Way::epochs; }

Price price_by_first_batch(double start_s, double batch_s, std::uint64_t planned, std::uint64_t iterations) {
  return {.points_s = start_s + batch_s * static_cast<double>(planned) / static_cast<double>(kMinProcesses),
          .start_s = start_s,
          .steady_s = batch_s * static_cast<double>(iterations)};
}

Way way_of(const Price& price) { return 2 * price.points_s <= price.epoch_s() ? Way::points : Way::epochs; }

bool exceeds_epoch(const Price& price, double spent_s) {
  return spent_s + price.points_s > price.start_s + price.epoch_s();
}

double narrowing(const project::ProcessPart& part) {
  const auto now = static_cast<double>(part.processes), next = now + 1;
  const double without = part.half_width_without;
  const double before = std::hypot(half_width_of_levels(now, part.spread, part.usual), without),
               after = std::hypot(half_width_of_levels(next, part.spread, part.usual), without * std::sqrt(now / next));
  return before > 0 ? after / before : 1;
}

double least_half_width(const project::ProcessPart& part) {
  constexpr double kTwoSided95 = 1.959964;  // quantile of the normal distribution
  return kTwoSided95 * part.spread;
}

}  // namespace seqpoint::run
