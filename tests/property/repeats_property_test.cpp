// Budgets and repeats over random runs and measured epochs: against plain programs, draws, and closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/select/measurement_plan.hpp"
#include "core/select/select.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"

namespace repeats_property {
namespace {

using namespace seqpoint;
using seqpoint::testing::affordable;
using seqpoint::testing::Draw;
using seqpoint::testing::for_seeds;
using seqpoint::trace::ShapeKind;

double seconds_of(const seqpoint::trace::Shape& s) {
  return 0.02 + 1e-4 * (s.tokens + s.batch_size * (s.src_len + 0.5 * s.tgt_len)) +
         1e-9 * static_cast<double>(s.sq_tokens);
}

/// One length, pairs, or no padding; timed.
seqpoint::trace::Trace random_run(Draw& draw) {
  seqpoint::trace::Trace run;
  const auto kind = static_cast<ShapeKind>(draw.below(3));
  run.kind = kind;
  run.metrics.push_back({"runtime_s", {}});
  for (std::uint32_t i = 30 + draw.below(200); i > 0; --i) {
    const std::uint32_t length = 1 + draw.below(10) * draw.below(30);
    seqpoint::trace::Shape s{.src_len = length};
    if (kind == ShapeKind::padded_pair) s.tgt_len = 1 + draw.below(60);
    if (kind == ShapeKind::varlen)
      s = {.tokens = length, .sq_tokens = std::uint64_t{length} * (1 + draw.below(length))};
    if (kind != ShapeKind::varlen) s.batch_size = draw.below(9) == 0 ? 5 : 16;
    run.shapes.push_back(s);
    if (kind == ShapeKind::varlen) run.samples.push_back(1);
    run.metrics[0].values.push_back(seconds_of(s));
  }
  return run;
}

seqpoint::trace::Shape first_of(const seqpoint::select::Selection& selection, const seqpoint::trace::Trace& run,
                                std::size_t p) {
  return run.shapes[run.row_of(selection.points[p].iterations.front())];
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

using Points = std::vector<seqpoint::select::MeasurablePoint>;

double price_of_one_each(const Points& points) {
  double all = 0;
  for (const seqpoint::select::MeasurablePoint& point : points) all += point.price;
  return all;
}

/// What a point adds to the squared error: its part squared, times the variance of so many measurements.
double variance_of(const seqpoint::select::MeasurablePoint& point, std::uint64_t repeats) {
  const seqpoint::select::ModelConstants constants;
  return point.cost_share * point.cost_share *
         (std::pow(constants.iteration, 2) / static_cast<double>(std::min(repeats, point.distinct_iterations)) +
          std::pow(constants.measurement, 2) / static_cast<double>(repeats));
}

double variance_of(const Points& points, const std::vector<std::uint64_t>& repeats) {
  double all = 0;
  for (std::size_t p = 0; p < points.size(); ++p) all += variance_of(points[p], repeats[p]);
  return all;
}

/// One each, after as many of warm-up, then one more where it takes most off per price.
std::vector<std::uint64_t> one_at_a_time(const Points& points, double budget) {
  std::vector<std::uint64_t> repeats(points.size(), 1);
  for (double left = budget - 2 * price_of_one_each(points);;) {
    std::size_t best = points.size();
    double most = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const double gain =
          (variance_of(points[p], repeats[p]) - variance_of(points[p], repeats[p] + 1)) / points[p].price;
      if (points[p].price > left || repeats[p] == seqpoint::select::kMaxRepeats || gain <= most) continue;
      best = p;
      most = gain;
    }
    if (best == points.size()) return repeats;
    ++repeats[best];
    left -= points[best].price;
  }
}

Points random_points(Draw& draw, bool priced) {
  Points points(1 + draw.below(12U));
  for (seqpoint::select::MeasurablePoint& point : points) {
    const double cost = 0.1 + draw.uniform();
    point = {cost * (1 + 100 * draw.uniform()), priced ? cost : 1, 1 + draw.below(10U)};
  }
  return points;
}

TEST(Repeats, AreThoseOfBuyingOneAtATime) {
  for_seeds(300, [](Draw& draw) {
    const Points points = random_points(draw, draw.below(2) == 0);
    const double budget = price_of_one_each(points) * (2 + 60 * draw.uniform() * draw.uniform());
    EXPECT_EQ(seqpoint::select::allocate_measurements({}, points, {.budget = budget, .of_warmup = 0}),
              one_at_a_time(points, budget));
  });
}

/// What is bought by gain per price is the best that its price can buy; a rest below one price may be left.
TEST(Repeats, OfEqualCostAreNoNoisierWhenAllotted) {
  for_seeds(300, [](Draw& draw) {
    const bool priced = draw.below(2) == 0;
    const Points points = random_points(draw, priced);
    const auto each = 1 + draw.below(8U);
    double rest = 0;
    for (const seqpoint::select::MeasurablePoint& point : points) rest = priced ? std::max(rest, point.price) : 0;
    const auto allotted = seqpoint::select::allocate_measurements(
        {}, points, {.budget = (each + 1) * price_of_one_each(points) + rest, .of_warmup = 0});
    ASSERT_TRUE(allotted);
    EXPECT_LE(variance_of(points, *allotted),
              variance_of(points, std::vector<std::uint64_t>(points.size(), each)) * (1 + 1e-12));
  });
}

/// What a plan takes, counted process by process: warm-up (a tenth of all), each point's own, the measurements.
double price_of_plan(const std::vector<double>& prices, const std::vector<std::uint64_t>& repeats,
                     std::uint64_t processes, double of_warmup) {
  double price = 0;
  for (std::uint64_t s = 0; s < processes; ++s) {
    std::uint64_t executions = 0;
    for (std::size_t p = 0; p < prices.size(); ++p) {
      std::uint64_t here = 1;
      for (std::uint64_t r = s; r < repeats[p]; r += processes) ++here;
      executions += here;
      price += static_cast<double>(here) * prices[p];
    }
    price += of_warmup * static_cast<double>(std::max<std::uint64_t>(executions / 9, 1));
  }
  return price;
}

TEST(Repeats, OfASelectionCostNoMoreThanTheBudget) {
  for_seeds(100, [](Draw& draw) {
    const seqpoint::trace::Trace run = random_run(draw);
    const seqpoint::select::Method& method =
        seqpoint::select::all_methods()[draw.below(static_cast<std::uint32_t>(seqpoint::select::all_methods().size()))];
    seqpoint::select::SelectParams params;
    params.method = method.name;
    if (method.points == seqpoint::select::Method::Points::required ||
        (method.points == seqpoint::select::Method::Points::optional && draw.below(2) == 0))
      params.points = 1 + draw.below(9);
    params.parts = 1 + draw.below(3);
    seqpoint::select::RepeatParams repeats;
    if (draw.below(2) == 0) repeats.iteration_seconds = seqpoint::select::expected_seconds(run, "run.csv");
    repeats.processes = 1 + draw.below(5);
    const bool seconds = repeats.iteration_seconds && draw.below(2) == 0;
    if (draw.below(4) > 0)
      repeats.budget =
          seqpoint::select::ProfilingBudget{seconds ? 0.2 + 8 * draw.uniform() : 1 + draw.below(90), seconds};
    try {
      const seqpoint::select::Selection selection = seqpoint::select::select_with_repeats(run, params, repeats);
      std::vector<double> one, tokens, times;
      std::vector<std::uint64_t> each;
      for (std::size_t p = 0; p < selection.points.size(); ++p) {
        each.push_back(selection.points[p].repeats);
        EXPECT_GE(each.back(), repeats.processes) << "one in each process";
        one.push_back(1);
        tokens.push_back(static_cast<double>(first_of(selection, run, p).padded_tokens()));
        times.push_back(seconds_of(first_of(selection, run, p)));
      }
      const auto price = [&](const std::vector<double>& prices, double of_run) {
        return price_of_plan(prices, each, repeats.processes, of_run / static_cast<double>(run.size()));
      };
      const double executions = price(one, static_cast<double>(run.size()));
      const double seconds_in_all = price(times, sum(run.metrics[0].values));
      const std::uint64_t measurements = std::accumulate(each.begin(), each.end(), std::uint64_t{0});
      if (repeats.budget) {
        EXPECT_LE(seconds ? seconds_in_all : executions, repeats.budget->amount * (1 + 1e-6)) << method.name;
        // One more, and what a process then warms up more.
        EXPECT_TRUE(seconds || executions > repeats.budget->amount - 2) << method.name;
      } else if (!method.takes_budget) {
        EXPECT_EQ(measurements, std::max<std::uint64_t>(3, repeats.processes) * each.size()) << method.name;
      }
      ASSERT_TRUE(selection.method.repeats);
      const seqpoint::select::RepeatsRecord& record = *selection.method.repeats;
      EXPECT_EQ(record.measurements, measurements);
      EXPECT_EQ(record.processes, repeats.processes);
      EXPECT_EQ(static_cast<double>(record.cost.executions), executions);
      EXPECT_NEAR(static_cast<double>(record.cost.tokens),
                  price(tokens, static_cast<double>(selection.run.padded_tokens)), 0.51);
      ASSERT_EQ(record.cost.seconds.has_value(), repeats.iteration_seconds.has_value());
      if (record.cost.seconds) {
        EXPECT_NEAR(*record.cost.seconds / seconds_in_all, 1, 1e-6) << "the calibration is of this very run";
      }
    } catch (const ParameterError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("`budget` is too small")) << error.what();
    }
  });
}

TEST(Repeats, AreReadBackFromTheArtefact) {
  for_seeds(20, [](Draw& draw) {
    seqpoint::select::SelectParams params;
    params.points = 2 + draw.below(8);
    params.parts = 1 + draw.below(2);
    const seqpoint::select::Selection selection = seqpoint::select::select_with_repeats(random_run(draw), params, {});
    const std::string text = seqpoint::io::artifacts::seqpoints_json(selection, {});
    const seqpoint::select::Selection read =
        seqpoint::io::artifacts::read_seqpoints(seqpoint::io::stream::Input::from_memory("points.json", text))
            .selection;
    for (std::size_t p = 0; p < read.points.size(); ++p) EXPECT_EQ(read.points[p].repeats, selection.points[p].repeats);
    std::string none = text;
    const std::string key = "   \"repeats\": ";
    none.replace(none.find(key) + key.size(), 1, "0");
    EXPECT_THROW(seqpoint::io::artifacts::read_seqpoints(seqpoint::io::stream::Input::from_memory("points.json", none)),
                 InputError);
  });
}

/// Each number of points is tried by name: hardly any promises much less error at the same price.
TEST(Repeats, ABudgetTakesANumberOfPointsThatPromisesLittleError) {
  double worse = 0, most = 0;
  int all = 0;
  for_seeds(affordable(12), [&](Draw& draw) {
    const seqpoint::trace::Trace run = random_run(draw);
    seqpoint::select::RepeatParams repeats;
    repeats.iteration_seconds = seqpoint::select::expected_seconds(run, "run.csv");
    const bool seconds = draw.below(2) == 0;
    repeats.budget =
        seqpoint::select::ProfilingBudget{seconds ? 6 + 10 * draw.uniform() : 12 + draw.below(80), seconds};
    const double chosen = seqpoint::select::select_with_repeats(run, {}, repeats).method.repeats->expected.total();
    double least = chosen;
    for (std::uint64_t k = 2; k <= 30; k += k < 10 ? 1 : 4) {
      seqpoint::select::SelectParams params;
      params.points = k;
      try {
        least = std::min(least,
                         seqpoint::select::select_with_repeats(run, params, repeats).method.repeats->expected.total());
      } catch (const UsageError&) {
      }
    }
    worse += std::log(chosen / least);
    most = std::max(most, chosen / least);
    ++all;
  });
  EXPECT_LT(std::exp(worse / all), 1.15) << "as a geometric mean";
  EXPECT_LT(most, 2);
}

/// What a run costs by the model without misfit, drawn anew: each iteration's own disturbance and each measurement's,
/// on the usual scale. Of pairs of one batch size.
class DrawnCosts {
 public:
  static constexpr double kIteration = 0.045, kMeasurement = 0.04;

