// Intervals that can be worked out by hand.
#include "core/uncertainty.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace seqpoint {
namespace {

/// t of 95 % for so many degrees of freedom: any table of Student's distribution.
constexpr double kT3 = 3.18245, kT4 = 2.77645, kT6 = 2.44691, kT13 = 2.16037, kT18 = 2.10092;

/// A variance of so many degrees of freedom, and what is usual for one, which counts as twelve: their mean logarithm.
double towards_usual(double variance, double freedom, double usual) {
  return std::max(variance, std::exp((freedom * std::log(variance) + 12 * std::log(usual)) / (freedom + 12)));
}

/// What is usual of a single measurement: 2.5 % of its own and 3.3 % that come back with its iteration.
constexpr double kOwn = 0.025 * 0.025, kShared = 0.033 * 0.033, kUsual = kOwn + kShared;

/// A run of lengths 10, 20, ... that occur so often, each a point that weighs as often as it occurs.
Selection every_length(std::vector<std::uint64_t> counts) {
  Selection selection;
  for (std::uint32_t p = 0; p < counts.size(); ++p) {
    const std::uint32_t length = 10 * (p + 1);
    selection.run.iterations += counts[p];
    selection.run.histogram.push_back({{length, 0, 8}, counts[p]});
    selection.points.push_back({"", {length, {}, 8}, {static_cast<std::int64_t>(counts[p]) * Weight::kUnit}, {}, {}, {}});
  }
  return selection;
}

/// The same points for a run that has lengths between them, too.
Selection some_lengths(std::vector<std::uint64_t> counts) {
  Selection selection = every_length(std::move(counts));
  selection.run.histogram.insert(selection.run.histogram.begin() + 1, {{15, 0, 8}, 2});
  selection.points[0].weight.millionths += Weight::kUnit;
  selection.points[1].weight.millionths += Weight::kUnit;
  selection.run.iterations += 2;
  return selection;
}

MeasuredPoints measured(const Selection& selection, std::vector<double> values) {
  MeasuredPoints points;
  points.point.resize(values.size());
  std::iota(points.point.begin(), points.point.end(), std::size_t{0});
  for (const std::size_t p : points.point) points.weight.push_back(selection.points[p].weight.iterations());
  points.value = std::move(values);
  points.repeat_variance.assign(points.point.size(), 0.0);
  points.repeats.assign(points.point.size(), 1);
  return points;
}

MeasuredPoints repeated(MeasuredPoints points, std::vector<std::uint64_t> repeats, std::vector<double> variance) {
  points.repeats = std::move(repeats);
  points.repeat_variance = std::move(variance);
  return points;
}

double total(const MeasuredPoints& points) {
  return std::inner_product(points.weight.begin(), points.weight.end(), points.value.begin(), 0.0);
}

Stated stated_total(const Selection& selection, MeasuredPoints points) {
  const Uncertainty uncertainty(selection, 0.95);
  uncertainty.assess(points);
  return uncertainty.totals(std::span(&points, 1)).front();
}

void expect_half_width(const Stated& stated, double middle, double half) {
  ASSERT_TRUE(stated.interval) << stated.note;
  EXPECT_NEAR(stated.interval->low, middle - half, 2e-5 * half + 1e-9 * middle);
  EXPECT_NEAR(stated.interval->high, middle + half, 2e-5 * half + 1e-9 * middle);
}

TEST(Interval, OfCostsThatAreExactlyLinearHasNoWidth) {
  const Selection selection = some_lengths({3, 5, 2, 7, 1});
  const MeasuredPoints points = measured(selection, {3, 5, 7, 9, 11});
  // The two iterations of length 15 cost 4 each, as much as one of 10 and one of 20.
  expect_half_width(stated_total(selection, points), total(points), 0);
}

// Two repeats of each of three lengths: relative variances 4e-4, 1e-4, 1e-4 make one of 2e-4, with three degrees of freedom.
TEST(Interval, OfRepeatsWhereEveryLengthIsAPointIsStudents) {
  const Selection selection = every_length({10, 20, 5});
  const MeasuredPoints points = repeated(measured(selection, {1, 7, 2}), {2, 2, 2}, {4e-4, 1e-4, 1e-4});
  const double se = std::sqrt(2e-4 * (10 * 10 + 140 * 140 + 10 * 10) / 2);
  expect_half_width(stated_total(selection, points), 160, kT3 * se);
}

TEST(Interval, RepeatsCountByTheirDegreesOfFreedom) {
  const Selection selection = every_length({10, 20, 5});
  const MeasuredPoints points = repeated(measured(selection, {1, 7, 2}), {4, 1, 2}, {2e-4, 0, 6e-4});
  const double variance = (3 * 2e-4 + 6e-4) / 4;
  const double se = std::sqrt(variance * (10 * 10 / 4.0 + 140 * 140 / 1.0 + 10 * 10 / 2.0));
  expect_half_width(stated_total(selection, points), 160, kT4 * se);
}

TEST(Interval, OfRepeatsDoesNotDependOnOtherConfigurations) {
  const Selection selection = every_length({10, 20, 5, 8});
  const MeasuredPoints quiet = repeated(measured(selection, {1, 2, 4, 4}), {2, 2, 2, 2}, {1e-6, 1e-6, 1e-6, 1e-6});
  const MeasuredPoints noisy = repeated(measured(selection, {1, 2, 4, 4}), {2, 2, 2, 2}, {1e-2, 1e-2, 1e-2, 1e-2});
  const MeasuredPoints once = measured(selection, {1, 2, 4, 4});
  const std::vector<MeasuredPoints> all{quiet, noisy, once};
  const std::vector<Stated> together = Uncertainty(selection, 0.95).totals(all);
  for (std::size_t c = 0; c < 2; ++c) {
    const Stated alone = stated_total(selection, all[c]);
    EXPECT_EQ(together[c].interval->low, alone.interval->low) << c;
    EXPECT_EQ(together[c].interval->high, alone.interval->high) << c;
  }
}

/// Of single measurements all alike.
std::vector<double> alike(std::size_t points) { return std::vector<double>(points, 1.0); }

/// The line that is nearest to all points but `without`, relative to their values and the less the more a point's value
/// varies: minimises sum (1 - (a + b L) / y)^2 / h. The normal equations are solved here, with nothing of the code under test.
struct Line {
  double a, b;

