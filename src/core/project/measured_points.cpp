#include "core/project/measured_points.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/averages.hpp"

namespace seqpoint::project {
namespace {

/// The measurements of one point by iteration; those of which it is not known are taken to be of one.
using ByIteration = std::map<std::optional<std::uint64_t>, std::vector<double>>;

Deviations deviations_between(const ByIteration& groups) {
  Deviations found;
  double all = 0;
  for (const auto& [iteration, values] : groups) {
    if (!iteration) return {};
    found.emplace_back(*iteration, mean(values));
    all += found.back().second / static_cast<double>(groups.size());
  }
  if (found.size() < 2 || all == 0) return {};
  for (auto& [iteration, deviation] : found) deviation = deviation / all - 1;
  return found;
}

}  // namespace

std::optional<MeasuredPoints> measured_points(const profile::Measurements& measurements, std::size_t m, bool robust) {
  MeasuredPoints points;
  for (std::size_t p = 0; p < measurements.values[m].size(); ++p) {
    const std::vector<double>& values = measurements.values[m][p];
    if (values.empty()) continue;
    ByIteration groups;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool known = !measurements.iterations.empty() && i < measurements.iterations[m][p].size();
      groups[known ? measurements.iterations[m][p][i] : std::nullopt].push_back(values[i]);
    }
    double squares = 0;
    for (const auto& [iteration, of_one] : groups) squares += std::pow(of_one.size(), 2);
    const double noisier = robust && values.size() > 2 ? std::numbers::pi / 2 : 1;
    const auto count = static_cast<double>(values.size());
    points.where.point.push_back(p);
    // As many iterations, measured equally often, would average out as much.
    points.where.iterations.push_back(count * count / squares / noisier);
    points.where.measurements.push_back(count / noisier);
    points.value.push_back(robust ? median(values) : mean(values));
    points.deviations.push_back(deviations_between(groups));
  }
  if (points.value.empty()) return std::nullopt;
  return points;
}

double coverage_of(const select::Selection& selection, const std::vector<std::size_t>& points) {
  std::int64_t covered = 0;
  for (const std::size_t p : points) covered += selection.points[p].weight.millionths;
  return static_cast<double>(covered) / (static_cast<double>(selection.run.iterations) * select::Weight::kUnit);
}

MeasuredPoints where_also(const MeasuredPoints& points, const MeasuredPoints& other) {
  MeasuredPoints both;
  for (std::size_t i = 0; i < points.value.size(); ++i) {
    if (!std::binary_search(other.where.point.begin(), other.where.point.end(), points.where.point[i])) continue;
    both.where.point.push_back(points.where.point[i]);
    both.where.iterations.push_back(points.where.iterations[i]);
    both.where.measurements.push_back(points.where.measurements[i]);
    both.value.push_back(points.value[i]);
    both.deviations.push_back(points.deviations[i]);
  }
  return both;
}

MeasuredWhere less_often(const MeasuredWhere& a, const MeasuredWhere& b) {
  MeasuredWhere less = a;
  for (std::size_t i = 0; i < less.point.size(); ++i) {
    less.iterations[i] = std::min(a.iterations[i], b.iterations[i]);
    less.measurements[i] = std::min(a.measurements[i], b.measurements[i]);
  }
  return less;
}

}  // namespace seqpoint::project
