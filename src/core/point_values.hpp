/// \file
/// A metric at the points of a selection: what stands for its repeats, and how much each point weighs.
#pragma once

#include <optional>
#include <vector>

#include "seqpoint/selection.hpp"
#include "uncertainty.hpp"

namespace seqpoint {

/// A metric at every point of one configuration, with the weights after the missing points' have moved.
struct PointValues {
  std::vector<std::optional<double>> value;
  std::vector<double> weight;
  double coverage = 1;
  bool any() const { return coverage > 0; }
};

/// The mean of every point's repeats, or their median where `robust`.
PointValues values_of(const Selection& selection, const std::vector<std::vector<double>>& repeats, bool robust);

/// What the intervals look at. A median of normal values has pi / 2 times the variance of their mean.
MeasuredPoints measured_points(const PointValues& metric, const std::vector<std::vector<double>>& repeats, bool robust);

/// Sum of weight x value.
double total_of(const PointValues& metric);
/// Of at least one value.
double max_of(const PointValues& metric);
/// The mean of a rate, each point counting as much as `amount` says (nothing: as its weight alone).
double rate_of(const PointValues& metric, const std::vector<std::optional<double>>* amount);

/// Only what was measured at the same points as `other`.
PointValues where_both(const Selection& selection, const PointValues& metric, const PointValues& other);

/// Weights of the points once those of the points that were not measured have moved. Of each point; 0 where it was not measured.
/// All 0 where none was.
std::vector<double> weights_where(const Selection& selection, const std::vector<bool>& measured);

}  // namespace seqpoint
