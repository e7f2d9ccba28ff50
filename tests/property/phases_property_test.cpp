// Runs cut into phases: every phase is a run of its own, whose points nothing of another phase can touch; and drift
// whose error is known in closed form.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"

namespace phases_property {
namespace {

using namespace seqpoint;
using seqpoint::testing::Draw;

/// A run of its own iteration numbers.
seqpoint::trace::Trace random_run(Draw& draw) {
  seqpoint::trace::Trace run;
  run.metrics.push_back({"runtime_s", {}});
  const bool paired = draw.below(2) == 0;
  run.kind = seqpoint::trace::kind_of(seqpoint::trace::BatchLayout::padded, paired);
  std::uint64_t number = draw.below(100);
  for (std::uint64_t i = 0, iterations = 2 + draw.below(150); i < iterations; ++i) {
    run.shapes.push_back({.src_len = static_cast<std::uint32_t>(1 + draw.below(40)),
                          .tgt_len = paired ? static_cast<std::uint32_t>(1 + draw.below(4)) : 0,
                          .batch_size = draw.below(5) == 0 ? 7U : 32U});
    run.iteration.push_back(number += 1 + draw.below(3));
    run.metrics[0].values.push_back(1 + static_cast<double>(draw.below(1000)) / 7);
  }
  return run;
}

/// Where phases begin, as METHOD says: stretches of nearly equal size.
std::vector<std::size_t> bounds(std::size_t iterations, std::uint64_t phases) {
  std::vector<std::size_t> all;
  for (std::uint64_t h = 0; h <= phases; ++h) all.push_back(h * iterations / phases);
  return all;
}

seqpoint::trace::Trace rows_of(const seqpoint::trace::Trace& run, std::size_t begin, std::size_t end) {
  seqpoint::trace::Trace part;
  part.kind = run.kind;
  part.metrics.push_back({"runtime_s", {}});
  for (std::size_t i = begin; i < end; ++i) {
    part.shapes.push_back(run.shapes[i]);
    part.iteration.push_back(run.iteration[i]);
    part.metrics[0].values.push_back(run.metrics[0].values[i]);
  }
  return part;
}

/// Calls `check(run, params, method, draw)` for every method and many random runs of two phases or more.
template <class Check>
void for_every_method(Check check) {
  for (const seqpoint::select::Method& method : seqpoint::select::all_methods())
    for (std::uint32_t seed = 0; seed < 30 && !::testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(std::string(method.name) + ", seed " + std::to_string(seed));
      Draw draw(seed);
      const seqpoint::trace::Trace run = random_run(draw);
      seqpoint::select::SelectParams params;
      params.method = method.name;
      params.parts = 2 + draw.below(std::min<std::uint64_t>(run.size() - 1, 6));
      if (method.points != seqpoint::select::Method::Points::none) params.points = 1 + draw.below(6);
      if (method.takes_metric && draw.below(2) == 0) params.metric = "runtime_s";
      check(run, params, method, draw);
    }
}

TEST(Phases, WeightsOfAPhaseAddUpToItsIterationsAndItsIterationsLieInIt) {
  for_every_method([](const seqpoint::trace::Trace& run, const seqpoint::select::SelectParams& params,
                      const seqpoint::select::Method&, Draw&) {
    const seqpoint::select::Selection selection = seqpoint::select::select(run, params);
    EXPECT_NO_THROW(require_valid(selection, "run"));
    const std::vector<std::size_t> at = bounds(run.size(), params.parts);
    ASSERT_EQ(selection.run.phases.size(), params.parts);
    std::vector<std::int64_t> weights(params.parts);
    for (const seqpoint::select::Point& point : selection.points) {
      ASSERT_LT(point.phase, params.parts);
      weights[point.phase] += point.weight.millionths;
      for (const std::uint64_t number : point.iterations) {
        const auto row = static_cast<std::size_t>(std::find(run.iteration.begin(), run.iteration.end(), number) -
                                                  run.iteration.begin());
        EXPECT_TRUE(row >= at[point.phase] && row < at[point.phase + 1]) << point.id << ": " << number;
      }
    }
    for (std::size_t h = 0; h < params.parts; ++h) {
      EXPECT_EQ(selection.run.phases[h], run.iteration[at[h]]);
      EXPECT_EQ(weights[h], static_cast<std::int64_t>(at[h + 1] - at[h]) * seqpoint::select::Weight::kUnit)
          << "phase " << h;
    }
  });
}

TEST(Phases, EachIsARunOfItsOwn) {
  for_every_method([](const seqpoint::trace::Trace& run, const seqpoint::select::SelectParams& params,
                      const seqpoint::select::Method& method, Draw&) {
    if (method.is_random) return;  // the phases draw apart
    const seqpoint::select::Selection selection = seqpoint::select::select(run, params);
    const std::vector<seqpoint::select::Point>& together = selection.points;
    const std::vector<std::size_t> at = bounds(run.size(), params.parts);
    std::size_t p = 0;
    std::uint64_t measurements = 0;
    for (std::size_t h = 0; h < params.parts; ++h) {
      seqpoint::select::SelectParams alone = params;
      alone.parts = 1;
      const seqpoint::select::Selection own = seqpoint::select::select(rows_of(run, at[h], at[h + 1]), alone);
      measurements += own.method.measurements;
      for (const seqpoint::select::Point& point : own.points) {
        ASSERT_LT(p, together.size());
        EXPECT_EQ(together[p].id, "sp" + std::to_string(p + 1));
        EXPECT_TRUE(together[p].phase == h && together[p].shape == point.shape && together[p].weight == point.weight &&
                    together[p].iterations == point.iterations)
            << together[p].id;
        ++p;
      }
    }
    EXPECT_EQ(p, together.size());
    EXPECT_EQ(selection.method.measurements, measurements);
  });
}

TEST(Phases, TheOrderOfIterationsWithinAPhaseDoesNotMatter) {
  for_every_method([](const seqpoint::trace::Trace& run, const seqpoint::select::SelectParams& params,
                      const seqpoint::select::Method& method, Draw& draw) {
    if (method.picks_iterations) return;
    seqpoint::trace::Trace other = run;
    const std::vector<std::size_t> at = bounds(run.size(), params.parts);
    for (std::size_t h = 0; h < params.parts; ++h)
      for (std::size_t i = at[h + 1]; i-- > at[h] + 1;) {
        const std::size_t j = at[h] + draw.below(i - at[h] + 1);
        std::swap(other.shapes[i], other.shapes[j]);
        std::swap(other.metrics[0].values[i], other.metrics[0].values[j]);
      }
    const auto weights = [&](const seqpoint::trace::Trace& trace) {
      std::map<std::pair<std::uint64_t, seqpoint::trace::Shape>, seqpoint::select::Weight> all;
      for (const seqpoint::select::Point& point : seqpoint::select::select(trace, params).points)
        all.emplace(std::pair(point.phase, point.shape), point.weight);
      return all;
    };
    EXPECT_EQ(weights(run), weights(other));
  });
}

TEST(Phases, OnePhaseIsNone) {
  for_every_method([](const seqpoint::trace::Trace& run, seqpoint::select::SelectParams params,
                      const seqpoint::select::Method&, Draw&) {
    params.parts = 1;
    seqpoint::select::SelectParams without = params;
    without.parts = seqpoint::select::SelectParams{}.parts;
    const std::string json = seqpoint::io::artifacts::seqpoints_json(seqpoint::select::select(run, params), {});
    EXPECT_EQ(json, seqpoint::io::artifacts::seqpoints_json(seqpoint::select::select(run, without), {}));
    EXPECT_EQ(json.find("phase"), std::string::npos);
  });
}

TEST(Phases, TheArtefactReadsBack) {
  for_every_method([](const seqpoint::trace::Trace& run, const seqpoint::select::SelectParams& params,
                      const seqpoint::select::Method&, Draw&) {
    const seqpoint::select::Selection selection = seqpoint::select::select(run, params);
    const seqpoint::select::Selection read =
        seqpoint::io::artifacts::read_seqpoints(
            seqpoint::io::stream::Input::from_memory("points.json",
                                                     seqpoint::io::artifacts::seqpoints_json(selection, {})))
            .selection;
    EXPECT_EQ(read.run.phases, selection.run.phases);
    for (std::size_t p = 0; p < read.points.size(); ++p) EXPECT_EQ(read.points[p].phase, selection.points[p].phase);
  });
}

TEST(Phases, MoreThanIterationsAreClampedAndNoneIsRefused) {
  Draw draw(1);
  const seqpoint::trace::Trace run = rows_of(random_run(draw), 0, 2);
  seqpoint::select::SelectParams params;
  params.method = "bins";
  params.points = 1;
  params.parts = 5;
  const seqpoint::select::Selection selection = seqpoint::select::select(run, params);
  EXPECT_EQ(selection.points.size(), 2U);
  EXPECT_EQ(selection.notes.size(), 1U);
  params.parts = 0;
  EXPECT_THROW(seqpoint::select::select(run, params), UsageError);
}

/// One length all along, 1 + drift i / n seconds: the k-th iteration of a phase costs what its place in the run says.
seqpoint::trace::Trace drifting_run(std::size_t n, double drift) {
  seqpoint::trace::Trace run;
  run.shapes.assign(n, {.src_len = 100, .batch_size = 8});
  run.metrics.push_back({"runtime_s", {}});
  for (std::size_t i = 0; i < n; ++i)
    run.metrics[0].values.push_back(1 + drift * static_cast<double>(i) / static_cast<double>(n));
  return run;
}

/// Each phase of m = n / N iterations is measured at its first, which falls short of the phase's mean by drift (m - 1)
/// / 2n: over the n iterations drift (m - 1) / 2.
TEST(Phases, ErrorOfADriftFallsAsThePhasesGrowInNumber) {
  constexpr std::size_t n = 240;
  const seqpoint::trace::Trace run = drifting_run(n, -0.6);
  double truth = 0;
  for (const double cost : run.metrics[0].values) truth += cost;
  for (const std::size_t phases : {1U, 2U, 4U, 12U, 60U, 240U}) {
    seqpoint::select::SelectParams params;
    params.points = 1;
    params.parts = phases;
    const seqpoint::select::Selection selection = seqpoint::select::select(run, params);
    ASSERT_EQ(selection.points.size(), phases);
    seqpoint::profile::ProfileTable profile;
    profile.key = seqpoint::profile::ProfileTable::Key::point;
    profile.metrics = {"runtime_s"};
    for (const seqpoint::select::Point& point : selection.points)
      profile.add({.point = point.id}, {run.metrics[0].values[point.iterations.front()]});
    const std::vector<seqpoint::project::NamedMeasurements> all{
        {"v1", seqpoint::profile::match(std::vector{profile}, selection)}};
    const double value = seqpoint::project::project(selection, all, {}).configurations.at(0).metrics.at(0).value;
    EXPECT_NEAR(value - truth, 0.6 * (static_cast<double>(n) / static_cast<double>(phases) - 1) / 2, 1e-9)
        << phases << " phases";
  }
}

/// Lengths 10, 20, 10, 20; the second half costs 3 times as much.
struct TwoPhases {
  seqpoint::trace::Trace run;
  seqpoint::select::Selection selection;
  seqpoint::profile::ProfileTable profile;

