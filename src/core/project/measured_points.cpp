#include "core/project/measured_points.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/averages.hpp"

namespace seqpoint::project {
namespace {

/// The measurements of one point by iteration; those without a known iteration count as one iteration.
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
    points.counts.points.push_back(p);
    // The number of equally often measured iterations whose mean would have the same variance.
    points.counts.iterations.push_back(count * count / squares / noisier);
    points.counts.measurements.push_back(count / noisier);
    points.values.push_back(robust ? median(values) : mean(values));
    points.deviations.push_back(deviations_between(groups));
  }
  if (points.values.empty()) return std::nullopt;
  return points;
}

double coverage_of(const select::Selection& selection, const std::vector<std::size_t>& points) {
  std::int64_t covered = 0;
  for (const std::size_t p : points) covered += selection.points[p].weight.millionths;
  return static_cast<double>(covered) / (static_cast<double>(selection.run.iterations) * select::Weight::kUnit);
}

MeasuredPoints measured_in_both(const MeasuredPoints& points, const MeasuredPoints& other) {
  MeasuredPoints both;
  for (std::size_t i = 0; i < points.values.size(); ++i) {
    if (!std::binary_search(other.counts.points.begin(), other.counts.points.end(), points.counts.points[i])) continue;
    both.counts.points.push_back(points.counts.points[i]);
    both.counts.iterations.push_back(points.counts.iterations[i]);
    both.counts.measurements.push_back(points.counts.measurements[i]);
    both.values.push_back(points.values[i]);
    both.deviations.push_back(points.deviations[i]);
  }
  return both;
}

MeasurementCounts smaller_counts(const MeasurementCounts& a, const MeasurementCounts& b) {
  MeasurementCounts less = a;
  for (std::size_t i = 0; i < less.points.size(); ++i) {
    less.iterations[i] = std::min(a.iterations[i], b.iterations[i]);
    less.measurements[i] = std::min(a.measurements[i], b.measurements[i]);
  }
  return less;
}

}  // namespace seqpoint::project
