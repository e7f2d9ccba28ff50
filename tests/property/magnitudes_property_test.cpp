// Costs of any magnitude: a number is either refused by name or projected, and the projection of costs that are 2^k
// times as large is 2^k times the projection, to the last bit.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluate/evaluation.hpp"
#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/select/select.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"

namespace magnitudes_property {
namespace {

using seqpoint::testing::Draw;
using seqpoint::testing::for_seeds;

/// A run whose costs grow with the length, with scatter of a few percent.
struct CostedRun {
  seqpoint::trace::Trace trace;
  std::vector<double> costs;
};

CostedRun random_run(Draw& draw) {
  CostedRun run;
  for (std::uint64_t i = 0, iterations = draw.between(20U, 60U); i < iterations; ++i) {
    const std::uint32_t length = 1 + draw.below(200U);
    run.trace.shapes.push_back({length, 0, 8});
    run.costs.push_back((0.1 + 0.01 * length + 1e-5 * length * length) * (1 + 0.02 * draw.normal()));
  }
  return run;
}

seqpoint::trace::Trace with_costs(const CostedRun& run, double factor) {
  seqpoint::trace::Trace trace = run.trace;
  trace.metrics.push_back({"runtime_s", {}});
  for (const double cost : run.costs) trace.metrics[0].values.push_back(cost * factor);
  return trace;
}

/// Measurements of every point's iterations, by iteration.
seqpoint::profile::ProfileTable profile_of(const CostedRun& run, const seqpoint::select::Selection& selection,
                                           double factor) {
  seqpoint::profile::ProfileTable table;
  table.source = "run.csv";
  table.key = seqpoint::profile::ProfileTable::Key::point;
  table.metrics = {"runtime_s"};
  for (const seqpoint::select::Point& point : selection.points)
    for (const std::uint64_t iteration : point.iterations) {
      seqpoint::profile::ProfileRow& row = table.add({.point = point.id}, {run.costs[iteration] * factor});
      row.iteration = iteration;
      row.line = static_cast<std::uint32_t>(table.rows.size() + 1);
    }
  return table;
}

seqpoint::select::Selection selection_of(const CostedRun& run) {
  seqpoint::select::SelectParams params;
  params.points = 5;
  return seqpoint::select::select(run.trace, params);
}

seqpoint::project::MetricProjection projected(const seqpoint::select::Selection& selection,
                                              const seqpoint::profile::ProfileTable& table) {
  const seqpoint::project::NamedMeasurements named{"v1", seqpoint::profile::match({&table, 1}, selection)};
  return seqpoint::project::project(selection, {&named, 1}, {}).configurations.front().metrics.front();
}

/// The powers of two from 1e-320, a number of few digits, to 1e308.
double power_of_two(Draw& draw, int& exponent) {
  exponent = draw.between(-1063, 1010);
  return std::ldexp(1.0, exponent);
}

/// Whether all of the costs can be measured after scaling; these lie between 0.05 and 5.
enum class Expected { exact, refused, either };
Expected expected_at(int exponent) {
  if (std::abs(exponent) < 240) return Expected::exact;  // 2^249 is 9e74
  return std::abs(exponent) > 255 ? Expected::refused : Expected::either;
}

TEST(Magnitudes, ProjectionsScaleExactlyOrMeasurementsAreRefusedByName) {
  for_seeds(200, [](Draw& draw) {
    const CostedRun run = random_run(draw);
    const seqpoint::select::Selection selection = selection_of(run);
    const seqpoint::project::MetricProjection one = projected(selection, profile_of(run, selection, 1));
    ASSERT_TRUE(one.interval);
    int exponent = 0;
    const double factor = power_of_two(draw, exponent);
    SCOPED_TRACE(exponent);
    try {
      const seqpoint::project::MetricProjection scaled = projected(selection, profile_of(run, selection, factor));
      EXPECT_NE(expected_at(exponent), Expected::refused);
      ASSERT_TRUE(scaled.interval);
      EXPECT_EQ(scaled.value, one.value * factor);
      EXPECT_EQ(scaled.interval->low, one.interval->low * factor);
      EXPECT_EQ(scaled.interval->high, one.interval->high * factor);
    } catch (const seqpoint::InputError& error) {
      EXPECT_NE(expected_at(exponent), Expected::exact);
      const seqpoint::Where& where = error.problems().front().where;
      EXPECT_EQ(where.source, "run.csv");
      EXPECT_GT(where.line, 1U);
      EXPECT_EQ(where.field, "runtime_s");
      EXPECT_NE(error.hint(), "");
    }
  });
}

/// Within the limits.
double usual_power_of_two(Draw& draw) { return std::ldexp(1.0, draw.between(-240, 240)); }

TEST(Magnitudes, SelectionsAreTheSame) {
  for_seeds(50, [](Draw& draw) {
    const CostedRun run = random_run(draw);
    seqpoint::select::SelectParams params;
    params.points = 5;
    params.metric = "runtime_s";
    const double factor = usual_power_of_two(draw);
    const seqpoint::select::Selection one = seqpoint::select::select(with_costs(run, 1), params);
    const seqpoint::select::Selection scaled = seqpoint::select::select(with_costs(run, factor), params);
    ASSERT_EQ(scaled.points.size(), one.points.size());
    for (std::size_t p = 0; p < one.points.size(); ++p) {
      EXPECT_EQ(scaled.points[p].iterations, one.points[p].iterations) << factor;
      EXPECT_EQ(scaled.points[p].weight.millionths, one.points[p].weight.millionths) << factor;
    }
  });
}

TEST(Magnitudes, ErrorsOfMethodsAreTheSame) {
  for_seeds(10, [](Draw& draw) {
    const CostedRun run = random_run(draw);
    seqpoint::evaluate::EvaluateParams params;
    params.numbers_of_points = {5};
    params.draws = 3;
    const auto evaluated = [&](double factor) {
      const std::vector<seqpoint::trace::NamedTrace> traces{{"v1", with_costs(run, factor), "v1.csv"}};
      return seqpoint::evaluate::evaluate(traces, params);
    };
    const double factor = usual_power_of_two(draw);
    const seqpoint::evaluate::Evaluation one = evaluated(1), scaled = evaluated(factor);
    ASSERT_EQ(scaled.methods.size(), one.methods.size());
    for (std::size_t m = 0; m < one.methods.size(); ++m) {
      const auto &expected = one.methods[m].configurations[0].total, &found = scaled.methods[m].configurations[0].total;
      EXPECT_EQ(found.rms, expected.rms) << one.methods[m].name << " " << factor;
      EXPECT_EQ(found.width, expected.width) << one.methods[m].name << " " << factor;
    }
  });
}

}  // namespace
}  // namespace magnitudes_property
