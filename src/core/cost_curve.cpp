#include "seqpoint/cost_curve.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace seqpoint {
namespace {

/// Share of the measured range over which the slope beyond it is taken: that of two close neighbours is mostly noise.
constexpr double kEndStretch = 0.5;

int sign(double x) { return (x > 0) - (x < 0); }

/// The harmonic mean of the slopes beside a point, weighted by the intervals: Fritsch and Butland, SIAM J. Sci. Stat.
/// Comput. 5 (1984) 300, in the form of SLATEC's PCHIM, which SciPy's PchipInterpolator has too. Zero at an extreme.
double inner_slope(double before, double after, double slope_before, double slope_after) {
  if (sign(slope_before) * sign(slope_after) <= 0) return 0;
  const double w1 = 2 * after + before, w2 = after + 2 * before;
  return (w1 + w2) / (w1 / slope_before + w2 / slope_after);
}

/// The slope at an end: of the parabola through three points, limited so that the curve stays monotone (PCHIM again).
double end_slope(double near, double far, double slope_near, double slope_far) {
  const double slope = ((2 * near + far) * slope_near - near * slope_far) / (near + far);
  if (sign(slope) != sign(slope_near)) return 0;
  if (sign(slope_near) != sign(slope_far) && std::abs(slope) > 3 * std::abs(slope_near)) return 3 * slope_near;
  return slope;
}

template <class Part>
bool all_have(std::span<const PointKey> keys, std::optional<Part> PointKey::* part) {
  return std::all_of(keys.begin(), keys.end(), [part](const PointKey& key) { return (key.*part).value_or(0) > 0; });
}

std::array<double, 3> coordinates(const Signature& at) {
  return {static_cast<double>(at.src_len), at.second(), static_cast<double>(at.batch_size)};
}

double beyond(double value, double low, double high) {
  const double range = high > low ? high - low : std::max(high, 1.0);
  return std::max({low - value, value - high, 0.0}) / range;
}

PointKey key_of(const Trace& run, const Signature& s) {
  if (run.varlen()) return {s.src_len, {}, {}, s.sq_tokens};
  return {s.src_len, run.paired() ? std::optional(s.tgt_len) : std::nullopt, s.batch_size};
}

}  // namespace

CostCurve::CostCurve(std::span<const PointKey> at, std::span<const double> values)
    : by_tgt_len_(all_have(at, &PointKey::tgt_len)),
      by_batch_size_(all_have(at, &PointKey::batch_size)),
      by_sq_tokens_(all_have(at, &PointKey::sq_tokens)) {
  if (at.empty() || at.size() != values.size())
    throw std::invalid_argument("CostCurve: a value for every key, and at least one");
  std::vector<Measured> all;
  for (std::size_t p = 0; p < at.size(); ++p) {
    if (!std::isfinite(values[p])) throw std::invalid_argument("CostCurve: a value is not finite");
    all.push_back({seen({at[p].src_len, at[p].tgt_len.value_or(0), at[p].batch_size.value_or(0), at[p].sq_tokens.value_or(0)}), values[p]});
  }
  average_equal(std::move(all));
  positive_ = std::all_of(points_.begin(), points_.end(), [](const Measured& p) { return p.value > 0; });
  low_ = high_ = coordinates(points_.front().at);
  for (const Measured& point : points_)
    for (std::size_t d = 0; d < low_.size(); ++d) {
      low_[d] = std::min(low_[d], coordinates(point.at)[d]);
      high_[d] = std::max(high_[d], coordinates(point.at)[d]);
    }
  prepare_fit();
  if (!by_tgt_len_ && !by_sq_tokens_ && low_[2] == high_[2]) prepare_cubic();
}

Signature CostCurve::seen(const Signature& at) const {
  return {at.src_len, by_tgt_len_ ? at.tgt_len : 0, by_batch_size_ ? at.batch_size : 1, by_sq_tokens_ ? at.sq_tokens : 0};
}

void CostCurve::average_equal(std::vector<Measured> all) {
  std::sort(all.begin(), all.end(), [](const Measured& a, const Measured& b) {
    return a.at != b.at ? a.at < b.at : a.value < b.value;  // so that a mean does not depend on the order of the keys
  });
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(first, all.end(), [&](const Measured& m) { return m.at != first->at; });
    double sum = 0;
    for (auto equal = first; equal != last; ++equal) sum += equal->value;
    points_.push_back({first->at, sum / static_cast<double>(last - first)});
    first = last;
  }
}