  Line(const std::vector<double>& lengths, const std::vector<double>& values, const std::vector<double>& h, std::size_t without) {
    double s00 = 0, s01 = 0, s11 = 0, r0 = 0, r1 = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i == without) continue;
      const double one = 1 / values[i], l = lengths[i] / values[i];
      s00 += one * one / h[i], s01 += one * l / h[i], s11 += l * l / h[i], r0 += one / h[i], r1 += l / h[i];
    }
    const double determinant = s00 * s11 - s01 * s01;
    a = (r0 * s11 - r1 * s01) / determinant;
    b = (r1 * s00 - r0 * s01) / determinant;
  }
  double residual(double length, double value) const { return 1 - (a + b * length) / value; }
};

/// Of points that weigh so much and vary in proportion to h: sums of squared shares, and of those times what is known of each.
struct Sums {
  double shares = 0, cubes = 0, together = 0, own = 0;

  Sums(const std::vector<double>& lengths, const MeasuredPoints& points) : Sums(lengths, points, alike(points.value.size())) {}
  Sums(const std::vector<double>& lengths, const MeasuredPoints& points, const std::vector<double>& h) {
    const Line line(lengths, points.value, h, points.value.size());
    double unsure = 0;
    for (std::size_t p = 0; p < points.value.size(); ++p) {
      const double share = points.weight[p] * points.value[p] / total(points);
      const Line others(lengths, points.value, h, p);
      shares += share * share;
      cubes += share * share * share;
      unsure += share * share * h[p];
      // A residual over 1 - leverage is that of the line through the others.
      own += share * share * line.residual(lengths[p], points.value[p]) * others.residual(lengths[p], points.value[p]);
      together += std::pow(line.residual(lengths[p], points.value[p]), 2) / h[p] / static_cast<double>(points.value.size() - 2);
    }
    together *= unsure;
  }
  double seen() const { return std::max(together, own); }
  /// How far up the middle of the interval lies, as a share of the total: for disturbances of skewness 0.4, at 95 %.
  double upwards() const { return 0.4 * cubes / std::pow(shares, 1.5) * (2 * 1.959964 * 1.959964 + 1) / 6 * std::sqrt(seen()); }
};

const std::vector<double> kEightLengths{10, 20, 30, 40, 50, 60, 70, 80};

