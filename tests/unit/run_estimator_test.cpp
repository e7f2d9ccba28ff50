// From measured points to a run: exact where the model says so, and intervals put together by hand from their parts.
#include "core/project/run_estimator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "core/select/select.hpp"
#include "varied_run.hpp"

namespace seqpoint {
namespace {

using Cost = std::function<double(const trace::Shape&)>;

select::Selection selected(const trace::Trace& run, std::uint64_t points, std::uint64_t phases = 1) {
  select::SelectParams params;
  params.points = points;
  params.parts = phases;
  return select::select(run, params);
}

trace::Shape shape_of(const select::Selection& selection, std::size_t p) { return selection.points[p].shape; }

/// One measurement of every point but those left out.
project::MeasuredPoints measured(const select::Selection& selection, const Cost& cost,
                                 const std::vector<std::size_t>& left_out = {}) {
  project::MeasuredPoints points;
  for (std::size_t p = 0; p < selection.points.size(); ++p) {
    if (std::find(left_out.begin(), left_out.end(), p) != left_out.end()) continue;
    points.counts.points.push_back(p);
    points.counts.iterations.push_back(1);
    points.counts.measurements.push_back(1);
    points.values.push_back(cost(shape_of(selection, p)));
  }
  return points;
}

double total_of(const trace::RunSummary& run, const Cost& cost) {
  double sum = 0;
  for (const trace::ShapeCount& entry : run.histogram) sum += static_cast<double>(entry.count) * cost(entry.shape);
  return sum;
}

double quadratic(const trace::Shape& s) {
  return 0.01 + 2e-5 * s.batch_size * s.src_len + 3e-8 * s.batch_size * s.src_len * s.src_len;
}

/// As above, with a few percent that no shape has.
double rippled(const trace::Shape& s) { return quadratic(s) * (1 + 0.03 * std::sin(s.src_len)); }

// With all points the weights meet the shapes' totals; predictions lean on a cost in proportion to size, a little where
// the points show another.
TEST(RunEstimator, CostsOfFreeShapesAreExactWithAllPointsAndNearlySoWithOneMissingAndForOtherRuns) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  const auto in_proportion = [](const trace::Shape& s) { return 1e-5 * s.batch_size * s.src_len; };
  for (std::size_t missing = 0; missing <= selection.points.size(); ++missing) {
    for (const auto& [cost, tolerance] :
         {std::pair(Cost(quadratic), missing == 8 ? 1e-6 : 0.01), std::pair(Cost(in_proportion), 1e-6)}) {
      const project::MeasuredPoints points = measured(selection, cost, {missing});
      const project::RunEstimator::Fit fit = estimator.fit(points.counts);
      EXPECT_NEAR(estimator.total(fit, points) / total_of(selection.run, cost), 1, tolerance) << missing;
      EXPECT_EQ(fit.no_interval, project::NoInterval::none);
    }
  }
  const trace::RunSummary other = trace::summarise(testing::varied_run(90, 24));
  const project::RunEstimator onto(selection, &other);
  const project::MeasuredPoints points = measured(selection, quadratic);
  EXPECT_NEAR(onto.total(onto.fit(points.counts), points) /
                  (24.0 / 16 * total_of(trace::summarise(testing::varied_run(90)), quadratic)),
              1, 0.2)
      << "b is no free basis function here";
  const trace::RunSummary longer = trace::summarise(testing::varied_run(90));
  const project::RunEstimator same_batches(selection, &longer);
  EXPECT_NEAR(same_batches.total(same_batches.fit(points.counts), points) / total_of(longer, quadratic), 1, 0.005);
}

select::ScalesPosterior posterior_of(const project::RunEstimator::Fit& fit, const Eigen::VectorXd& e,
                                     const select::NoiseEvidence& seen = {},
                                     std::span<const select::LevelEvidence> levels = {}, int sides = 1) {
  return {fit.points->scales(), e, seen, levels, select::kHostBound, sides};
}

Eigen::VectorXd relative_costs(const project::MeasuredPoints& points, double total) {
  Eigen::VectorXd e(points.values.size());
  for (Eigen::Index p = 0; p < e.size(); ++p) e[p] = points.values[static_cast<std::size_t>(p)] * 400 / total;
  return e;
}

project::IntervalOrReason interval_of(const project::RunEstimator& estimator, const project::RunEstimator::Fit& fit,
                                      const project::MeasuredPoints& points) {
  return project::interval_of(estimator.estimate(fit, points), 0.95);
}

// The total times the mixture's half-width: each part by itself is tested elsewhere.
TEST(RunEstimator, AnIntervalIsMadeOfItsParts) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  const project::MeasuredPoints points = measured(selection, rippled);
  const project::RunEstimator::Fit fit = estimator.fit(points.counts);
  const double total = estimator.total(fit, points);
  const double half = total * posterior_of(fit, relative_costs(points, total)).half_width(fit.error, 0.95);
  const project::IntervalOrReason interval = interval_of(estimator, fit, points);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, total - half, 1e-9 * total);
  EXPECT_NEAR(interval->high, total + half, 1e-9 * total);
  EXPECT_EQ(fit.points->degrees_of_freedom(), 5) << "eight points, three free basis functions";
}

