#include "core/measuring/first_executions.hpp"

#include <cmath>

#include "core/numbers.hpp"
#include "core/project/measured_points.hpp"

namespace seqpoint::measuring {
namespace {

constexpr double kAllowedBias = 0.25;  // of a half-width

}  // namespace

std::optional<double> reachable_half_width(const select::Selection& points, const profile::Measurements& measured) {
  return select::expected_half_width(points, project::between_processes(measured.device_busy));
}

bool count(const profile::FirstExecutions& first, double share, double half_width) {
  const double allowed = kAllowedBias * half_width;
  const double bias = (std::abs(first.ratio) + kOneSided95 * first.error) * share;
  if (first.is_outlier && first.farthest > allowed) return false;
  return bias <= allowed || !first.are_slower();
}

double share_of_first(std::uint64_t processes) { return 1 - 0.5 / static_cast<double>(processes); }

}  // namespace seqpoint::measuring
