// What calibrated selection promises, over random runs: one length and pairs, short last batches, token budgets, and
// runs at the edges of what there can be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/select/select.hpp"
#include "core/trace/trace.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::calibrated_property {
namespace {

using testing::affordable;
using testing::Draw;
using testing::for_seeds;

enum class Batches { equal, ragged_end, token_budget };

/// Shares of totals.
constexpr double kMedianMiss = 5e-4, kMaxMiss = 2e-3;

std::uint32_t length(double x) { return static_cast<std::uint32_t>(std::max(1.0, x)); }

/// A bell, a long tail, a box or two bells of lengths; targets about as long; a batch size of one of three kinds.
trace::Trace random_run(Draw& draw, bool paired, Batches batches) {
  trace::Trace run;
  run.kind = trace::kind_of(trace::BatchLayout::padded, paired);
  const double middle = 10 + 300 * draw.uniform();
  const std::uint32_t shape = draw.below(4);
  for (std::uint32_t i = draw.between(20, 300); i > 0; --i) {
    const double x = shape == 0          ? 1 + 0.25 * draw.normal()
                     : shape == 1        ? std::exp(0.6 * draw.normal())
                     : shape == 2        ? 0.2 + 1.6 * draw.uniform()
                     : draw.below(5) > 0 ? 0.5 + 0.05 * draw.normal()
                                         : 2 + 0.1 * draw.normal();
    trace::Shape s{.src_len = length(middle * x), .batch_size = 32};
    if (paired) s.tgt_len = length(s.src_len * (1 + 0.15 * draw.normal()));
    if (batches == Batches::token_budget) s.batch_size = std::max(1U, 4000 / s.src_len - draw.below(2));
    run.shapes.push_back(s);
  }
  if (batches == Batches::ragged_end) run.shapes.back().batch_size = draw.between(1, 31);
  return run;
}

trace::Trace any_run(Draw& draw) { return random_run(draw, draw.below(2) == 0, static_cast<Batches>(draw.below(3))); }

void measure(trace::Trace& run, const std::function<double(const trace::Shape&)>& cost) {
  run.metrics.assign(1, {"cost", {}});
  for (std::size_t i = 0; i < run.size(); ++i) run.metrics[0].values.push_back(cost(run.shapes[i]));
}

select::Selection choose(const trace::Trace& run, std::optional<std::uint64_t> points) {
  select::SelectParams params;
  params.points = points;
  if (!run.metrics.empty()) params.metric = "cost";
  return select::select(run, params);
}

trace::Shape shape(const select::Point& point) { return point.shape; }

/// The share of a cost's total by which a selection is off.
double error(const select::Selection& selection, const std::function<double(const trace::Shape&)>& cost) {
  double total = 0, projected = 0;
  for (const trace::ShapeCount& entry : selection.run.histogram)
    total += static_cast<double>(entry.count) * cost(entry.shape);
  for (const select::Point& point : selection.points) projected += point.weight.iterations() * cost(shape(point));
  return std::abs(projected - total) / std::max(total, std::numeric_limits<double>::min());
}

std::map<trace::Shape, std::int64_t> weights(const select::Selection& selection) {
  std::map<trace::Shape, std::int64_t> all;
  for (const select::Point& point : selection.points) all[shape(point)] = point.weight.millionths;
  return all;
}

void expect_sound(const select::Selection& selection) {
  std::set<trace::Shape> occurring;
  for (const trace::ShapeCount& entry : selection.run.histogram) occurring.insert(entry.shape);
  std::int64_t sum = 0;
  for (const select::Point& point : selection.points) {
    EXPECT_GT(point.weight.millionths, 0) << point.id;
    EXPECT_TRUE(occurring.contains(shape(point))) << point.id;
    sum += point.weight.millionths;
  }
  EXPECT_EQ(sum, static_cast<std::int64_t>(selection.run.iterations) * select::Weight::kUnit);
  EXPECT_EQ(weights(selection).size(), selection.points.size()) << "no shape twice";
  for (const select::NumberOfPointsRecord& size : selection.method.numbers_of_points) {
    EXPECT_TRUE(std::isfinite(size.expected.representation) && size.effective_sample_size >= 1 - 1e-12);
    EXPECT_TRUE(std::isfinite(size.expected.noise) || size.points == 1);
  }
}

TEST(Calibrated, PointsOccurAndWeightsAddUp) {
  for_seeds(affordable(80), [](Draw& draw) {
    trace::Trace run = any_run(draw);
    if (draw.below(2) == 0) measure(run, [&](const trace::Shape& s) { return s.src_len * (1 + 0.1 * draw.uniform()); });
    const std::uint64_t k = draw.between(1, 40);
    const select::Selection selection = choose(run, k);
    expect_sound(selection);
    EXPECT_LE(selection.points.size(), k);
  });
}

TEST(Calibrated, ASmallerErrorTakesALargerPlan) {
  for_seeds(affordable(20), [](Draw& draw) {
    const trace::Trace run = any_run(draw);
    std::uint64_t before = 0;
    for (const double max_error : {0.5, 0.05, 0.02, 0.005}) {
      select::SelectParams params;
      params.max_error = max_error;
      select::Selection selection;
      try {
        selection = select::select_with_repeats(run, params, {});
      } catch (const seqpoint::ParameterError& error) {
        EXPECT_NE(std::string(error.what()).find("cannot be reached"), std::string::npos) << error.what();
        break;  // a smaller one cannot be reached either
      }
      expect_sound(selection);
      const std::vector<select::NumberOfPointsRecord>& sizes = selection.method.numbers_of_points;
      EXPECT_EQ(sizes.back().points, selection.points.size());
      EXPECT_LE(selection.method.repeats->cost.executions, 400U + 2);
      // Points of no weight are left out, which makes a plan smaller.
      EXPECT_GE(selection.method.repeats->cost.executions + 6, before) << max_error;
      before = selection.method.repeats->cost.executions;
    }
  });
}

// In any unit, which is not a power of two for once: only where two representatives are equally good may the last digit
// decide, and it did in none of these runs.
TEST(Calibrated, TheUnitOfTheMetricDoesNotMatter) {
  for_seeds(affordable(60), [](Draw& draw) {
    trace::Trace run = any_run(draw);
    measure(run, [&](const trace::Shape& s) { return 3 + s.src_len * (1 + 0.1 * draw.uniform()); });
    trace::Trace scaled = run;
    for (double& value : scaled.metrics[0].values) value *= 3.7e-9;
    const std::uint64_t k = draw.between(2, 12);
    const auto once = weights(choose(run, k)), other = weights(choose(scaled, k));
    ASSERT_EQ(once.size(), other.size());
    for (const auto& [shape, millionths] : once) {
      ASSERT_TRUE(other.contains(shape));
      EXPECT_NEAR(static_cast<double>(other.at(shape)), static_cast<double>(millionths),
                  2 + 1e-9 * static_cast<double>(millionths));
    }
  });
}

TEST(Calibrated, WhereInTheRunAShapeOccursDoesNotMatter) {
  for_seeds(affordable(60), [](Draw& draw) {
    trace::Trace run = any_run(draw);
    measure(run, [&](const trace::Shape& s) { return 3 + s.src_len * (1 + 0.1 * draw.uniform()); });
    std::vector<std::size_t> order(run.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    // Scattered, or together by shape.
    for (std::size_t i = order.size(); i-- > 1;)
      std::swap(order[i], order[draw.below(static_cast<std::uint32_t>(i + 1))]);
    const bool together = draw.below(2) == 0;
    if (together)
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return run.shapes[b] < run.shapes[a]; });
    trace::Trace other;
    other.kind = run.kind;
    other.metrics.push_back({"cost", {}});
    for (const std::size_t i : order) {
      other.shapes.push_back(run.shapes[i]);
      other.metrics[0].values.push_back(run.metrics[0].values[i]);
    }
    const std::uint64_t k = draw.between(1, 12);
    EXPECT_EQ(weights(choose(run, k)), weights(choose(other, k)));
  });
}