void CostCurve::prepare_cubic() {
  const std::size_t last = points_.size() - 1;
  slopes_.assign(points_.size(), 0.0);
  if (last == 0) return;
  std::vector<double> step, slope;
  for (std::size_t i = 0; i < last; ++i) {
    step.push_back(static_cast<double>(points_[i + 1].at.src_len) - points_[i].at.src_len);
    slope.push_back((points_[i + 1].value - points_[i].value) / step[i]);
  }
  slopes_.front() = slopes_.back() = slope.front();
  if (last == 1) return;
  slopes_.front() = end_slope(step[0], step[1], slope[0], slope[1]);
  for (std::size_t i = 1; i < last; ++i) slopes_[i] = inner_slope(step[i - 1], step[i], slope[i - 1], slope[i]);
  slopes_.back() = end_slope(step[last - 1], step[last - 2], slope[last - 1], slope[last - 2]);
}

void CostCurve::prepare_fit() {
  std::vector<Signature> at;
  std::vector<double> values;
  for (const Measured& point : points_) {
    at.push_back(point.at);
    values.push_back(point.value);
  }
  fit_.emplace(at, values);
}

/// Along the line through the point at one end and the nearest far enough from it; level where there is but one point.
double CostCurve::straight_on(double length, std::size_t end) const {
  const Measured& from = points_[end];
  const Measured* through = nullptr;
  for (const Measured& point : points_) {
    const double away = std::abs(static_cast<double>(point.at.src_len) - from.at.src_len);
    if (away == 0 || away < kEndStretch * (high_[0] - low_[0])) continue;
    if (through == nullptr || end > 0)
      through = &point;  // ascending: the nearest is the first, or the last seen from above
  }
  if (through == nullptr) return from.value;
  const double slope = (through->value - from.value) / (static_cast<double>(through->at.src_len) - from.at.src_len);
  return from.value + slope * (length - from.at.src_len);
}

double CostCurve::cubic(double length) const {
  if (length < low_[0]) return straight_on(length, 0);
  if (length > high_[0]) return straight_on(length, points_.size() - 1);
  if (points_.size() == 1) return points_.front().value;
  const auto above =
      std::find_if(points_.begin() + 1, points_.end() - 1, [&](const Measured& p) { return p.at.src_len >= length; });
  const auto i = static_cast<std::size_t>(above - points_.begin()) - 1;
  const Measured &a = points_[i], &b = points_[i + 1];
  const double h = static_cast<double>(b.at.src_len) - a.at.src_len;
  const double x = (length - a.at.src_len) / h, y = 1 - x;
  // Hermite's basis, in x from 0 to 1 and y from 1 to 0.
  return a.value * y * y * (1 + 2 * x) + b.value * x * x * (1 + 2 * y) +
         h * x * y * (slopes_[i] * y - slopes_[i + 1] * x);
}

std::size_t CostCurve::nearest(const Signature& at) const {
  const auto distance = [&](std::size_t p) {
    const auto x = coordinates(at), y = coordinates(points_[p].at);
    double sum = 0;
    for (std::size_t d = 0; d < x.size(); ++d) {
      const double apart = (x[d] - y[d]) / std::max(high_[d], 1.0);
      sum += apart * apart;
    }
    return sum;
  };
  std::size_t best = 0;
  double least = distance(0);
  for (std::size_t p = 1; p < points_.size(); ++p)
    if (const double d = distance(p); d < least) {
      best = p;
      least = d;
    }
  return best;
}

double CostCurve::near_fit(const Signature& at) const {
  const Measured& point = points_[nearest(at)];
  const double here = (*fit_)(at), there = (*fit_)(point.at);
  return positive_ ? here * (point.value / there) : here + (point.value - there);
}

double CostCurve::operator()(const Signature& signature) const {
  const Signature at = seen(signature);
  const double value = slopes_.empty() ? near_fit(at) : cubic(at.src_len) * (at.batch_size / low_[2]);
  return positive_ ? std::max(value, 0.0) : value;
}

double CostCurve::total(std::span<const SignatureCount> histogram) const {
  double sum = 0;
  for (const SignatureCount& entry : histogram) sum += static_cast<double>(entry.count) * (*this)(entry.signature);
  return sum;
}

double CostCurve::outside(const Signature& signature) const {
  const auto at = coordinates(seen(signature));
  double most = 0;
  for (std::size_t d = 0; d < at.size(); ++d) most = std::max(most, beyond(at[d], low_[d], high_[d]));
  return most;
}

std::optional<CostCurve> curve_through(const Trace& measured, std::span<const double> values) {
  std::vector<PointKey> keys;
  std::vector<double> finite;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    keys.push_back(key_of(measured, measured.signature(i)));
    finite.push_back(values[i]);
  }
  if (keys.empty()) return std::nullopt;
  return CostCurve(keys, finite);
}

}  // namespace seqpoint
