// The plain rule: middles of parts of equal work, weights that meet three totals.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/select/cost_model.hpp"
#include "core/select/select.hpp"
#include "varied_run.hpp"

namespace seqpoint::testing {
namespace {

select::Selection middles(const trace::Trace& run, std::uint64_t points) {
  select::SelectParams params;
  params.method = "midpoints";
  params.points = points;
  return select::select(run, params);
}

double quadratic_cost(const trace::Shape& s) {
  const double length = s.src_len;
  return s.batch_size * (1 + 0.3 * length + 2e-3 * length * length);
}

TEST(Midpoints, AreTheMiddlesOfPartsOfEqualWork) {
  const trace::Trace run = varied_run(400);
  std::vector<double> sizes;
  double total = 0;
  for (const trace::Shape& s : run.shapes) {
    sizes.push_back(select::shape_size(s));
    total += sizes.back();
  }
  std::ranges::sort(sizes);
  std::vector<double> found;
  for (const select::Point& point : middles(run, 8).points) found.push_back(select::shape_size(point.shape));
  ASSERT_EQ(found.size(), 8U);
  std::ranges::sort(found);  // points are in the order of lengths
  double before = 0;
  std::size_t at = 0;
  for (std::size_t part = 0; part < 8; ++part) {
    while (before + sizes[at] < (static_cast<double>(part) + 0.5) / 8 * total) before += sizes[at++];
    EXPECT_NEAR(found[part], sizes[at], 0.02 * sizes[at]) << part;
  }
}

TEST(Midpoints, MeetTheTotalsOfThreeFunctions) {
  const trace::Trace run = varied_run(400);
  double truth = 0, projected = 0, iterations = 0;
  for (const trace::Shape& s : run.shapes) truth += quadratic_cost(s);
  for (const select::Point& point : middles(run, 8).points) {
    projected += point.weight.iterations() * quadratic_cost(point.shape);
    iterations += point.weight.iterations();
  }
  EXPECT_NEAR(projected / truth, 1, 1e-6);
  EXPECT_NEAR(iterations, 400, 1e-6);
}

TEST(Midpoints, DrawNothing) {
  const trace::Trace run = varied_run(300);
  select::SelectParams params;
  params.method = "midpoints";
  params.points = 5;
  const select::Selection one = select::select(run, params);
  params.seed = 7;
  const select::Selection other = select::select(run, params);
  for (std::size_t p = 0; p < one.points.size(); ++p) EXPECT_EQ(one.points[p].iterations, other.points[p].iterations);
  EXPECT_FALSE(select::find_method("midpoints").is_random);
}

}  // namespace
}  // namespace seqpoint::testing
