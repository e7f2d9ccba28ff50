#include "core/project/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/numbers.hpp"

namespace seqpoint::project {
namespace {

/// The two-sided interval that covers the figure with probability `confidence`. For an estimate with scales.
Interval within(const Estimate& estimate, double confidence) {
  const double half = half_width_of(estimate, confidence);
  if (!estimate.is_ratio) {
    const Interval also = estimate.also.value_or(Interval{estimate.value, estimate.value});
    return {std::max(std::min(estimate.value - half, also.low), estimate.least),
            std::max(std::max(estimate.value + half, also.high), estimate.least)};
  }
  // The part that both sides have exactly scales both ends alike.
  const double steady = (estimate.value - estimate.exact_share) / (1 - estimate.exact_share);
  const auto with_exact = [&](double ratio) { return estimate.exact_share + (1 - estimate.exact_share) * ratio; };
  return {with_exact(steady * std::exp(-half - estimate.beyond.low)),
          with_exact(steady * std::exp(half + estimate.beyond.high))};
}

}  // namespace

Estimate estimate_without(double value, IntervalOrReason why) {
  Estimate estimate{.value = value};
  estimate.without = std::move(why);
  return estimate;
}

double half_width_of(const Estimate& estimate, double confidence) {
  return std::abs(estimate.unit) * zero_if_rounding(estimate.scales->half_width(estimate.parts, confidence));
}

IntervalOrReason interval_of(const Estimate& estimate, double confidence) {
  IntervalOrReason interval = two_sided_interval_of(estimate, confidence);
  if (estimate.scales) interval.bounds = within(estimate, 2 * confidence - 1);
  return interval;
}

IntervalOrReason two_sided_interval_of(const Estimate& estimate, double confidence) {
  if (!estimate.scales) return estimate.without;
  return within(estimate, confidence);
}

VarianceParts variance_of(const Estimate& estimate) {
  const select::ErrorParts& parts = estimate.parts;
  const select::Scales at = estimate.scales->scales();
  const double s2 = at.noise * at.noise, level = std::pow(at.level.value_or(0), 2);
  return {.between = at.misfit * at.misfit * parts.misfit,
          .measured = s2 * parts.measured,
          .missed = parts.amounts + estimate.scales->missed_variance(parts.missed, at),
          .own = s2 * parts.own + parts.lengths,
          .processes = std::max(level * parts.processes + estimate.scales->excess(parts.processes), 0.0),
          .own_process = level * parts.own_process};
}

}  // namespace seqpoint::project