  explicit DrawnCosts(const seqpoint::trace::RunSummary& run) : run_(run) {}

  /// What the points' mean costs project, over the total of the run, less 1.
  double error(const seqpoint::select::Selection& selection, const std::vector<std::size_t>& groups, Draw& draw) const {
    double truth = 0, smooth = 0, projected = 0;
    for (std::size_t g = 0; g < run_.histogram.size(); ++g)
      for (std::uint64_t i = run_.histogram[g].count; i > 0; --i) {
        smooth += size_of(g);
        truth += size_of(g) * (1 + std::hypot(kIteration, kMeasurement) * draw.normal());
      }
    for (std::size_t p = 0; p < groups.size(); ++p) {
      const seqpoint::select::Point& point = selection.points[p];
      const auto different = static_cast<double>(std::min<std::uint64_t>(point.repeats, point.iterations.size()));
      const double off = kIteration / std::sqrt(different) * draw.normal() +
                         kMeasurement / std::sqrt(static_cast<double>(point.repeats)) * draw.normal();
      projected += point.weight.iterations() * size_of(groups[p]) * (1 + off);
    }
    return (projected - truth) / smooth;
  }

 private:
  double size_of(std::size_t g) const {
    const seqpoint::trace::Shape& s = run_.histogram[g].shape;
    return s.src_len + s.tgt_len;
  }