// Of q processes that measured alike the level has a part 1 / q, and the run's own 1 where it is another process.
TEST(RunEstimator, AnotherProcessHasALevelOfItsOwn) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  project::MeasuredPoints points = measured(selection, rippled);
  for (const double value : points.values) points.readings.push_back({value});
  const project::RunEstimator::Fit fit = estimator.fit(points.counts);
  const double total = estimator.total(fit, points);
  const std::vector<select::LevelEvidence> one_process(1);
  double last = interval_of(estimator, fit, points)->high;
  for (const auto& [scope, level] :
       {std::pair(project::LevelScope::measured, 1.0), std::pair(project::LevelScope::another_process, 2.0)}) {
    points.scope = scope;
    select::ErrorParts error = fit.error;
    error.processes = level;
    const double half =
        total * posterior_of(fit, relative_costs(points, total), {}, one_process).half_width(error, 0.95);
    const double high = interval_of(estimator, fit, points)->high;
    EXPECT_NEAR(high, total + half, 1e-9 * total);
    EXPECT_GT(high, last);
    last = high;
  }
}

/// Scatter within a process is no evidence of how processes differ: levels are as usual, whatever s is.
TEST(RunEstimator, AQuietAndANoisyMachineHaveLevelsAlike) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  const auto levels = [&](double by, const select::BetweenProcesses& between) {
    project::MeasuredPoints points = measured(selection, quadratic);
    points.scope = project::LevelScope::another_process;
    points.between = between;
    for (std::size_t p = 0; p < 8; ++p)
      points.readings.push_back({{points.values[p] * (1 + by), p}, {points.values[p] * (1 - by), 100 + p}});
    return project::variance_of(estimator.estimate(estimator.fit(points.counts), points)).levels();
  };
  EXPECT_NEAR(levels(0.12, select::kHostBound), levels(0.001, select::kHostBound), 1e-12);
  EXPECT_NEAR(levels(0.01, select::kHostBound), 2 * 0.02 * 0.02, 1e-9) << "the median of tau, two processes";
  EXPECT_NEAR(levels(0.01, select::kDeviceBound), 2 * 0.0025 * 0.0025, 1e-11);
}

/// By the closed form of a mixture over tau alone, summed over the same grid.
TEST(RunEstimator, ARunThatWasMeasuredWholeIsOffByItsProcessAlone) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  project::MeasuredPoints points = measured(selection, rippled);
  points.scope = project::LevelScope::another_process;
  points.run_totals = {100};
  const project::RunEstimator::Fit fit = estimator.fit(points.counts);
  const project::IntervalOrReason interval = interval_of(estimator, fit, points);
  ASSERT_TRUE(interval);
  const double half = interval->high / 100 - 1;
  double held = 0, all = 0;
  for (int i = 0; i < 15; ++i) {
    const double x = -3 + 6 * i / 14.0, tau = 0.02 * std::exp(0.8 * x), weight = std::exp(-x * x / 2);
    all += weight;
    held += weight * std::erf(half / (std::sqrt(2.0) * tau) / std::sqrt(2.0));
  }
  EXPECT_NEAR(held / all, 0.95, 1e-7);
  points.scope = project::LevelScope::own_run;
  EXPECT_EQ(interval_of(estimator, fit, points)->high, 100) << "what was measured is the run";
}

TEST(RunEstimator, ASpeedupOfARunThatWasMeasuredWholeIsAsSureAsTheOther) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  project::MeasuredPoints whole = measured(selection, rippled), points = whole;
  whole.scope = points.scope = project::LevelScope::another_process;
  const project::RunEstimator::Fit fit = estimator.fit(points.counts);
  const double total = estimator.total(fit, points);
  whole.run_totals = {2 * total};
  const auto width = [](const project::Estimate& ratio) {
    const project::IntervalOrReason interval = project::interval_of(ratio, 0.95);
    return std::log(interval->high / interval->low);
  };
  const project::Estimate twice = estimator.ratio_to_whole(fit, whole, points);
  EXPECT_NEAR(twice.value, 2, 1e-9);
  EXPECT_NEAR(estimator.ratio_to_whole(fit, points, whole).value, 0.5, 1e-9);
  EXPECT_NEAR(width(twice), width(estimator.ratio_to_whole(fit, points, whole)), 1e-9);
  EXPECT_GT(width(twice), width(estimator.ratio(fit, whole, whole)));
}

