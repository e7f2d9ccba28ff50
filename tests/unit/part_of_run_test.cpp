// A run of which a random part has known lengths: counts are estimates that add up, and the interval has their error.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/project/run_estimator.hpp"
#include "core/select/select.hpp"
#include "io/artifacts/files.hpp"
#include "seqpoint/error.hpp"
#include "varied_run.hpp"

namespace seqpoint {
namespace {

trace::Trace read_part(const std::string& text) {
  return io::artifacts::read_trace(io::stream::Input::from_memory("order.csv", text)).trace;
}

TEST(PartOfARun, IsReadFromItsColumn) {
  const trace::Trace part = read_part("iteration,src_len,batch_size,batches\n2,10,4,9\n5,20,4,9\n7,10,4,9\n");
  EXPECT_EQ(part.of_batches, 9U);
  EXPECT_EQ(part.iteration_number(1), 5U);
  const trace::RunSummary run = trace::summarise(part);
  EXPECT_EQ(run.iterations, 9U);
  EXPECT_EQ(run.loaded, 3U);
  EXPECT_EQ(run.samples, 36U);
  EXPECT_EQ(run.padded_tokens, 3U * (40 + 80 + 40));
  ASSERT_EQ(run.histogram.size(), 2U);
  EXPECT_EQ(run.histogram[0].count, 6U);
  EXPECT_EQ(run.histogram[1].count, 3U);
}

TEST(PartOfARun, HasCountsThatAddUp) {
  const trace::Trace part = read_part("src_len,batch_size,batches\n1,4,10\n2,4,10\n3,4,10\n");
  std::uint64_t sum = 0;
  for (const trace::ShapeCount& entry : trace::summarise(part).histogram) {
    EXPECT_GE(entry.count, 3U);
    EXPECT_LE(entry.count, 4U);
    sum += entry.count;
  }
  EXPECT_EQ(sum, 10U);
}

TEST(PartOfARun, IsTheRunIfItHasAllOfIt) {
  const trace::RunSummary run = trace::summarise(read_part("src_len,batch_size,batches\n1,4,2\n2,4,2\n"));
  EXPECT_EQ(run.loaded, 0U);
  EXPECT_EQ(run.iterations, 2U);
}

TEST(PartOfARun, IsRefusedIfItContradictsItself) {
  EXPECT_THROW(read_part("src_len,batch_size,batches\n1,4,9\n2,4,8\n"), InputError) << "two runs";
  EXPECT_THROW(read_part("iteration,src_len,batch_size,batches\n2,10,4,9\n9,20,4,9\n"), InputError) << "10 batches";
  EXPECT_THROW(read_part("epoch,src_len,batch_size,batches\n0,1,4,9\n1,2,4,9\n"), InputError) << "two epochs";
}

/// Every point measured once, at this cost of a shape.
project::MeasuredPoints measured_at(const select::Selection& selection, double fixed, double each) {
  project::MeasuredPoints points;
  for (std::size_t p = 0; p < selection.points.size(); ++p) {
    points.counts.points.push_back(p);
    points.counts.iterations.push_back(1);
    points.counts.measurements.push_back(1);
    points.values.push_back(fixed + each * static_cast<double>(selection.points[p].shape.padded_tokens()));
  }
  return points;
}

/// Costs of fixed + each * tokens.
struct Costs {
  double fixed, each;
};

/// The variance that lengths add to an epoch, or to the logarithm of its ratio to one with other costs, as a share, if
/// the run is a part of so many batches.
double variance_added(trace::Trace run, std::uint64_t of_batches, const Costs& costs,
                      const std::optional<Costs>& other = {}) {
  select::SelectParams params;
  params.points = 8;
  run.of_batches = of_batches;
  const select::Selection selection = select::select(run, params);
  const project::RunEstimator estimator(selection);
  const project::MeasuredPoints points = measured_at(selection, costs.fixed, costs.each);
  const project::RunEstimator::Fit fit = estimator.fit(points.counts);
  if (other) {
    const project::Estimate ratio = estimator.ratio(fit, points, measured_at(selection, other->fixed, other->each));
    return ratio.parts.lengths * std::pow(ratio.unit, 2);
  }
  const project::Estimate found = estimator.estimate(fit, points);
  return found.parts.lengths * std::pow(found.unit / found.value, 2);
}

// The variance of the mean of K costs out of N, any of them, is that of the costs / K (1 - K / N).
TEST(PartOfARun, AddsTheErrorOfItsCostsToTheInterval) {
  const trace::Trace run = testing::varied_run(400);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto tokens = static_cast<double>(run.padded_tokens_at(i));
    sum += tokens;
    squares += tokens * tokens;
  }
  const double mean = sum / 400, variance = (squares / 400 - mean * mean) / (mean * mean);
  const Costs of_tokens{0, 1e-4}, fixed{1, 1e-9};
  EXPECT_NEAR(variance_added(run, 4000, of_tokens) / (variance / 400 * 0.9), 1, 0.05);
  EXPECT_NEAR(variance_added(run, 800, of_tokens) / (variance / 400 * 0.5), 1, 0.05);
  EXPECT_EQ(variance_added(run, 0, of_tokens), 0) << "all lengths are known";
  EXPECT_LT(variance_added(run, 4000, fixed), 0.01 * variance / 400) << "tokens hardly matter to a fixed cost";
  EXPECT_NEAR(variance_added(run, 4000, of_tokens, fixed) / (variance / 400 * 0.9), 1, 0.05) << "a ratio";
  EXPECT_LT(variance_added(run, 4000, of_tokens, Costs{0, 3e-4}), 1e-9) << "a ratio of costs in proportion";
}

/// A part of a run whose batches have so many tokens: one batch of each of `parts` equal parts.
trace::Trace one_of_each(const std::vector<std::uint32_t>& tokens, std::size_t parts, std::uint64_t draw) {
  trace::Trace part;
  part.of_batches = tokens.size();
  for (std::size_t p = 0; p < parts; ++p) {
    const std::size_t begin = p * tokens.size() / parts, end = (p + 1) * tokens.size() / parts;
    draw = draw * 6364136223846793005U + 1442695040888963407U;
    const std::size_t place = begin + (draw >> 33U) % (end - begin);
    part.iteration.push_back(place);
    part.shapes.push_back({.src_len = tokens[place], .batch_size = 1});
  }
  return part;
}

/// The errors of the mean of 500 of 20,000 batches in 300 draws (RMS), and the standard error that is stated of it.
std::pair<double, double> errors_of_part(bool sorted) {
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t i = 0; i < 20000; ++i) tokens.push_back(100 + (sorted ? i : i * 7919U % 20000U) / 20);
  const double mean = 100 + 499.5, variance = 1000.0 * 1000 / 12 / (mean * mean);
  double squares = 0, stated = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const trace::RunSummary run = trace::summarise(one_of_each(tokens, 500, seed));
    squares += std::pow(static_cast<double>(run.padded_tokens) / 20000 / mean - 1, 2) / 300;
    stated += run.loaded_variance.value_or(1) * variance / 500 * (1 - 500 / 20000.0) / 300;
  }
  return {std::sqrt(squares), std::sqrt(stated)};
}