TEST(Calibrated, WithAPointForEveryShapeWeightsAreCountsAndAnyCostIsExact) {
  for_seeds(affordable(60), [](Draw& draw) {
    const trace::Trace run = any_run(draw);
    const select::Selection selection = choose(run, trace::summarise(run).histogram.size() + draw.below(3));
    ASSERT_EQ(selection.points.size(), selection.run.histogram.size());
    const auto all = weights(selection);
    for (const trace::ShapeCount& entry : selection.run.histogram)
      EXPECT_EQ(all.at(entry.shape), static_cast<std::int64_t>(entry.count) * select::Weight::kUnit);
    std::map<trace::Shape, double> cost;
    for (const trace::ShapeCount& entry : selection.run.histogram) cost[entry.shape] = std::exp(3 * draw.normal());
    EXPECT_LT(error(selection, [&](const trace::Shape& s) { return cost.at(s); }), 1e-12);
  });
}

/// Whether weights were found that meet every total of the free basis functions; otherwise `select` warns.
bool meets_totals(const select::Selection& selection) {
  return std::none_of(selection.notes.begin(), selection.notes.end(), [](const std::string& note) {
    return note.find("reproduce all of the run's totals") != std::string::npos;
  });
}

/// Whatever is made of the shapes that any network's cost may contain is exact, where the weights say that they meet
/// those; and they nearly always do.
template <class RandomCost>
void expect_exact(Batches batches, bool paired, std::uint32_t fewest, RandomCost random_cost) {
  int soft = 0, all = 0;
  for_seeds(affordable(60), [&](Draw& draw) {
    const trace::Trace run = random_run(draw, paired, batches);
    const select::Selection selection = choose(run, draw.between(fewest, 20U));
    ++all;
    if (!meets_totals(selection)) {
      ++soft;
      return;
    }
    for (int n = 0; n < 3; ++n) EXPECT_LT(error(selection, random_cost(draw)), 1e-6);
  });
  EXPECT_LE(soft, all / 10);
}

