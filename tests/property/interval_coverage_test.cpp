// Intervals of 95 % have to hold what they are stated for at least 93 times in 100: costs that are linear or quadratic in
// the length, noise of our own, selections of random runs. Seeds are fixed, so that this passes always or never.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>

#include "core/uncertainty.hpp"
#include "property/draw.hpp"

namespace seqpoint {
namespace {

using testing::Draw;

/// Lengths of a bell, a long tail or a box.
Trace random_run(Draw& draw, int shape) {
  Trace run;
  const double middle = 40 + 200 * draw.uniform();
  for (int i = 0; i < 400; ++i) {
    const double x = shape == 0 ? 1 + 0.25 * draw.normal() : shape == 1 ? std::exp(0.5 * draw.normal()) : 0.4 + 1.2 * draw.uniform();
    run.src_len.push_back(static_cast<std::uint32_t>(std::max(1.0, middle * x)));
  }
  run.batch_size.assign(run.src_len.size(), 32);
  return run;
}

/// What an iteration costs, a + b s + c s^2, and how much a measurement of it strays, as a share.
struct Cost {
  double a, b, c, noise;
  double operator()(double s) const { return a + b * s + c * s * s; }
};

Cost random_cost(Draw& draw, bool quadratic) {
  return {5 + 100 * draw.uniform(), 0.5 + draw.uniform(), quadratic ? 0.01 * draw.uniform() : 0, 0.03};
}

MeasuredPoints measured(const Selection& selection, const Cost& cost, std::uint64_t repeats, Draw& draw) {
  MeasuredPoints points;
  for (std::size_t p = 0; p < selection.points.size(); ++p) {
    std::vector<double> values;
    for (std::uint64_t r = 0; r < repeats; ++r) values.push_back(cost(selection.points[p].key.src_len) * (1 + cost.noise * draw.normal()));
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(repeats);
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    points.point.push_back(p);
    points.value.push_back(mean);
    points.weight.push_back(selection.points[p].weight.iterations());
    points.repeat_variance.push_back(repeats > 1 ? squares / static_cast<double>(repeats - 1) / (mean * mean) : 0);
    points.repeats.push_back(repeats);
  }
  return points;
}

double true_total(const Selection& selection, const Cost& cost) {
  double sum = 0;
  for (const SignatureCount& entry : selection.run.histogram) sum += static_cast<double>(entry.count) * cost(entry.signature.src_len);
  return sum;
}

/// How often intervals held the truth, and how wide they were.
struct Tally {
  int held = 0, all = 0;
  double half_widths = 0, squared_errors = 0;  ///< as shares of the truth

  void add(const Stated& stated, double projected, double truth) {
    ASSERT_TRUE(stated.interval) << stated.note;
    ++all;
    held += stated.interval->low <= truth && truth <= stated.interval->high ? 1 : 0;
    half_widths += (stated.interval->high - stated.interval->low) / 2 / truth;
    squared_errors += std::pow(projected / truth - 1, 2);
  }
  double coverage() const { return static_cast<double>(held) / all; }
  /// The mean half-width over the root mean square error: 1.96 is what the exact standard error would give.
  double width() const { return half_widths / all / std::sqrt(squared_errors / all); }
};

double total_of(const MeasuredPoints& points) {
  return std::inner_product(points.weight.begin(), points.weight.end(), points.value.begin(), 0.0);
}

struct Case {
  std::uint64_t points;
  int configurations;
  std::uint64_t repeats;
  bool quadratic;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.points << " points, " << c.configurations << " configurations, " << c.repeats << " repeats, "
               << (c.quadratic ? "quadratic" : "linear");
  }
};

void measure_once(const Case& c, const Selection& selection, Draw& draw, Tally& totals, Tally& speedups) {
  std::vector<Cost> costs;
  std::vector<MeasuredPoints> all;
  for (int n = 0; n < c.configurations; ++n) {
    costs.push_back(random_cost(draw, c.quadratic));
    all.push_back(measured(selection, costs.back(), c.repeats, draw));
  }
  const Uncertainty uncertainty(selection, 0.95);
  for (MeasuredPoints& points : all) uncertainty.assess(points);
  const std::vector<Stated> stated = uncertainty.totals(all);
  for (std::size_t n = 0; n < all.size(); ++n) totals.add(stated[n], total_of(all[n]), true_total(selection, costs[n]));
  const std::vector<Stated> ratios = uncertainty.ratios(all[0], std::span(all).subspan(1));
  for (std::size_t n = 1; n < all.size(); ++n)
    speedups.add(ratios[n - 1], total_of(all[0]) / total_of(all[n]), true_total(selection, costs[0]) / true_total(selection, costs[n]));
}

class Coverage : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Cases, Coverage,
                         ::testing::Values(Case{5, 1, 1, false}, Case{5, 1, 3, false}, Case{5, 3, 1, false}, Case{8, 1, 1, true},
                                           Case{8, 1, 3, true}, Case{8, 3, 1, true}, Case{8, 3, 3, false}, Case{15, 1, 1, true},
                                           Case{15, 3, 3, true}));

TEST_P(Coverage, IsWhatIsStated) {
  Tally totals, speedups;
  for (std::uint32_t run = 0; run < 24; ++run) {
    Draw draw(run);
    SelectParams params;
    params.points = GetParam().points;
    const Selection selection = select(random_run(draw, static_cast<int>(run % 3)), params);
    for (int n = 0; n < 100; ++n) measure_once(GetParam(), selection, draw, totals, speedups);
  }
  EXPECT_GE(totals.coverage(), 0.93);
  // Repeats average out all of this noise, but intervals leave room for what comes back with an iteration.
  const double room = GetParam().repeats > 1 ? 1 : 0;
  EXPECT_LT(totals.width(), 3.5 + room);
  if (speedups.all > 0) {
    EXPECT_GE(speedups.coverage(), 0.93);
    EXPECT_LT(speedups.width(), 4.5 + room);
  }
}

}  // namespace
}  // namespace seqpoint
