#include "uncertainty.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "residual_spread.hpp"
#include "student.hpp"

namespace seqpoint {
namespace {

/// Batch sizes that differ by more make b L nearly constant (token budgets), and L a column of its own.
constexpr double kOneBatchSize = 0.5;
/// Variances whose ratio is less likely than this are not pooled.
constexpr double kPooled = 0.995;
/// Third moment of a disturbance over its standard deviation cubed: timings stray further upwards than downwards, in the
/// epochs of examples/data by 0.1 to 6. Chosen on those.
constexpr double kSkewness = 0.4;
/// Relative variances below this are rounding: no width at all, rather than one that differs from machine to machine.
constexpr double kRounding = 1e-20;
/// Degrees of freedom with which t is normal.
constexpr double kManyPoints = 1e6;

double total_of(const MeasuredPoints& points) {
  double sum = 0;
  for (std::size_t p = 0; p < points.value.size(); ++p) sum += points.weight[p] * points.value[p];
  return sum;
}

bool all_positive(const MeasuredPoints& points) {
  return std::all_of(points.value.begin(), points.value.end(), [](double v) { return v > 0; });
}

/// Whether every signature of the run is a point that weighs as often as it occurs: then there is nothing to represent.
bool all_signatures(const Selection& selection) {
  const std::vector<SignatureCount>& histogram = selection.run.histogram;
  std::vector<std::pair<PointKey, Weight>> points;
  for (const Point& point : selection.points) points.emplace_back(point.key, point.weight);
  std::sort(points.begin(), points.end());
  return std::equal(points.begin(), points.end(), histogram.begin(), histogram.end(), [](const auto& point, const SignatureCount& entry) {
    return point.first.matches(entry.signature) && point.second.millionths == static_cast<std::int64_t>(entry.count) * Weight::kUnit;
  });
}

Stated none(std::string why) { return {{}, std::move(why)}; }

const char* const kTooFew = "fewer than three points were measured: nothing shows how far costs lie from what they stand for";

double correlation(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const double scale = a.norm() * b.norm();
  return scale > 0 ? std::clamp(a.dot(b) / scale, -1.0, 1.0) : 1;
}

}  // namespace

Uncertainty::Uncertainty(const Selection& selection, double confidence) : selection_(selection), confidence_(confidence) {
  double longest = 0, largest = 0, most_squares = 0;
  for (const Point& point : selection.points) {
    length_.push_back(static_cast<double>(point.key.src_len) + point.key.tgt_len.value_or(0));
    batch_.push_back(point.key.batch_size.value_or(1));
    squares_.push_back(static_cast<double>(point.key.sq_tokens.value_or(0)));
    longest = std::max(longest, length_.back());
    largest = std::max(largest, batch_.back());
    most_squares = std::max(most_squares, squares_.back());
  }
  for (double& length : length_) length /= std::max(longest, 1.0);
  for (double& batch : batch_) batch /= std::max(largest, 1.0);
  for (double& squares : squares_) squares /= std::max(most_squares, 1.0);
  // Points that leave the squares open (or a run with padding, which has none) are curved in L.
  for (std::size_t p = 0; p < squares_.size() && most_squares == 0; ++p) squares_[p] = batch_[p] * length_[p] * length_[p];
  // In phases a signature may be a point of one and not of another.
  every_signature_ = selection.run.phases.empty() && all_signatures(selection);
}

bool Uncertainty::exact(const MeasuredPoints& points) const {
  return every_signature_ && points.point.size() == selection_.points.size();
}

/// Levels that were estimated beside the fit.
std::ptrdiff_t Uncertainty::levels_of(const MeasuredPoints& points) const {
  std::set<std::uint64_t> phases;
  for (const std::size_t p : points.point) phases.insert(selection_.points[p].phase);
  return static_cast<std::ptrdiff_t>(phases.size()) - 1;
}

MeasuredPoints Uncertainty::levelled(const MeasuredPoints& points) const {
  MeasuredPoints level = points;
  if (selection_.run.phases.empty() || !all_positive(points)) return level;
  std::vector<Signature> at;
  for (const std::size_t p : points.point) {
    const PointKey& key = selection_.points[p].key;
    at.push_back({key.src_len, key.tgt_len.value_or(0), key.batch_size.value_or(1), key.sq_tokens.value_or(0)});
  }
  const LowOrderFit fit(at, points.value);
  std::map<std::uint64_t, std::pair<double, double>> phases;  // measured, fitted
  for (std::size_t i = 0; i < at.size(); ++i) {
    auto& [measured, fitted] = phases[selection_.points[points.point[i]].phase];
    measured += points.weight[i] * points.value[i];
    fitted += points.weight[i] * fit(at[i]);
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto& [measured, fitted] = phases[selection_.points[points.point[i]].phase];
    level.value[i] *= fitted / measured;
  }
  return level;
}

/// The residuals are relative: each row of the fit is divided by its value. Values that are not above zero are all divided
/// by their mean size instead.
ResidualSpread Uncertainty::spread(const MeasuredPoints& measured) const {
  const MeasuredPoints points = levelled(measured);
  const auto k = static_cast<Eigen::Index>(points.point.size());
  const bool positive = all_positive(points);
  double mean = 0;
  for (const double value : points.value) mean += std::abs(value) / static_cast<double>(k);
  const bool ragged = std::any_of(points.point.begin(), points.point.end(), [&](std::size_t p) { return batch_[p] < kOneBatchSize; });
  Eigen::MatrixXd columns(k, ragged ? 4 : 3);
  Eigen::VectorXd values(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const auto p = static_cast<std::size_t>(i);
    const double l = length_[points.point[p]], b = batch_[points.point[p]], square = squares_[points.point[p]];
    const double scale = positive ? points.value[p] : std::max(mean, 1e-300);
    values[i] = points.value[p] / scale;
    if (ragged)
      columns.row(i) << 1 / scale, b * l / scale, l / scale, square / scale;
    else
      columns.row(i) << 1 / scale, b * l / scale, square / scale;
  }
  ResidualSpread spread = spread_about_fit(std::move(columns), std::move(values), points.repeats, true, levels_of(points));
  spread.point = points.point;
  add_repeats(spread, points.repeat_variance, points.repeats);
  if (exact(points) && spread.repeat_freedom >= 1) spread.freedom = 0;
  return spread;
}

ResidualSpread Uncertainty::ratio_spread(const MeasuredPoints& base, const MeasuredPoints& other) const {
  const auto k = static_cast<Eigen::Index>(base.point.size());
  Eigen::MatrixXd columns(k, 2);
  Eigen::VectorXd values(k);
  std::vector<double> variance;
  std::vector<std::uint64_t> repeats;
  for (Eigen::Index i = 0; i < k; ++i) {
    const auto p = static_cast<std::size_t>(i);
    columns.row(i) << 1, length_[base.point[p]];
    values[i] = std::log(base.value[p] / other.value[p]);
    repeats.push_back(std::min(base.repeats[p], other.repeats[p]));
    variance.push_back(base.repeat_variance[p] + other.repeat_variance[p]);
  }
  ResidualSpread spread = spread_about_fit(std::move(columns), std::move(values), repeats, false);
  spread.point = base.point;
  spread.measurements = 2;
  add_repeats(spread, variance, repeats);
  if (exact(base) && spread.repeat_freedom >= 1) spread.freedom = 0;
  return spread;
}

double Uncertainty::quantile(double freedom) const {
  // Quarters of a degree, downwards, so that the same few quantiles serve many draws.
  const int quarters = std::max(1, static_cast<int>(std::floor(4 * freedom)));
  const auto [found, is_new] = quantiles_.try_emplace(quarters, 0.0);
  if (is_new) found->second = student_quantile(confidence_, quarters / 4.0);
  return found->second;
}

std::vector<ResidualSpread> Uncertainty::pooled(std::vector<ResidualSpread> own) const {
  std::vector<ResidualSpread> all = own;
  for (std::size_t c = 0; c < own.size(); ++c) {
    double variance = 0, together = 0, correlated = 0;
    for (std::size_t d = 0; d < own.size(); ++d) {
      const double freedom = std::min(own[c].freedom, own[d].freedom);
      if (own[d].point != own[c].point || !(freedom >= 1)) continue;
      const auto [limit, is_new] = ratios_.try_emplace(static_cast<int>(freedom), 0.0);
      if (is_new) limit->second = variance_ratio_quantile(kPooled, freedom);
      if (own[d].variance > limit->second * own[c].variance || own[c].variance > limit->second * own[d].variance) continue;
      const double r = correlation(own[c].left.plain, own[d].left.plain);
      if (d != c) correlated += r * r;
      variance += own[d].variance;
      ++together;
    }
    if (together < 2) continue;
    all[c].variance = variance / together;
    all[c].freedom = own[c].freedom * together / (1 + correlated);
  }
  return all;
}

/// Sums over the points of squared shares of the total.
struct Uncertainty::Squares {
  double all = 0, by_repeats = 0;  ///< as they are; each divided by the point's repeats
  double cubes = 0;                ///< of the shares
  double unsure = 0;               ///< each times its point's variance, in units of the fit's
  double own = 0;                  ///< each times its own point's squared residual