TEST(Calibrated, CostsThatAreLinearOrQuadraticInTheLengthAreExact) {
  expect_exact(Batches::equal, false, 5, [](Draw& draw) {
    const double a = draw.uniform() * 100, b = draw.uniform(), c = draw.uniform() / 100;
    return [=](const trace::Shape& s) { return a + b * s.src_len + c * s.src_len * s.src_len; };
  });
}

TEST(Calibrated, CostsOfPairsThatAreLinearInBothLengthsAndTheirProductAreExact) {
  expect_exact(Batches::equal, true, 8, [](Draw& draw) {
    const double a = draw.uniform() * 100, b = draw.uniform(), c = draw.uniform(), d = draw.uniform() / 100;
    return [=](const trace::Shape& s) { return a + b * s.src_len + c * s.tgt_len + d * s.src_len * s.tgt_len; };
  });
}

// What batches of different sizes have in common is what is paid per sequence.
TEST(Calibrated, CostsInProportionToTheBatchSizeAreExactWhateverTheBatchSizes) {
  for (const Batches batches : {Batches::ragged_end, Batches::token_budget}) {
    const double per_sequence =
        batches == Batches::token_budget ? 1 : 0;  // where sizes vary they are a shape of their own
    expect_exact(batches, false, 8, [=](Draw& draw) {
      const double a = draw.uniform() * 100, b = draw.uniform(), c = draw.uniform() / 100,
                   d = per_sequence * draw.uniform();
      return [=](const trace::Shape& s) { return a + s.batch_size * (d + b * s.src_len + c * s.src_len * s.src_len); };
    });
    expect_exact(batches, true, 10, [=](Draw& draw) {
      const double a = draw.uniform() * 100, b = draw.uniform(), c = draw.uniform(), d = draw.uniform() / 100,
                   e = per_sequence * draw.uniform();
      return [=](const trace::Shape& s) {
        return a + s.batch_size * (e + b * s.src_len + c * s.tgt_len + d * s.src_len * s.tgt_len);
      };
    });
  }
}