  TwoPhases() {
    for (const std::uint32_t length : {10U, 20U, 10U, 20U}) run.shapes.push_back({.src_len = length, .batch_size = 4});
    run.iteration = {100, 101, 102, 103};
    run.metrics.push_back({"runtime_s", {1, 2, 3, 6}});
    seqpoint::select::SelectParams params;
    params.method = "bins";
    params.points = 2;
    params.parts = 2;
    selection = seqpoint::select::select(run, params);
    profile.source = "run.csv";
    profile.metrics = {"runtime_s"};
    profile.has_iteration = true;
    for (std::size_t i = 0; i < run.size(); ++i) {
      profile.add({.point = {}, .key = {.src_len = run.shapes[i].src_len}}, {run.metrics[0].values[i]}).iteration =
          run.iteration[i];
    }
  }
  std::vector<std::vector<double>> matched() const {
    const seqpoint::profile::Measurements measured = seqpoint::profile::match(std::vector{profile}, selection);
    std::vector<std::vector<double>> values;
    for (const auto& readings : measured.readings.at(0)) values.push_back(seqpoint::profile::values_of(readings));
    return values;
  }
};

TEST(Phases, ARowBelongsToThePhaseThatHoldsItsIteration) {
  TwoPhases two;
  EXPECT_EQ(two.matched(), (std::vector<std::vector<double>>{{1}, {2}, {3}, {6}}));
  two.profile.rows[2].iteration.reset();
  EXPECT_EQ(two.matched(), (std::vector<std::vector<double>>{{1}, {2}, {}, {6}})) << "in no phase";
}

TEST(Phases, WithoutIterationsPointsOfOneShapeCannotBeToldApart) {
  TwoPhases two;
  two.profile.has_iteration = false;
  for (seqpoint::profile::ProfileRow& row : two.profile.rows) row.iteration.reset();
  try {
    two.matched();
    FAIL() << "sp1 and sp3 are of one length";
  } catch (const InputError& error) {
    EXPECT_NE(error.hint().find("'iteration'"), std::string::npos) << error.hint();
  }
  // Points of no shape in common may have rows of either phase: the run has their lengths in both.
  two.selection.points.erase(two.selection.points.begin() + 1, two.selection.points.begin() + 3);
  EXPECT_THROW(two.matched(), InputError);
}

/// A run of four phases of one batch size, whose cost is of the free basis functions, in any amount, and of a level
/// that each phase has.
struct LevelledRun {
  seqpoint::trace::Trace run;
  double truth = 0;