  void add(double share, std::uint64_t repeats, double variance, double squared_residual) {
    all += share * share;
    cubes += share * share * share;
    by_repeats += share * share / static_cast<double>(repeats);
    unsure += share * share * variance;
    own += share * share * squared_residual;
  }
};

/// The larger of two variances: with one spread for all points, and with each point's own. 0 where it is not known.
double Uncertainty::seen(const ResidualSpread& spread, const Squares& squares) {
  const double variance = spread.freedom >= 1 ? std::max(spread.variance * squares.unsure, squares.own) : 0;
  return variance > kRounding ? variance : 0;
}

/// A variance below what is usual is moved towards that, on the logarithm: few points do not show how rarely and how far
/// measurements stray. What strays nowhere keeps no width.
double Uncertainty::half_width(const ResidualSpread& spread, const Squares& squares) const {
  double half = 0;
  if (const double variance = seen(spread, squares); variance > 0) {
    const double usual = spread.measurements * (kOwn * kOwn * squares.by_repeats + kShared * kShared * squares.all);
    const double towards = kUsualFreedom / (spread.freedom + kUsualFreedom);
    const double moved = variance * std::pow(std::max(usual / variance, 1.0), towards);
    // What is usual is worth the less, the further the points lie beyond it.
    const double freedom = spread.freedom + kUsualFreedom * std::min(std::sqrt(usual / variance), 1.0);
    half = quantile(freedom) * std::sqrt(moved);
  }
  if (spread.repeat_freedom >= 1)
    half = std::max(half, quantile(spread.repeat_freedom) * std::sqrt(spread.repeat_variance * squares.by_repeats));
  return half;
}

/// The first term of the Edgeworth expansion of a studentised mean (Hall 1992, section 2.6): few points rarely hold one of the
/// disturbances that lie far above, and then both their mean and their spread are too small. The total is not 0.
double Uncertainty::upwards(const ResidualSpread& spread, const Squares& squares) const {
  const double z = quantile(kManyPoints);
  return kSkewness * squares.cubes / std::pow(squares.all, 1.5) * (2 * z * z + 1) / 6 * std::sqrt(seen(spread, squares));
}

void Uncertainty::assess(MeasuredPoints& points) const {
  if (exact(points) || total_of(points) == 0) return;
  const MeasuredPoints level = levelled(points);
  const double total = total_of(level);
  std::vector<PointKey> keys;
  for (const std::size_t p : points.point) keys.push_back(selection_.points[p].key);
  points.missed = (total - CostCurve(keys, level.value).total(selection_.run.histogram)) / total;
}

namespace {

/// Residuals of an exact fit are rounding: no width at all, rather than one that differs from machine to machine.
double unless_rounding(double half) { return half < 1e-10 ? 0 : half; }

double share_of(const MeasuredPoints& points, std::size_t p, double total) { return points.weight[p] * points.value[p] / total; }

}  // namespace

/// Why no interval can be stated; empty where one can.
std::string Uncertainty::obstacle(const MeasuredPoints& points, const ResidualSpread& spread) const {
  if (!exact(points) && points.point.size() < 3) return kTooFew;
  if (spread.freedom < 1 && spread.repeat_freedom < 1) return "too few points, each measured once: repeat the measurements";
  if (total_of(points) == 0) return "the total is zero";
  return "";
}

std::vector<Stated> Uncertainty::totals(std::span<const MeasuredPoints> configurations) const {
  std::vector<ResidualSpread> spreads;
  for (const MeasuredPoints& points : configurations) spreads.push_back(spread(points));
  spreads = pooled(std::move(spreads));
  std::vector<Stated> stated;
  for (std::size_t c = 0; c < configurations.size(); ++c) stated.push_back(total(configurations[c], spreads[c]));
  return stated;
}

Stated Uncertainty::total(const MeasuredPoints& points, const ResidualSpread& spread) const {
  if (std::string why = obstacle(points, spread); !why.empty()) return none(std::move(why));
  const double total = total_of(points);
  Squares squares;
  for (std::size_t p = 0; p < points.value.size(); ++p) squares.add(share_of(points, p, total), points.repeats[p], spread.variance_of(p), spread.squared_residual(p));
  const double half = std::abs(total) * unless_rounding(half_width(spread, squares) + std::abs(points.missed));
  if (!all_positive(points)) return {Interval{total - half, total + half}, ""};
  const double up = std::min(total * upwards(spread, squares), half);
  // What is never below zero adds up to no less.
  return {Interval{std::max(total - half + up, 0.0), total + half + up}, ""};
}

std::string Uncertainty::obstacle(const MeasuredPoints& base, const MeasuredPoints& other) const {
  if (base.point != other.point) return "the two were measured at different points";
  if (!all_positive(base) || !all_positive(other)) return "a value is not above zero";
  return "";
}

std::vector<Stated> Uncertainty::ratios(const MeasuredPoints& base, std::span<const MeasuredPoints> others) const {
  std::vector<ResidualSpread> spreads;
  for (const MeasuredPoints& other : others)
    spreads.push_back(obstacle(base, other).empty() ? ratio_spread(base, other) : ResidualSpread{});
  spreads = pooled(std::move(spreads));
  std::vector<Stated> stated;
  for (std::size_t c = 0; c < others.size(); ++c) stated.push_back(ratio(base, others[c], spreads[c]));
  return stated;
}

Stated Uncertainty::ratio(const MeasuredPoints& base, const MeasuredPoints& other, const ResidualSpread& spread) const {
  if (std::string why = obstacle(base, other); !why.empty()) return none(std::move(why));
  if (std::string why = obstacle(base, spread); !why.empty()) return none(std::move(why));
  const double above = total_of(base), below = total_of(other);
  Squares squares;
  for (std::size_t p = 0; p < base.value.size(); ++p)
    squares.add((share_of(base, p, above) + share_of(other, p, below)) / 2, std::min(base.repeats[p], other.repeats[p]),
                spread.variance_of(p), spread.squared_residual(p));
  const double half = unless_rounding(half_width(spread, squares) + std::abs(base.missed - other.missed));
  return {Interval{above / below * std::exp(-half), above / below * std::exp(half)}, ""};
}

}  // namespace seqpoint
