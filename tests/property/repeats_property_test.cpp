// Budgets and repeats over random runs and measured epochs: against plain programs, draws, and closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "property/draw.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/artifacts.hpp"
#include "seqpoint/repeats.hpp"

namespace {

using namespace seqpoint;
using seqpoint::testing::Draw;
using seqpoint::testing::affordable;
using seqpoint::testing::for_seeds;

double seconds_of(const Signature& s) { return 0.02 + 1e-4 * s.batch_size * (s.src_len + 0.5 * s.tgt_len) + 1e-9 * static_cast<double>(s.sq_tokens); }

/// One length, pairs, or no padding; timed.
Trace random_run(Draw& draw) {
  Trace run;
  const std::uint32_t kind = draw.below(3);
  run.statistics.push_back({"runtime_s", {}});
  for (std::uint32_t i = 30 + draw.below(200); i > 0; --i) {
    run.src_len.push_back(1 + draw.below(10) * draw.below(30));
    if (kind == 1) run.tgt_len.push_back(1 + draw.below(60));
    if (kind == 2) run.sq_tokens.push_back(std::uint64_t{run.src_len.back()} * (1 + draw.below(run.src_len.back())));
    run.batch_size.push_back(kind == 2 ? 1 : draw.below(9) == 0 ? 5 : 16);
    run.statistics[0].values.push_back(seconds_of(run.signature(run.src_len.size() - 1)));
  }
  return run;
}

Signature first_of(const Selection& selection, const Trace& run, std::size_t p) {
  return run.signature(run.row_of(selection.points[p].iterations.front()));
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// One each, then one more where it takes most off per price.
std::vector<std::uint64_t> one_at_a_time(const std::vector<double>& weights, const std::vector<double>& costs, const std::vector<double>& prices,
                                         double budget) {
  std::vector<std::uint64_t> repeats(weights.size(), 1);
  for (double left = budget - sum(prices);;) {
    std::size_t best = weights.size();
    double most = 0;
    for (std::size_t p = 0; p < weights.size(); ++p) {
      const auto r = static_cast<double>(repeats[p]);
      const double gain = std::pow(weights[p] * costs[p], 2) / (r * (r + 1)) / prices[p];
      if (prices[p] > left || repeats[p] == kMostRepeats || gain <= most) continue;
      best = p;
      most = gain;
    }
    if (best == weights.size()) return repeats;
    ++repeats[best];
    left -= prices[best];
  }
}

struct Case {
  std::vector<double> weights, costs, prices;
};

Case random_case(Draw& draw, bool priced) {
  Case c;
  for (std::uint32_t p = 1 + draw.below(12); p > 0; --p) {
    c.weights.push_back(1 + 100 * draw.uniform());
    c.costs.push_back(0.1 + draw.uniform());
    c.prices.push_back(priced ? c.costs.back() : 1);
  }
  return c;
}

TEST(Repeats, AreThoseOfBuyingOneAtATime) {
  for_seeds(300, [](Draw& draw) {
    const Case c = random_case(draw, draw.below(2) == 0);
    const double budget = sum(c.prices) * (1 + 60 * draw.uniform() * draw.uniform());
    EXPECT_EQ(allocate_repeats(c.weights, c.costs, c.prices, budget), one_at_a_time(c.weights, c.costs, c.prices, budget));
  });
}

TEST(Repeats, OfAPointAreBoundedAndWhatItLeavesGoesToTheOthers) {
  for (const double budget : {15'000.0, 25'000.0, 1e12}) {
    const std::vector<double> weights{1000, 3, 2}, ones{1, 1, 1};
    const auto repeats = allocate_repeats(weights, ones, ones, budget);
    ASSERT_TRUE(repeats);
    EXPECT_EQ(*repeats, one_at_a_time(weights, ones, ones, std::min(budget, 4e4)));
    EXPECT_EQ(repeats->front(), kMostRepeats);
  }
}

/// What is bought by gain per price is the best that its price can buy; a rest below one price may be left.
TEST(Repeats, OfEqualCostAreNoNoisierWhenAllotted) {
  for_seeds(300, [](Draw& draw) {
    const Case c = random_case(draw, draw.below(2) == 0);
    const auto each = 1 + draw.below(8);
    const std::vector<std::uint64_t> equal(c.weights.size(), each);
    const double budget = each * sum(c.prices), rest = c.prices.front() == c.costs.front() ? *std::max_element(c.prices.begin(), c.prices.end()) : 0;
    const auto allotted = allocate_repeats(c.weights, c.costs, c.prices, budget + rest);
    ASSERT_TRUE(allotted);
    EXPECT_LE(relative_noise(c.weights, c.costs, *allotted), relative_noise(c.weights, c.costs, equal) * (1 + 1e-12));
  });
}

TEST(Repeats, OfASelectionCostNoMoreThanTheBudget) {
  for_seeds(150, [](Draw& draw) {
    const Trace run = random_run(draw);
    const Method& method = methods()[draw.below(static_cast<std::uint32_t>(methods().size()))];
    SelectParams params;
    params.method = method.name;
    if (method.points == Method::Points::required || (method.points == Method::Points::optional && draw.below(2) == 0)) params.points = 1 + draw.below(9);
    params.phases = 1 + draw.below(3);
    RepeatParams repeats;
    if (draw.below(2) == 0) repeats.cost = ExpectedCost(run, "run.csv");
    const bool seconds = repeats.cost.in_seconds() && draw.below(2) == 0;
    if (draw.below(4) > 0) repeats.budget = ProfilingBudget{seconds ? 0.2 + 8 * draw.uniform() : 1 + draw.below(90), seconds};
    try {
      const Selection selection = select_with_repeats(run, params, repeats);
      double spent = 0, time = 0;
      std::uint64_t measurements = 0;
      for (std::size_t p = 0; p < selection.points.size(); ++p) {
        const Point& point = selection.points[p];
        EXPECT_GE(point.repeats, 1U);
        spent += static_cast<double>(point.repeats) * (seconds ? seconds_of(first_of(selection, run, p)) : 1);
        time += static_cast<double>(point.repeats) * seconds_of(first_of(selection, run, p));
        measurements += point.repeats;
      }
      const double budget = repeats.budget ? repeats.budget->amount : 3 * static_cast<double>(selection.points.size());
      EXPECT_LE(spent, budget * (1 + 1e-6)) << method.name;
      if (!seconds) {
        EXPECT_EQ(static_cast<double>(measurements), budget) << method.name;
      }
      ASSERT_TRUE(selection.method.repeats);
      EXPECT_EQ(selection.method.repeats->measurements, measurements);
      ASSERT_EQ(selection.method.repeats->seconds.has_value(), repeats.cost.in_seconds());
      if (repeats.cost.in_seconds()) {
        EXPECT_NEAR(*selection.method.repeats->seconds / time, 1, 1e-6) << "the calibration is of this very run";
      }
    } catch (const UsageError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("--budget does not buy")) << error.what();
    }
  });
}

TEST(Repeats, AreReadBackFromTheArtefact) {
  for_seeds(20, [](Draw& draw) {
    SelectParams params;
    params.points = 2 + draw.below(8);
    params.phases = 1 + draw.below(2);
    const Selection selection = select_with_repeats(random_run(draw), params, {});
    const std::string text = seqpoints_json(selection, {});
    const Selection read = read_seqpoints(Input::from_memory("points.json", text)).selection;
    for (std::size_t p = 0; p < read.points.size(); ++p) EXPECT_EQ(read.points[p].repeats, selection.points[p].repeats);
    std::string none = text;
    const std::string key = "   \"repeats\": ";
    none.replace(none.find(key) + key.size(), 1, "0");
    EXPECT_THROW(read_seqpoints(Input::from_memory("points.json", none)), InputError);
  });
}

/// Each number of points is tried by name, and none promises less error at the same price.
TEST(Repeats, ABudgetTakesTheNumberOfPointsThatPromisesTheLeastError) {
  for_seeds(affordable(12), [](Draw& draw) {
    const Trace run = random_run(draw);
    RepeatParams repeats;
    repeats.noise = 0.002 + 0.1 * draw.uniform();
    repeats.cost = ExpectedCost(run, "run.csv");
    const bool seconds = draw.below(2) == 0;
    repeats.budget = ProfilingBudget{seconds ? 3 + 5 * draw.uniform() : 6 + draw.below(40), seconds};
    const Selection chosen = select_with_repeats(run, {}, repeats);
    ASSERT_TRUE(chosen.method.repeats->expected_error);
    for (std::uint64_t k = 1; k <= 40; ++k) {
      SelectParams params;
      params.points = k;
      try {
        const Selection other = select_with_repeats(run, params, repeats);
        EXPECT_GE(*other.method.repeats->expected_error, *chosen.method.repeats->expected_error * (1 - 1e-4)) << k;
      } catch (const UsageError&) {
      }
    }
  });
}

TEST(Repeats, ExpectedNoiseIsWhatDrawsShow) {
  for_seeds(6, [](Draw& draw) {
    const Trace run = random_run(draw);
    SelectParams params;
    params.points = 4 + draw.below(8);
    RepeatParams repeats;
    repeats.noise = 0.05;
    repeats.cost = ExpectedCost(run, "run.csv");
    const Selection selection = select_with_repeats(run, params, repeats);
    double truth = 0, squares = 0;
    for (std::size_t p = 0; p < selection.points.size(); ++p) truth += selection.points[p].weight.iterations() * seconds_of(first_of(selection, run, p));
    constexpr int kDraws = 4000;
    for (int d = 0; d < kDraws; ++d) {
      double total = 0;
      for (std::size_t p = 0; p < selection.points.size(); ++p) {
        const Point& point = selection.points[p];
        double mean = 0;
        for (std::uint64_t r = 0; r < point.repeats; ++r)
          mean += seconds_of(first_of(selection, run, p)) * (1 + repeats.noise * draw.normal()) / static_cast<double>(point.repeats);
        total += point.weight.iterations() * mean;
      }
      squares += std::pow(total / truth - 1, 2);
    }
    EXPECT_NEAR(std::sqrt(squares / kDraws) / selection.method.repeats->expected_noise, 1, 0.05);
  });
}

/// Root mean square error of the projected time over draws of which occurrences of each point are measured.
double rms_error(const Trace& run, const Selection& selection, const std::vector<std::uint64_t>& repeats, Draw& draw) {
  const std::vector<double>& seconds = run.find_statistic("single_s")->values;
  std::map<Signature, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < run.size(); ++i) rows[run.signature(i)].push_back(i);
  const double truth = sum(seconds);
  constexpr int kDraws = 2000;
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

/// Three measurements a point, as advised and equally many of each.
TEST(Repeats, ErrOnMeasuredEpochsNoMoreThanEqualOnes) {
  const std::string data = std::string(SEQPOINT_SOURCE_DIR) + "/examples/data/";
  double allotted = 0, equal = 0;
  for (const std::string name : {"ds2-librispeech100/haswell", "ds2-librispeech100/skylakex", "gnmt-multi30k/nehalem", "gnmt-multi30k/haswell",
                                 "gnmt-multi30k/skylakex"}) {
    const Trace run = read_trace(Input::open(data + name + ".csv")).trace;
    for (std::uint64_t points = 5; points <= 20; points += 5) {
      SelectParams params;
      params.points = points;
      const Selection selection = select_with_repeats(run, params, {});
      std::vector<std::uint64_t> advised;
      for (const Point& point : selection.points) advised.push_back(point.repeats);
      Draw one(7), other(7);
      allotted += std::log(rms_error(run, selection, advised, one));
      equal += std::log(rms_error(run, selection, std::vector<std::uint64_t>(advised.size(), 3), other));
      RecordProperty(name.substr(name.find('/') + 1) + "_" + std::to_string(points), std::to_string(std::exp(allotted - equal)));
    }
  }
  EXPECT_LT(allotted, equal) << "as geometric means over all";
}

}  // namespace