TEST(PartOfARun, HasTheErrorOfItsParts) {
  const auto [of_mixed, stated_of_mixed] = errors_of_part(false);
  EXPECT_NEAR(of_mixed / stated_of_mixed, 1, 0.2);
  const auto [of_sorted, stated_of_sorted] = errors_of_part(true);
  EXPECT_LT(of_sorted, 0.01 * of_mixed);
  EXPECT_GT(stated_of_sorted, of_sorted) << "neighbours differ by the trend, too";
  EXPECT_LT(stated_of_sorted, 5 * of_sorted);
}

TEST(PartOfARun, OfWhichAPartHasNoneMayBeAny) {
  std::vector<std::uint32_t> tokens(20000);
  for (std::uint32_t i = 0; i < tokens.size(); ++i) tokens[i] = 100 + i;
  EXPECT_TRUE(trace::summarise(one_of_each(tokens, trace::kFewestParts, 1)).loaded_variance);
  trace::Trace part = one_of_each(tokens, trace::kFewestParts, 1);
  part.iteration[7] = 321;  // of the ninth part, 320 to 359: the eighth has none
  part.iteration[8] = 322;
  EXPECT_FALSE(trace::summarise(part).loaded_variance);
}

TEST(PartOfARun, HasFurtherPointsWithWeightsOfTheWholeRun) {
  trace::Trace run = testing::varied_run(400);
  select::SelectParams params;
  params.points = 8;
  const select::Selection of_all = select::with_further_points(select::select(run, params), run, 12);
  run.of_batches = 4000;
  const select::Selection of_part = select::with_further_points(select::select(run, params), run, 12);
  ASSERT_EQ(of_part.points.size(), of_all.points.size());
  for (std::size_t p = 0; p < of_all.points.size(); ++p) {
    EXPECT_EQ(of_part.points[p].shape, of_all.points[p].shape);
    EXPECT_NEAR(of_part.points[p].weight.iterations(), 10 * of_all.points[p].weight.iterations(), 1e-4);
  }
}

TEST(PartOfARun, IsNotCutIntoParts) {
  trace::Trace run = testing::varied_run(400);
  run.of_batches = 4000;
  select::SelectParams params;
  params.parts = 2;
  EXPECT_THROW(select::select(run, params), ParameterError);
}

}  // namespace
}  // namespace seqpoint