  explicit LevelledRun(Draw& draw, std::size_t phases = 4) {
    const double a = 20 * draw.uniform(), b = draw.uniform(), c = draw.uniform() / 100;
    std::vector<double> levels{0};
    while (levels.size() < phases) levels.push_back(draw.uniform());
    run.metrics.push_back({"runtime_s", {}});
    for (std::size_t i = 0, n = 100 * phases; i < n; ++i) {
      const double s = 50 + draw.below(200);
      run.shapes.push_back({.src_len = static_cast<std::uint32_t>(s), .batch_size = 16});
      run.metrics[0].values.push_back(a + b * s + c * s * s + levels[i * phases / n] * s);
      truth += run.metrics[0].values.back();
    }
  }

  seqpoint::select::Selection points(std::uint64_t of_a_phase, std::uint64_t phases = 4) const {
    seqpoint::select::SelectParams params;
    params.points = of_a_phase;
    params.parts = phases;
    return seqpoint::select::select(run, params);
  }

  /// Every point measured at its own iteration but for `missing` of them.
  seqpoint::project::MetricProjection projected(const seqpoint::select::Selection& selection,
                                                const std::vector<std::size_t>& missing = {}) const {
    seqpoint::project::NamedMeasurements all{"v1", {}};
    all.measurements.metrics = {"runtime_s"};
    all.measurements.readings.resize(1);
    for (std::size_t p = 0; p < selection.points.size(); ++p) {
      const bool left_out = std::find(missing.begin(), missing.end(), p) != missing.end();
      auto& readings = all.measurements.readings[0].emplace_back();
      if (!left_out) readings.emplace_back(run.metrics[0].values[selection.points[p].iterations.front()]);
    }
    seqpoint::project::ProjectParams params;
    params.between_processes = 0.0025;  // as of a device-bound job
    return seqpoint::project::project(selection, std::vector{all}, params).configurations.at(0).metrics.at(0);
  }
};

TEST(Phases, LevelsOfTheirOwnAreExact) {
  seqpoint::testing::for_seeds(seqpoint::testing::affordable(20), [](Draw& draw) {
    const LevelledRun levelled(draw);
    const seqpoint::select::Selection selection = levelled.points(5);
    EXPECT_NEAR(levelled.projected(selection).value / levelled.truth, 1, 1e-6);
  });
}

/// Six shapes: 1, s and s^2, and three phases' levels over the first's. Points that are left see all of them, and a
/// prediction leans a little on there being no levels.
TEST(Phases, AMissingPointIsPredictedWithTheLevelOfItsOwnPhase) {
  seqpoint::testing::for_seeds(seqpoint::testing::affordable(20), [](Draw& draw) {
    const LevelledRun levelled(draw);
    const seqpoint::select::Selection selection = levelled.points(5);
    const std::size_t missing = draw.below(selection.points.size());
    const seqpoint::project::MetricProjection metric = levelled.projected(selection, {missing});
    EXPECT_NEAR(metric.value / levelled.truth, 1, 0.02) << missing;
    EXPECT_LT(metric.measured_weight, 1);
    EXPECT_TRUE(metric.interval) << metric.interval.reason;
  });
}

TEST(Phases, OfAPhaseThatWasNotMeasuredNobodyKnowsTheLevel) {
  seqpoint::testing::for_seeds(seqpoint::testing::affordable(5), [](Draw& draw) {
    const LevelledRun levelled(draw);
    const seqpoint::select::Selection selection = levelled.points(5);
    std::vector<std::size_t> missing;
    for (std::size_t p = 0; p < selection.points.size(); ++p)
      if (selection.points[p].phase == 2) missing.push_back(p);
    const seqpoint::project::MetricProjection metric = levelled.projected(selection, missing);
    EXPECT_FALSE(metric.interval);
    EXPECT_FALSE(metric.interval.reason.empty());
  });
}

TEST(Phases, MayBeEpochs) {
  const seqpoint::lengths::Lengths lengths{.src = {5, 9, 2, 7, 11, 3, 8, 6}};
  seqpoint::batching::BatchPolicy policy;
  policy.sampler = "pytorch";
  policy.batch_size = 2;
  policy.epochs = 3;
  const seqpoint::trace::Trace run = seqpoint::trace::trace_of(lengths, policy);
  seqpoint::select::SelectParams params;
  params.points = 4;
  params.parts = 3;
  const seqpoint::select::Selection selection = seqpoint::select::select(run, params);
  EXPECT_EQ(selection.run.epochs, 3U);
  EXPECT_EQ(selection.run.phases, (std::vector<std::uint64_t>{0, 4, 8}));
  for (const seqpoint::select::Point& point : selection.points)
    for (const std::uint64_t i : point.iterations) EXPECT_EQ(run.epoch[i], point.phase);
}

/// What is between phases is no noise: of the same points, costs with levels are as sure as those without.
TEST(Phases, ADriftBetweenPhasesDoesNotWidenTheInterval) {
  const auto half_width = [](const seqpoint::project::MetricProjection& metric) {
    EXPECT_TRUE(metric.interval) << metric.interval.reason;
    return metric.interval ? (metric.interval->high - metric.value) / metric.value : 0;
  };
  seqpoint::testing::for_seeds(seqpoint::testing::affordable(10), [&](Draw& draw) {
    LevelledRun levelled(draw);
    const seqpoint::select::Selection selection = levelled.points(5);
    const double with_levels = half_width(levelled.projected(selection));
    std::vector<double>& costs = levelled.run.metrics[0].values;
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = 3 + 0.2 * levelled.run.shapes[i].src_len;
    const double without = half_width(levelled.projected(selection));
    EXPECT_NEAR(with_levels / without, 1, 1e-6);
    EXPECT_LT(with_levels, 0.05);
  });
}

}  // namespace
}  // namespace phases_property
