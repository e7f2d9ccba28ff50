// Methods that draw an iteration of each stratum: which iterations there are to draw, and weights beside a least
// squares fit that is worked out a second time, on raw lengths, by elimination.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/select/select.hpp"
#include "core/trace/trace.hpp"
#include "property/draw.hpp"

namespace sampling_property {
namespace {

using seqpoint::select::Point;
using seqpoint::select::Selection;
using seqpoint::select::SelectParams;
using seqpoint::testing::affordable;
using seqpoint::testing::Draw;
using seqpoint::testing::for_all_seeds;
using seqpoint::testing::for_seeds;
using seqpoint::trace::Trace;

/// A run of one batch size, of one length or of pairs, long enough for every stratum to have many iterations.
Trace random_run(Draw& draw, bool paired) {
  Trace run;
  run.kind = seqpoint::trace::kind_of(seqpoint::trace::BatchLayout::padded, paired);
  for (std::uint64_t i = 0; i < 400; ++i) {
    run.shapes.push_back({.src_len = static_cast<std::uint32_t>(draw.between(20, 120)),
                          .tgt_len = paired ? static_cast<std::uint32_t>(draw.between(20, 120)) : 0,
                          .batch_size = 16});
  }
  return run;
}

Selection drawn(const Trace& run, const std::string& method, std::uint64_t points, std::uint64_t seed) {
  SelectParams params;
  params.method = method;
  params.points = points;
  params.seed = seed;
  return seqpoint::select::select(run, params);
}

double size_at(const Trace& run, std::size_t i) {
  const seqpoint::trace::Shape& at = run.shapes[i];
  return at.batch_size * (at.src_len + static_cast<double>(at.tgt_len));
}

/// The stratum of every iteration: how many parts of the padded tokens lie before its middle, in order of size.
std::vector<std::uint64_t> stratum_of_each(const Trace& run, std::uint64_t parts) {
  std::vector<std::size_t> order;
  double total = 0, before = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    order.push_back(i);
    total += size_at(run, i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size_at(run, a) < size_at(run, b); });
  std::vector<std::uint64_t> strata(run.size());
  for (const std::size_t i : order) {
    strata[i] = static_cast<std::uint64_t>((before + size_at(run, i) / 2) * static_cast<double>(parts) / total);
    before += size_at(run, i);
  }
  return strata;
}

using Row = std::vector<double>;

/// What a fit may use of an iteration, in any unit.
Row functions_at(const Trace& run, std::size_t i, const std::string& method) {
  const double s = run.shapes[i].src_len, t = run.shapes[i].tgt_len;
  if (method == "stratified") return {1, s + t};
  return run.kind == seqpoint::trace::ShapeKind::padded ? Row{1, s, s * s} : Row{1, s, t, s * t};
}

/// The coefficients with the least sum of share (y - F b)^2: normal equations, by elimination with pivots.
Row fitted(const std::vector<Row>& f, const Row& shares, const Row& y) {
  const std::size_t n = f[0].size();
  std::vector<Row> m(n, Row(n + 1, 0));
  for (std::size_t p = 0; p < f.size(); ++p)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) m[i][j] += shares[p] * f[p][i] * f[p][j];
      m[i][n] += shares[p] * f[p][i] * y[p];
    }
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(m[r][c]) > std::abs(m[pivot][c])) pivot = r;
    std::swap(m[c], m[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double factor = m[r][c] / m[c][c];
      for (std::size_t k = c; k <= n; ++k) m[r][k] -= factor * m[c][k];
    }
  }
  Row coefficients;
  for (std::size_t c = 0; c < n; ++c) coefficients.push_back(m[c][n] / m[c][c]);
  return coefficients;
}

