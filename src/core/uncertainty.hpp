/// \file
/// Where a projected figure lies: METHOD 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/cost_curve.hpp"
#include "seqpoint/projection.hpp"

namespace seqpoint {

/// One metric of one configuration where it was measured.
struct MeasuredPoints {
  std::vector<std::size_t> point;        ///< positions in Selection::points, ascending
  std::vector<double> value;             ///< each the mean, or median, of the repeats
  std::vector<double> weight;            ///< iterations, after those of points that were not measured have moved
  std::vector<double> repeat_variance;   ///< of one repeat, relative to the value squared; 0 with a single one
  std::vector<std::uint64_t> repeats;    ///< >= 1
  double missed = 0;                     ///< the total less that of the curve through the points, as a share of it
};

/// An interval, or why there is none.
struct Stated {
  std::optional<Interval> interval;
  std::string note;
};

struct ResidualSpread;

/// States intervals for figures projected from one selection.
///
/// A total Y = sum w_p y_p gets Y + D +- (t SE + |B|).
/// SE^2 is the larger of s^2 sum (w_p y_p)^2 and sum (w_p y_p e_p)^2. s^2 is the variance of a point's relative distance
/// from a low-order fit over the points (1, b L and, where it lowers the variance to a third, b L^2; where batch sizes differ
/// by more than a factor of two also L; L = s + t; without padding L = tokens, and sq_tokens stands for b L^2): noise, what differs between iterations of one signature, and jagged cost
/// alike. e_p is its residual over the square root of 1 - leverage. s^2 is pooled over the configurations that measured the
/// same points and do not clearly differ in it (F test at 1 %), with nu degrees of freedom each and together
/// nu C / (1 + (C - 1) r^2), r being the correlation of their residuals. Where SE^2 is below what is usual, with
/// u_p^2 = 0.025^2 / r_p + 0.033^2 in place of s^2, it becomes the geometric mean of the two with weights nu and 12; t has
/// nu + 12 degrees of freedom, fewer the further SE^2 lies above the usual. Where points were
/// measured repeatedly, the variance between repeats gives a second SE with sum (r_p - 1) degrees of freedom, and the
/// wider of the two is taken: repeats of one iteration do not see how iterations differ.
/// D = 0.4 sum a_p^3 / (sum a_p^2)^1.5 (2 z^2 + 1) / 6 SE, with a_p = w_p y_p, z the normal quantile and SE before it is moved,
/// for values above 0: timings stray further upwards than downwards (skewness of a studentised mean, Hall 1992).
/// B = Y less the total of the CostCurve through the points: the representation error that is left.
/// Of a run that is cut into phases, s and B are of values that were brought to one level: each divided by how its phase
/// stands to the low-order fit through all points. Every phase beyond the first costs s a degree of freedom.
/// Where every signature of the run is a point that weighs as often as it occurs, there is nothing to represent: B = 0, and
/// repeats alone decide if there are any.
/// A ratio of totals that were measured at the same points: the same on the logarithm, with the points' log ratios fitted
/// by 1 and L, u^2 that of two measurements, and B of both subtracted, since much of it cancels.
class Uncertainty {
 public:
  Uncertainty(const Selection&, double confidence);

  /// Fills in `missed`, which the others need.
  void assess(MeasuredPoints&) const;
  /// Of the total of every configuration.
  std::vector<Stated> totals(std::span<const MeasuredPoints> configurations) const;
  /// Of base total / other total, for every other.
  std::vector<Stated> ratios(const MeasuredPoints& base, std::span<const MeasuredPoints> others) const;

 private:
  struct Squares;
  ResidualSpread spread(const MeasuredPoints&) const;
  ResidualSpread ratio_spread(const MeasuredPoints& base, const MeasuredPoints& other) const;
  std::vector<ResidualSpread> pooled(std::vector<ResidualSpread> own) const;
  std::string obstacle(const MeasuredPoints&, const ResidualSpread&) const;
  std::string obstacle(const MeasuredPoints& base, const MeasuredPoints& other) const;
  Stated total(const MeasuredPoints&, const ResidualSpread&) const;
  Stated ratio(const MeasuredPoints& base, const MeasuredPoints& other, const ResidualSpread&) const;
  static double seen(const ResidualSpread&, const Squares&);
  double half_width(const ResidualSpread&, const Squares&) const;
  double upwards(const ResidualSpread&, const Squares&) const;
  double quantile(double freedom) const;
  bool exact(const MeasuredPoints&) const;
  MeasuredPoints levelled(const MeasuredPoints&) const;
  std::ptrdiff_t levels_of(const MeasuredPoints&) const;

  const Selection& selection_;
  double confidence_;
  bool every_signature_;
  std::vector<double> length_, batch_;  ///< L and b of the points, as shares of the largest
  std::vector<double> squares_;         ///< what a curve is fitted by: b L^2, or sq_tokens as a share of the largest
  mutable std::map<int, double> quantiles_, ratios_;  ///< by degrees of freedom
};

}  // namespace seqpoint
