#include "point_values.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <utility>

#include "averages.hpp"

namespace seqpoint {
namespace {

/// How far apart two points are: every key scaled by its largest value over the points.
class PointDistance {
 public:
  explicit PointDistance(const std::vector<Point>& points) {
    for (const Point& point : points) {
      const auto coordinates = of(point.key);
      for (std::size_t d = 0; d < coordinates.size(); ++d) scale_[d] = std::max(scale_[d], coordinates[d]);
    }
  }
  double operator()(const PointKey& a, const PointKey& b) const {
    const auto x = of(a), y = of(b);
    double sum = 0;
    for (std::size_t d = 0; d < x.size(); ++d) sum += (x[d] - y[d]) * (x[d] - y[d]) / (scale_[d] * scale_[d]);
    return sum;
  }

 private:
  static std::array<double, 3> of(const PointKey& key) {
    return {static_cast<double>(key.src_len), key.tgt_len.value_or(0) + static_cast<double>(key.sq_tokens.value_or(0)),
            static_cast<double>(key.batch_size.value_or(0))};
  }
  std::array<double, 3> scale_{1, 1, 1};
};

/// The measured point nearest to p, of its own phase or else of the nearest; ties to the first, which is the shorter one.
std::size_t nearest_measured(const std::vector<Point>& points, const PointValues& values, std::size_t p,
                             const PointDistance& distance) {
  const auto away = [&](std::size_t q) {
    const auto [first, last] = std::minmax(points[p].phase, points[q].phase);
    return std::pair(last - first, distance(points[p].key, points[q].key));
  };
  std::size_t best = points.size();
  for (std::size_t q = 0; q < points.size(); ++q) {
    if (!values.value[q]) continue;
    if (best == points.size() || away(q) < away(best)) best = q;
  }
  return best;
}

/// Gives every measured point its weight, and those of the others to the nearest of them.
PointValues weigh(const Selection& selection, std::vector<std::optional<double>> values) {
  const std::vector<Point>& points = selection.points;
  PointValues out{std::move(values), std::vector<double>(points.size(), 0.0), 0};
  std::int64_t covered = 0;
  for (std::size_t p = 0; p < points.size(); ++p)
    if (out.value[p]) covered += points[p].weight.millionths;
  if (covered == 0) return out;
  out.coverage = static_cast<double>(covered) / (static_cast<double>(selection.run.iterations) * Weight::kUnit);
  const PointDistance distance(points);
  for (std::size_t p = 0; p < points.size(); ++p)
    out.weight[out.value[p] ? p : nearest_measured(points, out, p, distance)] += points[p].weight.iterations();
  return out;
}

/// The variance of a point's repeats, relative to its value squared; 0 for a single one.
double relative_variance(const std::vector<double>& repeats, double value) {
  if (repeats.size() < 2 || value == 0) return 0;
  const double centre = mean(repeats);
  double squares = 0;
  for (const double repeat : repeats) squares += (repeat - centre) * (repeat - centre);
  return squares / static_cast<double>(repeats.size() - 1) / (value * value);
}

}  // namespace

PointValues values_of(const Selection& selection, const std::vector<std::vector<double>>& repeats, bool robust) {
  std::vector<std::optional<double>> values(repeats.size());
  for (std::size_t p = 0; p < repeats.size(); ++p)
    if (!repeats[p].empty()) values[p] = robust ? median(repeats[p]) : mean(repeats[p]);
  return weigh(selection, std::move(values));
}

MeasuredPoints measured_points(const PointValues& metric, const std::vector<std::vector<double>>& repeats, bool robust) {
  MeasuredPoints points;
  for (std::size_t p = 0; p < metric.value.size(); ++p) {
    if (!metric.value[p]) continue;
    points.point.push_back(p);
    points.value.push_back(*metric.value[p]);
    points.weight.push_back(metric.weight[p]);
    points.repeat_variance.push_back(relative_variance(repeats[p], *metric.value[p]) *
                                     (robust && repeats[p].size() > 2 ? std::numbers::pi / 2 : 1));
    points.repeats.push_back(repeats[p].size());
  }
  return points;
}

double total_of(const PointValues& metric) {
  double sum = 0;
  for (std::size_t p = 0; p < metric.value.size(); ++p)
    if (metric.value[p]) sum += metric.weight[p] * *metric.value[p];
  return sum;
}

double max_of(const PointValues& metric) {
  std::optional<double> most;
  for (const auto& value : metric.value)
    if (value) most = std::max(most.value_or(*value), *value);
  return *most;
}

double rate_of(const PointValues& metric, const std::vector<std::optional<double>>* amount) {
  double sum = 0, weights = 0;
  for (std::size_t p = 0; p < metric.value.size(); ++p) {
    if (!metric.value[p]) continue;
    const double w = metric.weight[p] * (amount != nullptr ? *(*amount)[p] : 1.0);
    sum += w * *metric.value[p];
    weights += w;
  }
  return sum / weights;
}

PointValues where_both(const Selection& selection, const PointValues& metric, const PointValues& other) {
  std::vector<std::optional<double>> values = metric.value;
  for (std::size_t p = 0; p < values.size(); ++p)
    if (!other.value[p]) values[p].reset();
  return weigh(selection, std::move(values));
}

std::vector<double> weights_where(const Selection& selection, const std::vector<bool>& measured) {
  std::vector<std::optional<double>> values(measured.size());
  for (std::size_t p = 0; p < measured.size(); ++p)
    if (measured[p]) values[p] = 0;
  return weigh(selection, std::move(values)).weight;
}

}  // namespace seqpoint