double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(StratifiedMethods, DrawOneIterationOfEachStratumOfEqualPaddedTokens) {
  for (const std::string method : {"stratified", "regression"})
    for_seeds(50, [&](Draw& draw) {
      const Trace run = random_run(draw, draw.below(2) == 0);
      const std::uint64_t parts = draw.between(1, 30);
      const std::vector<std::uint64_t> strata = stratum_of_each(run, parts);
      std::set<std::uint64_t> seen;
      for (const Point& point : drawn(run, method, parts, draw.below(1000)).points)
        EXPECT_TRUE(seen.insert(strata[point.iterations.at(0)]).second) << "two of a stratum";
      EXPECT_LE(parts - seen.size(), parts / 8) << "of weight 0";
      if (method == "stratified" && parts > 3) {
        EXPECT_EQ(seen.size(), parts);
      }
    });
}

TEST(StratifiedMethods, DrawEveryIterationOfAStratumAboutEquallyOften) {
  Draw draw(7);
  const Trace run = random_run(draw, false);
  const std::vector<std::uint64_t> strata = stratum_of_each(run, 40);
  std::map<std::uint64_t, double> members, times;
  for (const std::uint64_t stratum : strata) ++members[stratum];
  constexpr std::uint64_t kSeeds = 2000;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
    for (const Point& point : drawn(run, "stratified", 40, seed).points) ++times[point.iterations.at(0)];
  double chi_square = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const double expected = kSeeds / members[strata[i]];
    chi_square += (times[i] - expected) * (times[i] - expected) / expected;
  }
  // 360 degrees of freedom, a standard deviation of 27.
  EXPECT_NEAR(chi_square, 360, 5 * 27);
}

// The weighted sum is what least squares predicts of the whole run, wherever that needs no negative weight.
TEST(StratifiedMethods, WeightsGiveTheTotalThatLeastSquaresPredicts) {
  for (const std::string method : {"stratified", "regression"}) {
    std::uint32_t compared = 0;
    for_all_seeds(affordable(60), [&](Draw& draw) {
      const Trace run = random_run(draw, draw.below(2) == 0);
      const std::uint64_t parts = draw.between(12, 40);
      const std::vector<std::uint64_t> strata = stratum_of_each(run, parts);
      const std::vector<Point> points = drawn(run, method, parts, draw.below(1000)).points;
      if (points.size() < parts) return;  // one had no weight
      Row shares, y, totals = functions_at(run, 0, method);
      std::fill(totals.begin(), totals.end(), 0);
      for (std::size_t i = 0; i < run.size(); ++i)
        for (std::size_t k = 0; k < totals.size(); ++k) totals[k] += functions_at(run, i, method)[k];
      std::vector<Row> f;
      double projected = 0;
      for (const Point& point : points) {
        const std::uint64_t i = point.iterations.at(0);
        shares.push_back(static_cast<double>(std::count(strata.begin(), strata.end(), strata[i])));
        y.push_back(draw.positive());
        f.push_back(functions_at(run, i, method));
        projected += point.weight.iterations() * y.back();
      }
      const double predicted = dot(totals, fitted(f, shares, y));
      EXPECT_NEAR(projected, predicted, 1e-4 * static_cast<double>(points.size())) << "weights are rounded to 1e-6";
      ++compared;
    });
    EXPECT_GT(compared, affordable(60) / 2) << method;
  }
}

// Few points of pairs, four totals: plain least squares would weigh one in many below zero.
TEST(StratifiedMethods, WeightsAreNeverNegativeAndStillMeetTheTotals) {
  std::uint32_t met = 0, left_out = 0;
  for_all_seeds(200, [&](Draw& draw) {
    const Trace run = random_run(draw, true);
    double size = 0, projected = 0;
    const std::vector<Point> points = drawn(run, "regression", 6, draw.below(1000)).points;
    for (std::size_t i = 0; i < run.size(); ++i) size += size_at(run, i);
    for (const Point& point : points) {
      EXPECT_GT(point.weight.millionths, 0);
      projected += point.weight.iterations() * size_at(run, point.iterations.at(0));
    }
    met += std::abs(projected / size - 1) < 1e-6 ? 1 : 0;
    left_out += points.size() < 6 ? 1 : 0;
  });
  EXPECT_GT(met, 160U);
  EXPECT_GT(left_out, 0U) << "no weight was held at zero: this tries nothing";
}

}  // namespace
}  // namespace sampling_property