  const seqpoint::trace::RunSummary& run_;
};

/// The total of the free basis functions is exact, so that nothing but what the model draws is left.
TEST(Repeats, ExpectedNoiseIsWhatDrawsOfTheModelShow) {
  for_seeds(5, [](Draw& draw) {
    seqpoint::trace::Trace run;
    run.kind = ShapeKind::padded_pair;
    for (std::uint32_t i = 40 + draw.below(60U); i > 0; --i)
      run.shapes.push_back({.src_len = 20 + draw.below(80U), .tgt_len = 10 + draw.below(90U), .batch_size = 16});
    seqpoint::select::SelectParams params;
    params.points = 8 + draw.below(8);
    const seqpoint::select::Selection selection = seqpoint::select::select_with_repeats(run, params, {});
    std::vector<std::size_t> groups;
    for (std::size_t p = 0; p < selection.points.size(); ++p) {
      const seqpoint::trace::Shape s = first_of(selection, run, p);
      const auto found = std::find_if(selection.run.histogram.begin(), selection.run.histogram.end(),
                                      [&](const auto& entry) { return entry.shape == s; });
      groups.push_back(static_cast<std::size_t>(found - selection.run.histogram.begin()));
    }
    const DrawnCosts costs(selection.run);
    constexpr int kDraws = 3000;
    double squares = 0;
    for (int d = 0; d < kDraws; ++d) squares += std::pow(costs.error(selection, groups, draw), 2);
    EXPECT_NEAR(std::sqrt(squares / kDraws) / selection.method.repeats->expected.noise, 1, 0.05)
        << selection.points.size();
  });
}

/// Root mean square error of the projected time over draws of which occurrences of each point are measured.
double rms_error(const seqpoint::trace::Trace& run, const seqpoint::select::Selection& selection,
                 const std::vector<std::uint64_t>& repeats, Draw& draw) {
  const std::vector<double>& seconds = run.find_metric("single_s")->values;
  std::map<seqpoint::trace::Shape, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < run.size(); ++i) rows[run.shapes[i]].push_back(i);
  const double truth = sum(seconds);
  constexpr int kDraws = 1000;
  double squares = 0;
  for (int d = 0; d < kDraws; ++d) {
    double total = 0;
    for (std::size_t p = 0; p < repeats.size(); ++p) {
      const std::vector<std::size_t>& own = rows.at(first_of(selection, run, p));
      double mean = 0;
      for (std::uint64_t r = 0; r < repeats[p]; ++r)
        mean += seconds[own[draw.below(static_cast<std::uint32_t>(own.size()))]] / static_cast<double>(repeats[p]);
      total += selection.points[p].weight.iterations() * mean;
    }
    squares += std::pow(total / truth - 1, 2);
  }
  return std::sqrt(squares / kDraws);
}

