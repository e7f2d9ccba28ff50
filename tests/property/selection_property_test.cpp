// What holds for every method, whatever it chooses; and the two baselines that choose iterations, computed a second
// time.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"

namespace selection_property {
namespace {

using seqpoint::select::all_methods;
using seqpoint::select::Method;
using seqpoint::select::Point;
using seqpoint::select::round_weights;
using seqpoint::select::select;
using seqpoint::select::Selection;
using seqpoint::select::SelectParams;
using seqpoint::select::Weight;
using seqpoint::testing::affordable;
using seqpoint::testing::Draw;
using seqpoint::testing::for_seeds;
using seqpoint::trace::Trace;

/// A run of its own iteration numbers, with short batches, perhaps of pairs, and with a measured column "cost".
Trace random_run(Draw& draw) {
  Trace run;
  run.metrics.push_back({"cost", {}});
  const bool paired = draw.below(2) == 0;
  run.kind = seqpoint::trace::kind_of(seqpoint::trace::BatchLayout::padded, paired);
  const std::uint64_t longest = draw.between(1, 80), iterations = draw.between(1, 200);
  std::uint64_t number = draw.below(1000);
  for (std::uint64_t i = 0; i < iterations; ++i) {
    run.shapes.push_back({.src_len = static_cast<std::uint32_t>(draw.between(0, longest)),
                          .tgt_len = paired ? static_cast<std::uint32_t>(draw.between(1, 3)) : 0,
                          .batch_size = draw.below(5) == 0 ? 7U : 32U});
    run.iteration.push_back(number += draw.between(1, 3));
    run.metrics[0].values.push_back(draw.positive());
  }
  return run;
}

SelectParams random_params(Draw& draw, const Method& method) {
  SelectParams params;
  params.method = method.name;
  params.seed = draw.below(1000);
  const bool give = method.points == Method::Points::required || draw.below(2) == 0;
  if (give && method.points != Method::Points::none) params.points = draw.between(1, 90);
  // Without points the best take dozens of tries where errors have to be small.
  if (method.takes_budget && !params.points) params.max_error = 0.03 + 0.2 * draw.uniform();
  if (method.takes_metric && draw.below(2) == 0) params.metric = "cost";
  return params;
}

/// Calls `check(run, params, method, draw)` for every method and many random runs.
template <class Check>
void for_every_method(Check check) {
  for (const Method& method : seqpoint::select::all_methods()) {
    SCOPED_TRACE(method.name);
    // To look for the best points takes longer than to cut bins.
    for_seeds(affordable(method.takes_budget ? 12 : 150), [&](Draw& draw) {
      const Trace run = random_run(draw);
      check(run, random_params(draw, method), method, draw);
    });
  }
}

/// Rows of a run that a point stands for, by the run's own numbers: of its length where it is of a group.
std::map<std::uint64_t, seqpoint::trace::Shape> occurrences(const Trace& run, const Point& point) {
  std::map<std::uint64_t, seqpoint::trace::Shape> found;
  for (std::size_t i = 0; i < run.size(); ++i)
    if (point.length_group ? run.shapes[i].src_len == *point.length_group : run.shapes[i] == point.shape)
      found[run.iteration[i]] = run.shapes[i];
  return found;
}

std::map<seqpoint::trace::Shape, Weight> weights_by_shape(const Selection& selection) {
  std::map<seqpoint::trace::Shape, Weight> weights;
  for (const Point& point : selection.points) weights.emplace(point.shape, point.weight);
  return weights;
}

/// The weights of the points, or the refusal of an error that no plan has.
struct WeightsOrRefusal {
  std::map<seqpoint::trace::Shape, Weight> weights;
  std::string refusal;
  friend bool operator==(const WeightsOrRefusal&, const WeightsOrRefusal&) = default;
};

WeightsOrRefusal weights_or_refusal(const Trace& run, const SelectParams& params) {
  try {
    return {weights_by_shape(seqpoint::select::select(run, params)), ""};
  } catch (const seqpoint::ParameterError& error) {
    return {{}, error.what()};
  }
}

TEST(SelectionProperty, WeightsAddUpToTheIterationsExactly) {
  for_every_method([](const Trace& run, const SelectParams& params, const Method&, Draw&) {
    std::int64_t sum = 0;
    for (const Point& point : seqpoint::select::select(run, params).points) {
      EXPECT_GT(point.weight.millionths, 0) << point.id;
      sum += point.weight.millionths;
    }
    EXPECT_EQ(sum, static_cast<std::int64_t>(run.size()) * Weight::kUnit);
  });
}

TEST(SelectionProperty, SelectionsDoNotContradictThemselves) {
  for_every_method([](const Trace& run, const SelectParams& params, const Method&, Draw&) {
    EXPECT_NO_THROW(require_valid(seqpoint::select::select(run, params), "run"));
  });
}

TEST(SelectionProperty, PointsAreNumberedInTheirOrder) {
  for_every_method([](const Trace& run, const SelectParams& params, const Method& method, Draw&) {
    const std::vector<Point> points = seqpoint::select::select(run, params).points;
    for (std::size_t p = 0; p < points.size(); ++p) EXPECT_EQ(points[p].id, "sp" + std::to_string(p + 1));
    const auto before = [&method](const Point& a, const Point& b) {
      return method.picks_iterations ? a.iterations < b.iterations : a.shape < b.shape;
    };
    for (std::size_t p = 1; p < points.size(); ++p) EXPECT_TRUE(before(points[p - 1], points[p])) << points[p].id;
  });
}

TEST(SelectionProperty, IterationsThatArePickedWeighTheSameButForRounding) {
  for_every_method([](const Trace& run, const SelectParams& params, const Method& method, Draw&) {
    if (method.name != "prior" && method.name != "random") return;
    const std::vector<Point> points = seqpoint::select::select(run, params).points;
    EXPECT_EQ(points.size(), std::min<std::uint64_t>(params.points.value_or(points.size()), run.size()));
    const double even = static_cast<double>(run.size()) / static_cast<double>(points.size());
    for (const Point& point : points) EXPECT_NEAR(point.weight.iterations(), even, 1e-6) << point.id;
  });
}

TEST(SelectionProperty, PointsNameIterationsOfTheirOwnShape) {
  for_every_method([](const Trace& run, const SelectParams& params, const Method&, Draw&) {
    for (const Point& point : seqpoint::select::select(run, params).points) {
      SCOPED_TRACE(point.id);
      const auto all = occurrences(run, point);
      const std::set<std::uint64_t> distinct(point.iterations.begin(), point.iterations.end());
      EXPECT_EQ(distinct.size(), point.iterations.size());
      EXPECT_GE(point.iterations.size(), 1U);
      EXPECT_LE(point.iterations.size(), Point::kMaxOccurrences);
      for (const std::uint64_t number : point.iterations) EXPECT_TRUE(all.contains(number)) << number;
    }
  });
}

TEST(SelectionProperty, TheIterationToProfileHasTheMostFrequentShapeOfItsPoint) {
  for_every_method([](const Trace& run, const SelectParams& params, const Method& method, Draw&) {
    if (method.picks_iterations) return;
    for (const Point& point : seqpoint::select::select(run, params).points) {
      const auto all = occurrences(run, point);
      std::map<seqpoint::trace::Shape, int> count;
      for (const auto& [number, shape] : all) ++count[shape];
      const int first = count.at(all.at(point.iterations.at(0)));
      EXPECT_EQ(all.at(point.iterations.at(0)), point.shape) << point.id;
      for (const auto& [shape, n] : count) EXPECT_LE(n, first) << point.id;
    }
  });
}

TEST(SelectionProperty, TheSameRunAndParametersGiveTheSamePoints) {
  for_every_method([](const Trace& run, const SelectParams& params, const Method&, Draw&) {
    const std::vector<Point> once = seqpoint::select::select(run, params).points,
                             again = seqpoint::select::select(run, params).points;
    ASSERT_EQ(once.size(), again.size());
    for (std::size_t p = 0; p < once.size(); ++p)
      EXPECT_TRUE(once[p].iterations == again[p].iterations && once[p].weight == again[p].weight) << once[p].id;
  });
}

// A power of two, so that scaling is exact.
TEST(SelectionProperty, TheUnitOfTheMetricDoesNotMatter) {
  for_every_method([](const Trace& run, SelectParams params, const Method& method, Draw& draw) {
    if (!method.takes_metric) return;
    params.metric = "cost";
    Trace scaled = run;
    const double factor = std::ldexp(1.0, static_cast<int>(draw.between(0, 60)) - 30);
    for (double& cost : scaled.metrics[0].values) cost *= factor;
    EXPECT_EQ(weights_or_refusal(run, params), weights_or_refusal(scaled, params));
  });
}

TEST(SelectionProperty, TheOrderOfIterationsDoesNotMatterToMethodsThatChooseShapes) {
  for_every_method([](const Trace& run, const SelectParams& params, const Method& method, Draw& draw) {
    if (method.picks_iterations) return;
    Trace other = run;
    for (std::size_t i = run.size(); i-- > 1;) {
      const std::size_t j = draw.below(i + 1);
      std::swap(other.shapes[i], other.shapes[j]);
      std::swap(other.metrics[0].values[i], other.metrics[0].values[j]);
    }
    EXPECT_EQ(weights_by_shape(seqpoint::select::select(run, params)),
              weights_by_shape(seqpoint::select::select(other, params)));
  });
}

/// The run's own measurements as a profile.
seqpoint::profile::ProfileTable profile_of(const Trace& run) {
  seqpoint::profile::ProfileTable table;
  table.metrics = {"cost"};
  for (std::size_t i = 0; i < run.size(); ++i)
    table.add({.point = {}, .key = {.src_len = run.shapes[i].src_len}}, {run.metrics[0].values[i]});
  return table;
}

// Each length weighs as often as it occurs and has the mean of all its occurrences: nothing is left to be wrong.
TEST(SelectionProperty, TheWholeRunIsProjectedExactlyWhereEveryLengthIsAPoint) {
  for_seeds(300, [](Draw& draw) {
    Trace run = random_run(draw);
    run.kind = seqpoint::trace::ShapeKind::padded;
    std::set<std::uint32_t> lengths;
    for (seqpoint::trace::Shape& s : run.shapes) {
      s = {.src_len = s.src_len, .batch_size = 16};
      lengths.insert(s.src_len);
    }
    SelectParams params;
    params.method = "kmeans";
    params.points = lengths.size() + draw.below(3);
    const Selection selection = seqpoint::select::select(run, params);
    const std::vector<seqpoint::profile::ProfileTable> files = {profile_of(run)};
    const std::vector<seqpoint::project::NamedMeasurements> all = {{"run", seqpoint::profile::match(files, selection)}};
    const double direct = std::accumulate(run.metrics[0].values.begin(), run.metrics[0].values.end(), 0.0);
    EXPECT_NEAR(seqpoint::project::project(selection, all, {}).configurations.at(0).metrics.at(0).value, direct,
                1e-12 * direct);
  });
}

TEST(RoundWeights, AddUpExactlyAndMoveByLessThanAMillionth) {
  for_seeds(2000, [](Draw& draw) {
    const std::uint64_t total = draw.between(1, draw.below(2) == 0 ? 30 : 1'000'000);
    std::vector<double> weights(draw.between(1, 40));
    for (double& w : weights) w = draw.positive();
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& w : weights) w *= static_cast<double>(total) / sum;
    std::int64_t left = static_cast<std::int64_t>(total) * Weight::kUnit;
    const std::vector<Weight> rounded = seqpoint::select::round_weights(weights, total);
    for (const Weight& w : rounded) left -= w.millionths;
    EXPECT_EQ(left, 0);
    for (std::size_t p = 0; p < weights.size(); ++p) EXPECT_NEAR(rounded[p].iterations(), weights[p], 1.0000001e-6);
  });
}

TEST(RoundWeights, GiveWhatIsLeftToTheLargestRemaindersAndTheFirstOfEquals) {
  const std::vector<double> uneven = {0.2000001, 0.2000004, 0.5999995};
  EXPECT_EQ(seqpoint::select::round_weights(uneven, 1), (std::vector<Weight>{{200'000}, {200'000}, {600'000}}));
  EXPECT_EQ(seqpoint::select::round_weights(std::vector<double>(3, 2.0 / 3), 2),
            (std::vector<Weight>{{666'667}, {666'667}, {666'666}}));
}

TEST(RoundWeights, OfAnotherRunAreAnError) {
  EXPECT_THROW(seqpoint::select::round_weights(std::vector<double>{10, 20}, 60), std::logic_error);
}

TEST(PriorBaseline, IsAWindowAfterTheFirstIterationsOrTheWholeOfAShortRun) {
  for_seeds(500, [](Draw& draw) {
    const Trace run = random_run(draw);
    SelectParams params;
    params.method = "prior";
    std::uint64_t window = 50, skip = 10;
    if (run.size() > 10 && draw.below(2) == 0) {
      params.options.set("window", std::to_string(window = draw.between(1, 250)));
      params.options.set("skip", std::to_string(skip = draw.below(run.size())));
    }
    const std::uint64_t begin = run.size() <= skip ? 0 : skip, end = std::min(begin + window, run.size());
    const std::vector<Point> points = seqpoint::select::select(run, params).points;
    ASSERT_EQ(points.size(), end - begin);
    for (std::size_t p = 0; p < points.size(); ++p)
      EXPECT_EQ(points[p].iterations, std::vector<std::uint64_t>{run.iteration[begin + p]});
  });
}

TEST(RandomBaseline, TakesEveryIterationAboutEquallyOftenAndSeldomTheSameOnes) {
  Trace run;
  run.shapes.assign(20, {.src_len = 9, .batch_size = 4});
  SelectParams params;
  params.method = "random";
  params.points = 5;
  std::map<std::uint64_t, int> times;
  std::set<std::vector<std::uint64_t>> choices;
  for (params.seed = 0; params.seed < 4000; ++params.seed) {
    std::vector<std::uint64_t> chosen;
    for (const Point& point : seqpoint::select::select(run, params).points) chosen.push_back(point.iterations.at(0));
    for (const std::uint64_t number : chosen) ++times[number];
    ASSERT_EQ(chosen.size(), 5U);
    choices.insert(chosen);
  }
  double chi_square = 0;  // of 19 degrees of freedom: by chance above 60 once in 200 000 times
  for (std::uint64_t i = 0; i < 20; ++i) chi_square += (times[i] - 1000.0) * (times[i] - 1000.0) / 750;
  EXPECT_LT(chi_square, 60);
  EXPECT_GT(choices.size(), 3300U) << "3526 are to be expected of the 15504 there are";
}

}  // namespace
}  // namespace selection_property