TEST(Interval, OfSingleMeasurementsIsThatOfTheResidualsOfALineAndOfWhatIsUsual) {
  const Selection selection = every_length({10, 20, 5, 8, 3, 6, 2, 4});
  const MeasuredPoints points = measured(selection, {2, 4.2, 5.9, 8.1, 9.85, 12.1, 13.95, 16.2});
  const Sums sums(kEightLengths, points);
  const double half = kT18 * std::sqrt(towards_usual(sums.seen(), 6, kUsual * sums.shares));
  expect_half_width(stated_total(selection, points), total(points) * (1 + sums.upwards()), half * total(points));
}

// The point of length 40 carries most of the total and is the one that strays: the mean of all residuals would hide that.
TEST(Interval, OfAPointThatStraysIsAsWideAsItsShare) {
  const Selection selection = every_length({2, 2, 2, 60, 2, 2, 2, 2});
  const MeasuredPoints points = measured(selection, {2, 4, 6, 8.3, 10, 12, 14, 16});
  const Sums sums(kEightLengths, points);
  ASSERT_GT(sums.own, sums.together);
  ASSERT_LT(sums.own, kUsual * sums.shares);
  const double half = kT18 * std::sqrt(towards_usual(sums.own, 6, kUsual * sums.shares));
  expect_half_width(stated_total(selection, points), total(points) * (1 + sums.upwards()), half * total(points));
}

// At any confidence, what was projected lies within what is stated.
TEST(Interval, ReachesFurtherUpThanDownAndHoldsTheTotal) {
  const Selection selection = every_length({2, 2, 2, 60, 2, 2, 2, 2});
  MeasuredPoints points = measured(selection, {2, 4, 6, 8.3, 10, 12, 14, 16});
  for (const double confidence : {0.01, 0.5, 0.9, 0.999}) {
    const Uncertainty uncertainty(selection, confidence);
    uncertainty.assess(points);
    const Stated stated = uncertainty.totals(std::span(&points, 1)).front();
    ASSERT_TRUE(stated.interval) << stated.note;
    EXPECT_LE(stated.interval->low, total(points));
    EXPECT_GT(stated.interval->high - total(points), total(points) - stated.interval->low);
  }
}

// Six degrees of freedom are the points' own; the twelve of what is usual count for less where the points lie far beyond it.
TEST(Interval, OfPointsThatStrayUnusuallyFarIsMostlyTheirOwn) {
  const Selection selection = every_length({2, 2, 2, 60, 2, 2, 2, 2});
  const MeasuredPoints points = measured(selection, {2, 4, 6, 9.2, 10, 12, 14, 16});
  const Sums sums(kEightLengths, points);
  ASSERT_GT(sums.own, 5 * kUsual * sums.shares);
  const Stated stated = stated_total(selection, points);
  ASSERT_TRUE(stated.interval) << stated.note;
  const double half = (stated.interval->high - stated.interval->low) / 2 / total(points);
  EXPECT_GT(half, kT18 * std::sqrt(sums.own));
  EXPECT_LT(half, kT6 * std::sqrt(sums.own));
}

// A part of what is usual is each repeat's own and averages out; the points' distances from the line stay as they are.
TEST(Interval, OfRepeatsTakesAPartOfWhatIsUsualAsAveraged) {
  const Selection selection = every_length({10, 20, 5, 8, 3, 6, 2, 4});
  Selection some = selection;
  some.points[0].weight.millionths += 1;  // not every signature as often as it occurs, or repeats alone would count
  MeasuredPoints points = measured(selection, {2, 4.2, 5.9, 8.1, 9.85, 12.1, 13.95, 16.2});
  const Sums sums(kEightLengths, points);
  points = repeated(points, std::vector<std::uint64_t>(8, 4), std::vector<double>(8, 1e-9));
  const double usual = (kOwn / 4 + kShared) * sums.shares;
  const double half = kT18 * std::sqrt(towards_usual(sums.seen(), 6, usual));
  const Stated stated = stated_total(some, points);
  ASSERT_TRUE(stated.interval) << stated.note;
  EXPECT_NEAR((stated.interval->high - stated.interval->low) / 2 / total(points), half, 1e-5);
}