/// Three measurements a point, shared out and equally many of each.
TEST(Repeats, ErrOnMeasuredEpochsNoMoreThanEqualOnes) {
  const std::string data = std::string(SEQPOINT_SOURCE_DIR) + "/examples/data/";
  double allotted = 0, equal = 0;
  for (const std::string name : {"ds2-librispeech100/haswell", "ds2-librispeech100/skylakex", "gnmt-multi30k/nehalem",
                                 "gnmt-multi30k/haswell", "gnmt-multi30k/skylakex"}) {
    const seqpoint::trace::Trace run =
        seqpoint::io::artifacts::read_trace(seqpoint::io::stream::Input::open(data + name + ".csv")).trace;
    for (std::uint64_t points = 5; points <= 20; points += 5) {
      seqpoint::select::SelectParams params;
      params.points = points;
      const seqpoint::select::Selection selection = seqpoint::select::select_with_repeats(run, params, {});
      std::vector<seqpoint::select::MeasurablePoint> measurable;
      for (const seqpoint::select::Point& point : selection.points)
        measurable.push_back(
            {point.weight.iterations() * seqpoint::select::shape_size(point.shape), 1, point.iterations.size()});
      const auto advised =
          seqpoint::select::allocate_measurements({}, measurable, {.measurements = 3 * measurable.size()}).value();
      Draw one(7), other(7);
      allotted += std::log(rms_error(run, selection, advised, one));
      equal += std::log(rms_error(run, selection, std::vector<std::uint64_t>(advised.size(), 3), other));
      RecordProperty(name.substr(name.find('/') + 1) + "_" + std::to_string(points),
                     std::to_string(std::exp(allotted - equal)));
    }
  }
  EXPECT_LT(allotted, equal) << "as geometric means over all";
}

}  // namespace
}  // namespace repeats_property