TEST(RunEstimator, MoreProcessesThatAgreeNarrowAnInterval) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  double last = 1e9;
  for (std::size_t processes = 1; processes < 5; ++processes) {
    project::MeasuredPoints points = measured(selection, rippled);
    points.scope = project::LevelScope::another_process;
    for (const double value : points.values) {
      auto& readings = points.readings.emplace_back();
      for (std::size_t q = 0; q < processes; ++q) readings.emplace_back(value, std::nullopt, q);
    }
    const double high = interval_of(estimator, estimator.fit(points.counts), points)->high;
    EXPECT_LT(high, last) << processes;
    last = high;
  }
}

TEST(RunEstimator, ASpeedupHasWhatTheTwoDoNotShare) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  const project::MeasuredPoints base = measured(selection, rippled);
  const project::RunEstimator::Fit fit = estimator.fit(base.counts);
  const project::MeasuredPoints half_as_fast =
      measured(selection, [](const trace::Shape& s) { return 2 * rippled(s); });
  const project::MeasuredPoints other =
      measured(selection, [](const trace::Shape& s) { return quadratic(s) * (1 + 0.05 * std::cos(7.0 * s.src_len)); });
  const auto width = [&](const project::MeasuredPoints& second) {
    const project::IntervalOrReason interval = project::interval_of(estimator.ratio(fit, base, second), 0.95);
    return std::log(interval->high / interval->low) / 2;
  };
  select::ErrorParts error = fit.error;
  error.measured *= 2;
  error.own = 0;
  const double least = posterior_of(fit, Eigen::VectorXd::Zero(8), {}, {}, 2).half_width(error, 0.95);
  EXPECT_NEAR(width(half_as_fast), least, 1e-9) << "in proportion: only what is usual is left";
  EXPECT_GT(width(other), 1.2 * least);
  const project::IntervalOrReason interval = project::interval_of(estimator.ratio(fit, base, half_as_fast), 0.95);
  EXPECT_NEAR(std::sqrt(interval->low * interval->high), 0.5, 1e-9);
}

TEST(RunEstimator, DifferentIterationsOfAPointSayHowFarTheyScatter) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  project::MeasuredPoints points = measured(selection, quadratic);
  const auto scatter = [&](double by) {
    points.readings.clear();
    for (std::size_t p = 0; p < 8; ++p)
      points.readings.push_back({{points.values[p] * (1 + by), p}, {points.values[p] * (1 - by), 100 + p}});
  };
  for (std::size_t p = 0; p < 8; ++p) points.counts.iterations[p] = points.counts.measurements[p] = 2;
  scatter(0);
  const project::RunEstimator::Fit fit = estimator.fit(points.counts);
  const auto width = [&] { return interval_of(estimator, fit, points)->high - estimator.total(fit, points); };
  const double quiet = width();
  scatter(0.12);
  const double noisy = width(), total = estimator.total(fit, points);
  EXPECT_GT(noisy, 1.5 * quiet);
  // Eight more degrees and their squares over the variance of one measurement.
  const double squares = 8 * 2 * 0.12 * 0.12 / (0.045 * 0.045 + 0.04 * 0.04);
  const select::ScalesPosterior posterior = posterior_of(fit, relative_costs(points, total), {8, squares});
  EXPECT_NEAR(noisy, total * posterior.half_width(fit.error, 0.95), 1e-9 * total);
}

TEST(RunEstimator, IntervalsScaleWithTheUnit) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  const project::MeasuredPoints seconds = measured(selection, rippled);
  const project::RunEstimator::Fit fit = estimator.fit(seconds.counts);
  for (const double unit : {1e-150, 1e-3, 1e9, 1e150}) {
    const project::MeasuredPoints other = measured(selection, [&](const trace::Shape& s) { return unit * rippled(s); });
    EXPECT_NEAR(interval_of(estimator, fit, other)->high / unit / interval_of(estimator, fit, seconds)->high, 1, 1e-9);
  }
}

TEST(RunEstimator, WhereThereIsNoIntervalItSaysWhy) {
  const select::Selection selection = selected(testing::varied_run(400), 5);
  const project::RunEstimator estimator(selection);
  const auto reason = [&](const std::vector<std::size_t>& left_out, const Cost& cost) {
    const project::MeasuredPoints points = measured(selection, cost, left_out);
    const project::IntervalOrReason interval = interval_of(estimator, estimator.fit(points.counts), points);
    EXPECT_EQ(interval.has_value(), interval.reason.empty());
    return interval.reason;
  };
  EXPECT_EQ(reason({}, rippled), "");
  EXPECT_EQ(reason({1}, rippled), "") << "four points for three free basis functions";
  EXPECT_NE(reason({1, 3}, rippled).find("do not determine"), std::string::npos);
  EXPECT_NE(reason({0, 1, 2, 3}, rippled).find("one measured point"), std::string::npos);
  EXPECT_EQ(reason({}, [](const trace::Shape&) { return 0.0; }), "the total is zero");
}

