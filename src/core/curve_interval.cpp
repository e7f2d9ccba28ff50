// The standard error is the low-order fit's, which leaves degrees of freedom to judge it by, centred on the curve's
// total: so the difference of the two totals belongs to the interval as well. It is taken as it stands, not squared, as
// what it stands for does not average out. That single iterations scatter about any curve matters where the run is
// short.
#include "curve_interval.hpp"

#include <algorithm>
#include <cmath>

#include "student.hpp"

namespace seqpoint {
namespace {

constexpr std::size_t kFewestPoints = 3;
/// Outside by the whole measured range, a projection may be off by this share. On measured epochs that are projected
/// from their shorter three quarters onto the longest it takes about 0.05 for intervals to hold as often as they say.
constexpr double kErrorPerRange = 0.1;
constexpr double kFar = 0.5;      ///< share of the measured range
constexpr double kMostFar = 0.1;  ///< share of the total

void add_iterations(CurveTotal& out, const CostCurve& curve, const SignatureCount& entry) {
  const auto count = static_cast<double>(entry.count);
  const double each = curve(entry.signature), outside = curve.outside(entry.signature);
  out.total += count * each;
  out.scatter += count * each * each;
  out.allowance += count * each * kErrorPerRange * outside;
  if (outside > kFar) out.far += count * each;
  if (outside > 0) out.iterations_outside += count;
  out.farthest = std::max(out.farthest, outside);
}

std::map<Signature, double> residuals_of(const CostCurve& curve) {
  std::map<Signature, double> all;
  for (const CostCurve::Measured& point : curve.points()) all[point.at] = curve.fit()(point.at) / point.value - 1;
  return all;
}

std::string percent(double share) {
  const double rounded = std::round(share * 1000) / 10;
  std::string text = std::to_string(rounded);
  return text.substr(0, text.find('.') + 2) + " %";
}

std::string reason(const CostCurve& curve, const CurveTotal& total) {
  if (curve.points().size() < kFewestPoints) return "fewer than three points were measured";
  for (const CostCurve::Measured& point : curve.points())
    if (!(point.value > 0)) return "a measured value is not above zero";
  if (!(total.total > 0) || !(total.fitted > 0)) return "the projection is not above zero";
  if (total.far > kMostFar)
    return percent(total.far) + " of the total lies outside what was measured by more than half its range";
  return {};
}

/// Relative to the total, on a scale where errors add up: t times the standard error, and what curve and fit differ by.
double half_width(double squares, double freedom, double confidence, double leverage, double scatter,
                  double difference) {
  return student_quantile(confidence, freedom) * std::sqrt(squares / freedom) * std::hypot(leverage, scatter) +
         std::abs(difference);
}

}  // namespace

CurveTotal total_over(const CostCurve& curve, std::span<const SignatureCount> run) {
  CurveTotal out;
  double iterations = 0;
  std::vector<SignatureCount> seen;
  for (const SignatureCount& entry : run) {
    add_iterations(out, curve, entry);
    seen.push_back({curve.seen(entry.signature), entry.count});
    iterations += static_cast<double>(entry.count);
  }
  out.fitted = curve.fit().total(seen) / out.total;
  out.leverage = curve.fit().leverage(seen) / out.total;
  out.scatter = std::sqrt(out.scatter) / out.total;
  out.allowance /= out.total;
  out.far /= out.total;
  out.iterations_outside /= iterations;
  out.columns = curve.fit().columns();
  out.residuals = residuals_of(curve);
  out.no_interval = reason(curve, out);
  return out;
}

std::optional<Interval> interval_of(const CurveTotal& curve, double confidence) {
  if (!curve.no_interval.empty()) return {};
  double squares = 0;
  for (const auto& [at, residual] : curve.residuals) squares += residual * residual;
  const auto freedom = static_cast<double>(curve.residuals.size() - curve.columns);
  const double half =
      curve.allowance + half_width(squares, freedom, confidence, curve.leverage, curve.scatter, 1 - curve.fitted);
  return Interval{curve.total * std::max(1 - half, 0.0), curve.total * (1 + half)};
}

std::optional<Interval> interval_of_ratio(const CurveTotal& above, const CurveTotal& below, double confidence,
                                          std::string& why) {
  why = above.no_interval.empty() ? below.no_interval : above.no_interval;
  if (!why.empty()) return {};
  double squares = 0;
  std::size_t both = 0;
  for (const auto& [at, residual] : above.residuals)
    if (const auto other = below.residuals.find(at); other != below.residuals.end()) {
      squares += (residual - other->second) * (residual - other->second);
      ++both;
    }
  const std::size_t columns = std::max(above.columns, below.columns);
  if (both <= columns || both < kFewestPoints) {
    why = "too few points were measured for both";
    return {};
  }
  const double half =
      half_width(squares, static_cast<double>(both - columns), confidence, std::max(above.leverage, below.leverage),
                 std::max(above.scatter, below.scatter), std::log(above.fitted / below.fitted));
  const double ratio = above.total / below.total;
  return Interval{ratio * std::exp(-half), ratio * std::exp(half)};
}

}  // namespace seqpoint