// What was measured nine times lies nearer to what it stands for, and the line nearer to it.
TEST(Interval, PointsThatWereMeasuredMoreOftenAreSurer) {
  Selection selection = every_length({10, 20, 5, 8, 3, 6, 2, 4});
  selection.points[0].weight.millionths += 1;  // as above
  const std::vector<std::uint64_t> repeats{9, 9, 1, 1, 1, 1, 1, 1};
  const MeasuredPoints points = repeated(measured(selection, {2, 4.2, 5.9, 8.1, 9.85, 12.1, 13.95, 16.2}), repeats, std::vector<double>(8, 1e-9));
  std::vector<double> h;
  for (const std::uint64_t r : repeats) h.push_back(kOwn / static_cast<double>(r) + kShared);
  const double mean = std::accumulate(h.begin(), h.end(), 0.0) / 8;
  for (double& variance : h) variance /= mean;
  const Sums sums(kEightLengths, points, h);
  double usual = 0;
  for (std::size_t p = 0; p < 8; ++p)
    usual += std::pow(points.weight[p] * points.value[p] / total(points), 2) * (kOwn / static_cast<double>(repeats[p]) + kShared);
  const double half = kT18 * std::sqrt(towards_usual(sums.seen(), 6, usual));
  const Stated stated = stated_total(selection, points);
  ASSERT_TRUE(stated.interval) << stated.note;
  EXPECT_NEAR((stated.interval->high - stated.interval->low) / 2 / total(points), half, 1e-5);
}

// Two iterations of length 15 are given to 10 and 20, whose costs 3 and 5 the first time lie on a line with 4 at 15; the
// second time a third point makes the curve bend, and what it says of 15 is told by the interval.
TEST(Interval, HoldsWhatTheCurveSaysOfLengthsThatAreNoPoints) {
  const Selection selection = some_lengths({3, 5, 2, 7, 1});
  const MeasuredPoints points = repeated(measured(selection, {3, 5, 9, 15, 23}), {9, 9, 9, 9, 9}, {0, 0, 0, 0, 0});
  std::vector<PointKey> keys;
  for (const Point& point : selection.points) keys.push_back(point.key);
  const double missed = std::abs(8 - 2 * CostCurve(keys, points.value)({15, 0, 8}));
  ASSERT_GT(missed, 0.1);
  const Stated stated = stated_total(selection, points);
  ASSERT_TRUE(stated.interval);
  EXPECT_LE(stated.interval->low, total(points) - missed);
  EXPECT_GE(stated.interval->high, total(points) + missed);
}

// Five draws happen to meet all five lengths, but weigh the same, whatever the lengths' counts are.
TEST(Interval, MeetingEverySignatureIsNotRepresentingIt) {
  Selection selection = every_length({1, 1, 1, 1, 26});
  const MeasuredPoints counted = repeated(measured(selection, {1, 2, 3, 4, 5}), {3, 3, 3, 3, 3}, std::vector<double>(5, 1e-12));
  for (Point& point : selection.points) point.weight.millionths = 6 * Weight::kUnit;
  const MeasuredPoints drawn = repeated(measured(selection, {1, 2, 3, 4, 5}), {3, 3, 3, 3, 3}, std::vector<double>(5, 1e-12));
  ASSERT_EQ(total(counted), 140);
  const Stated stated = stated_total(selection, drawn);
  ASSERT_TRUE(stated.interval);
  EXPECT_GE(stated.interval->high, total(counted)) << "what the run costs";
}

TEST(Interval, ThereIsNoneWithoutAnythingToTellNoiseBy) {
  const Selection two = some_lengths({3, 5});
  EXPECT_FALSE(stated_total(two, measured(two, {1, 2})).interval);
  EXPECT_FALSE(stated_total(two, repeated(measured(two, {1, 2}), {5, 5}, {1e-4, 1e-4})).interval) << "nothing shows how costs bend";
  const Selection all = every_length({3, 5});
  EXPECT_FALSE(stated_total(all, measured(all, {1, 2})).interval);
  EXPECT_TRUE(stated_total(all, repeated(measured(all, {1, 2}), {2, 1}, {1e-4, 0})).interval);
  const Selection three = some_lengths({3, 5, 4});
  EXPECT_FALSE(stated_total(three, measured(three, {0, 0, 0})).interval);
  EXPECT_TRUE(stated_total(three, measured(three, {1, 2, 3.1})).interval);
  for (const auto& selection : {two, all}) {
    const std::size_t points = selection.points.size();
    EXPECT_FALSE(stated_total(selection, measured(selection, std::vector<double>(points, 1.0))).note.empty());
  }
}