// Two points cannot tell three shapes apart: what is predicted lies between what each shape by itself would say.
TEST(RunEstimator, WithTooFewPointsCostStillGrowsWithLength) {
  const select::Selection selection = selected(testing::varied_run(400), 5);
  const project::RunEstimator estimator(selection);
  const auto cost = [](const trace::Shape& s) { return 1e-5 * s.batch_size * s.src_len; };
  for (const std::vector<std::size_t>& left_out :
       {std::vector<std::size_t>{2, 3, 4}, {0, 1, 2}, {1, 2, 3, 4}, {0, 1, 2, 3}}) {
    const project::MeasuredPoints points = measured(selection, cost, left_out);
    const project::RunEstimator::Fit fit = estimator.fit(points.counts);
    const double ratio = estimator.total(fit, points) / total_of(selection.run, cost);
    EXPECT_GT(ratio, 0.3);
    EXPECT_LT(ratio, 1.7);
    EXPECT_NE(fit.no_interval, project::NoInterval::none);
  }
}

TEST(RunEstimator, WhatIsNeverBelowZeroAddsUpToNoLess) {
  const select::Selection selection = selected(testing::varied_run(400), 5);
  const project::RunEstimator estimator(selection);
  project::MeasuredPoints points = measured(selection, rippled);
  points.values[2] *= 400;
  const project::RunEstimator::Fit fit = estimator.fit(points.counts);
  EXPECT_EQ(interval_of(estimator, fit, points)->low, 0);
  points.values[0] = -1e-9;
  EXPECT_LT(interval_of(estimator, fit, points)->low, 0);
}

TEST(RunEstimator, TheLargestIsThatOfTheCostliestShapeAndNeverBelowTheLargestMeasured) {
  const select::Selection selection = selected(testing::varied_run(400), 8);
  const project::RunEstimator estimator(selection);
  project::MeasuredPoints points = measured(selection, quadratic);
  const project::RunEstimator::Fit fit = estimator.fit(points.counts);
  const project::Estimate estimate = estimator.largest_value(fit, points);
  const double largest = estimate.figure();
  const project::IntervalOrReason interval = project::interval_of(estimate, 0.95);
  EXPECT_NEAR(largest, quadratic({230, 0, 16, 0}), 0.02 * largest) << "the longest of the run, 20 + 210";
  ASSERT_TRUE(interval);
  EXPECT_LE(interval->low, largest);
  EXPECT_GT(interval->high, largest);
  points.values[0] = 50;
  EXPECT_GE(estimator.largest_value(fit, points).figure(), 50);
}

// Costs twice as high in the second phase: its level is a free basis function, so that it neither widens the interval
// nor is lost.
TEST(RunEstimator, PhasesHaveLevelsOfTheirOwn) {
  const trace::Trace run = testing::varied_run(400);
  const select::Selection selection = selected(run, 6, 2);
  const project::RunEstimator estimator(selection);
  project::MeasuredPoints points = measured(selection, quadratic);
  const auto with_level = [&](double level) {
    project::MeasuredPoints changed = points;
    for (std::size_t i = 0; i < changed.values.size(); ++i)
      if (selection.points[changed.counts.points[i]].phase == 1)
        changed.values[i] += level * shape_of(selection, changed.counts.points[i]).src_len;
    return changed;
  };
  const project::RunEstimator::Fit fit = estimator.fit(points.counts);
  const auto relative_width = [&](const project::MeasuredPoints& m) {
    return interval_of(estimator, fit, m)->high / estimator.total(fit, m) - 1;
  };
  EXPECT_NEAR(relative_width(with_level(1e-3)), relative_width(points), 1e-9);
}

TEST(RunEstimator, MorePointsThanCanBeFittedAreAddedUp) {
  select::Selection selection;
  trace::Trace run = testing::varied_run(1500);
  for (std::uint32_t i = 0; i < 1500; ++i) run.shapes[i].src_len = 10 + i;
  selection.run = trace::summarise(run);
  for (std::uint32_t i = 0; i < 1500; ++i)
    selection.points.push_back({"sp" + std::to_string(i), {10 + i, {}, 16}, {select::Weight::kUnit}, {i}, {}});
  const project::RunEstimator estimator(selection);
  const project::MeasuredPoints points = measured(selection, quadratic);
  const project::RunEstimator::Fit fit = estimator.fit(points.counts);
  EXPECT_NEAR(estimator.total(fit, points), total_of(selection.run, quadratic), 1e-9 * estimator.total(fit, points));
  EXPECT_EQ(fit.no_interval, project::NoInterval::many_points);
}

}  // namespace
}  // namespace seqpoint