/// RMS share by which the totals of powers and staircases are off, what layers cost and tiles.
double error_of_shapes(const select::Selection& selection) {
  double squares = 0;
  std::size_t functions = 0;
  const auto add = [&](const std::function<double(double)>& f) {
    const double off =
        error(selection, [&](const trace::Shape& s) { return s.batch_size * (f(s.src_len) + f(s.tgt_len)); });
    squares += off * off;
    ++functions;
  };
  for (const double power : {0.5, 2.0, 3.0}) add([=](double s) { return std::pow(s, power); });
  for (const int tile : {8, 16, 32, 64, 128}) add([=](double s) { return std::ceil(s / tile); });
  return std::sqrt(squares / static_cast<double>(functions));
}

TEST(Calibrated, ShapesOfCostThatHardwareHasAreNearlyExact) {
  std::vector<double> errors;
  for_seeds(affordable(60), [&](Draw& draw) {
    const trace::Trace run = random_run(draw, draw.below(2) == 0, Batches::equal);
    errors.push_back(error_of_shapes(choose(run, draw.between(8, 15))));
  });
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], kMedianMiss);
  EXPECT_LT(errors[errors.size() * 9 / 10], kMaxMiss);
}

trace::Trace run_of(const std::vector<trace::Shape>& shapes) {
  trace::Trace run;
  const bool paired = std::any_of(shapes.begin(), shapes.end(), [](const trace::Shape& s) { return s.tgt_len > 0; });
  run.kind = trace::kind_of(trace::BatchLayout::padded, paired);
  run.shapes = shapes;
  return run;
}

std::vector<trace::Shape> repeat(std::vector<trace::Shape> all, std::size_t times, trace::Shape shape) {
  all.insert(all.end(), times, shape);
  return all;
}

TEST(Calibrated, RunsAtTheEdgesAreSelectedFrom) {
  constexpr std::uint32_t kLongest = 0xFFFFFFFFU;
  const std::vector<std::vector<trace::Shape>> runs{
      {{0, 0, 1}},
      {{5, 0, 8}},
      {{0, 0, 8}, {0, 0, 7}},
      {{0, 0, 8}, {1, 0, 8}, {2, 0, 8}},
      {{9, 9, 8}, {9, 9, 8}, {9, 9, 3}},
      {{9, 0, 8}, {9, 0, 8}, {9, 0, 3}},
      {{0, 4, 8}, {0, 5, 8}, {0, 9, 8}, {0, 9, 8}},
      {{kLongest, kLongest, kLongest}, {1, 1, 1}, {kLongest, 1, 1}, {1, kLongest, 1}},
      {{kLongest, 0, 8}, {kLongest - 1, 0, 8}, {kLongest - 2, 0, 8}, {kLongest - 9, 0, 8}},
      {{1, 0, 1}, {1, 0, 1000000}, {1, 0, 7}, {2, 0, kLongest}, {3, 0, 2}},
      repeat({{1, 0, 8}, {2, 0, 8}, {4, 0, 8}, {kLongest, 0, 8}}, 5000, {3, 0, 8}),
      repeat({{1, 1, 8}, {2, 1, 8}, {400, 1, 8}, {3000, 7, 1}}, 5000, {300, 0, 8}),
  };
  for (std::size_t n = 0; n < runs.size(); ++n) {
    SCOPED_TRACE("run " + std::to_string(n));
    const trace::Trace run = run_of(runs[n]);
    for (const auto& points : std::vector<std::optional<std::uint64_t>>{{}, 1, 2, 3, 4, 1000})
      expect_sound(choose(run, points));
    for (const double unit : {0.0, 1e-300, 1.0, -1.0, 1e300, std::numeric_limits<double>::max()}) {
      trace::Trace with_cost = run;
      measure(with_cost, [&](const trace::Shape& s) { return unit * (s.src_len > 1 ? 1 : 0.25); });
      expect_sound(choose(with_cost, 2));
    }
  }
}

}  // namespace
}  // namespace seqpoint::calibrated_property