TEST(Interval, OfATotalBelowZeroLiesAroundIt) {
  const Selection selection = some_lengths({3, 5, 2, 7});
  const MeasuredPoints points = measured(selection, {-3, -5.2, -7, -9});
  const Stated stated = stated_total(selection, points);
  ASSERT_TRUE(stated.interval) << stated.note;
  EXPECT_LT(stated.interval->low, total(points));
  EXPECT_GT(stated.interval->high, total(points));
}

Stated stated_ratio(const Selection& selection, const MeasuredPoints& base, const MeasuredPoints& other) {
  return Uncertainty(selection, 0.95).ratios(base, std::span(&other, 1)).front();
}

TEST(RatioInterval, OfTwoThatAreInProportionHasNoWidth) {
  const Selection selection = some_lengths({3, 5, 2, 7});
  const MeasuredPoints base = measured(selection, {3, 5.5, 6.5, 9}), other = measured(selection, {1.5, 2.75, 3.25, 4.5});
  expect_half_width(stated_ratio(selection, base, other), 2, 0);
}

// Each length measured twice on both: the variance of a log ratio is the sum of theirs, here 5e-4.
TEST(RatioInterval, OfRepeatsWhereEveryLengthIsAPointIsStudentsOnTheLogarithm) {
  const Selection selection = every_length({10, 20, 5});
  const MeasuredPoints base = repeated(measured(selection, {2, 14, 4}), {2, 2, 2}, {4e-4, 4e-4, 4e-4});
  const MeasuredPoints other = repeated(measured(selection, {1, 7, 2}), {2, 2, 2}, {1e-4, 1e-4, 1e-4});
  const double half = kT3 * std::sqrt(5e-4 * (100 + 140 * 140 + 100) / 2) / 160;
  const Stated stated = stated_ratio(selection, base, other);
  ASSERT_TRUE(stated.interval) << stated.note;
  EXPECT_NEAR(stated.interval->low, 2 * std::exp(-half), 1e-6);
  EXPECT_NEAR(stated.interval->high, 2 * std::exp(half), 1e-6);
}

// Log ratios 0, 0.03, 0 of three points. The line leaves -0.01, 0.02, -0.01, and its leverages are 5/6, 1/3, 5/6: either way
// of looking at it, the variance of a point is 6e-4. Two measurements make a ratio.
TEST(RatioInterval, OfThreePointsHasOneDegreeOfFreedomAndWhatIsUsual) {
  const Selection selection = every_length({4, 4, 4});
  const MeasuredPoints base = measured(selection, {1, std::exp(0.03), 1}), other = measured(selection, {1, 1, 1});
  double squares = 0;
  for (const double value : base.value) squares += std::pow((value / (2 + std::exp(0.03)) + 1.0 / 3) / 2, 2);
  const double half = kT13 * std::sqrt(towards_usual(6e-4 * squares, 1, 2 * kUsual * squares));
  const Stated stated = stated_ratio(selection, base, other);
  ASSERT_TRUE(stated.interval) << stated.note;
  EXPECT_NEAR(stated.interval->high / stated.interval->low, std::exp(2 * half), 1e-4);
}

// The same points on two machines that agree in everything are worth one.
TEST(Interval, OfConfigurationsThatStrayAlikeIsThatOfOne) {
  const Selection selection = some_lengths({3, 5, 2});
  const std::vector<MeasuredPoints> two(2, measured(selection, {1, 2.1, 3.3}));
  const std::vector<Stated> stated = Uncertainty(selection, 0.95).totals(two);
  ASSERT_TRUE(stated[0].interval) << stated[0].note;
  const Stated alone = Uncertainty(selection, 0.95).totals(std::span(two).first(1)).front();
  EXPECT_NEAR(stated[0].interval->high, alone.interval->high, 1e-9);
}

TEST(RatioInterval, ThereIsNoneForDifferentPointsOrValuesNotAboveZero) {
  const Selection selection = some_lengths({3, 5, 2, 7});
  const MeasuredPoints base = measured(selection, {3, 5, 7, 9});
  MeasuredPoints other = base;
  other.point = {0, 1, 2, 4};
  EXPECT_FALSE(stated_ratio(selection, base, other).interval);
  EXPECT_FALSE(stated_ratio(selection, base, measured(selection, {3, 0, 7, 9})).interval);
  EXPECT_TRUE(stated_ratio(selection, base, measured(selection, {3, 6, 7, 9})).interval);
}

}  // namespace
}  // namespace seqpoint
