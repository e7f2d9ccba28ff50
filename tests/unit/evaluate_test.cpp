// Evaluations as `select` advises, and of other runs: beside what select says, closed forms, and a model by
// elimination.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/evaluate/evaluation.hpp"
#include "core/select/select.hpp"
#include "dense_model.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

using testing::DenseModel;

/// An iteration of batch size 2 for each length, and what it costs.
trace::NamedTrace run_of(const std::vector<std::uint32_t>& lengths, std::vector<double> costs) {
  trace::Trace run;
  for (const std::uint32_t length : lengths) run.shapes.push_back({.src_len = length, .batch_size = 2});
  run.metrics.push_back({"runtime_s", std::move(costs)});
  return {"v1", std::move(run), "run.csv"};
}

evaluate::EvaluateParams params_of(const std::string& method, std::optional<std::uint64_t> points = {}) {
  evaluate::EvaluateParams params;
  params.methods = {method};
  params.numbers_of_points = {points};
  params.lengths_only = true;
  params.draws = 1;
  return params;
}

/// The only row of an evaluation, with another run.
evaluate::MethodScore onto(const trace::NamedTrace& run, const trace::NamedTrace& other,
                           const evaluate::EvaluateParams& params) {
  return evaluate::evaluate(std::vector{run}, params, &other).methods.at(0);
}

/// 400 lengths from 20 to 259, most of them once or twice.
std::vector<std::uint32_t> many_lengths() {
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t i = 0; i < 400; ++i) lengths.push_back(20 + i * i % 241);
  return lengths;
}

TEST(Evaluate, AdvisedRowsAreWhatSelectAdvisesForOneProcess) {
  const std::vector<std::uint32_t> lengths = many_lengths();
  const std::vector<trace::NamedTrace> traces{run_of(lengths, std::vector<double>(lengths.size(), 1))};
  for (const std::string method : {"calibrated", "bins", "frequent"}) {
    evaluate::EvaluateParams params = params_of(method);
    params.advised = true;
    params.repeats = 5;
    const evaluate::MethodScore score = evaluate::evaluate(traces, params).methods.back();
    select::SelectParams select;
    select.method = method;
    const select::Selection advice = select::select_with_repeats(traces[0].trace, select, {});
    EXPECT_TRUE(score.advised) << method;
    EXPECT_EQ(score.points, advice.points.size()) << method;
    EXPECT_EQ(score.measurements, advice.method.repeats->measurements) << method;
    EXPECT_EQ(score.executions, advice.method.repeats->cost.executions) << method;
    EXPECT_EQ(score.reduction.count, 400.0 / static_cast<double>(score.measurements)) << method;
    EXPECT_EQ(evaluate::label_of(score), method + ", points advised");
  }
}

TEST(Evaluate, MethodsWithoutARuleOfTheirOwnHaveNoAdvisedRow) {
  evaluate::EvaluateParams params = params_of("random", 3);
  params.advised = true;
  const std::vector<trace::NamedTrace> traces{run_of({1, 2, 3, 4}, {1, 2, 3, 4})};
  const evaluate::Evaluation evaluation = evaluate::evaluate(traces, params);
  ASSERT_EQ(evaluation.methods.size(), 1U);
  EXPECT_FALSE(evaluation.methods[0].advised);
  EXPECT_EQ(evaluation.methods[0].measurements, 3U);
  EXPECT_EQ(evaluation.methods[0].executions, 4U) << "each once, and one to become steady";
}

/// Two lengths, each a point of bins, that is measured three times: 8 iterations of 10 that cost 1 or 1.4, 4 of 20 that
/// cost 2 or 2.2. The total has the variance (8 x 0.2)^2 / 3 + (4 x 0.1)^2 / 3.
TEST(Evaluate, DrawsMeasureAsOftenAsIsAdvised) {
  std::vector<std::uint32_t> lengths(8, 10);
  std::vector<double> costs;
  for (int i = 0; i < 8; ++i) costs.push_back(i % 2 == 0 ? 1 : 1.4);
  for (int i = 0; i < 4; ++i) {
    lengths.push_back(20);
    costs.push_back(i % 2 == 0 ? 2 : 2.2);
  }
  evaluate::EvaluateParams params = params_of("bins");
  params.advised = true;
  params.draws = 4000;
  const std::vector<trace::NamedTrace> traces{run_of(lengths, costs)};
  const std::vector<evaluate::MethodScore> scores = evaluate::evaluate(traces, params).methods;
  ASSERT_EQ(scores.size(), 2U);
  const double once = std::hypot(8 * 0.2, 4 * 0.1) / (8 * 1.2 + 4 * 2.1);
  EXPECT_NEAR(scores[0].configurations[0].total.rms, once, 0.04 * once);
  EXPECT_NEAR(scores[1].configurations[0].total.rms, once / std::sqrt(3), 0.04 * once);
}

/// As above. `midpoints` names one iteration of each length, which stand for the 8 and the 4: its error is that of
/// bins, not of the iterations that it names.
TEST(Evaluate, MethodsThatNameIterationsHaveTheNoiseOfTheOthers) {
  std::vector<std::uint32_t> lengths(8, 10);
  lengths.resize(12, 20);
  const std::vector<double> costs{1, 1.4, 1, 1.4, 1, 1.4, 1, 1.4, 2, 2.2, 2, 2.2};
  evaluate::EvaluateParams params = params_of("midpoints", 2);
  params.draws = 4000;
  const std::vector<trace::NamedTrace> traces{run_of(lengths, costs)};
  const evaluate::MethodScore score = evaluate::evaluate(traces, params).methods.at(0);
  const double once = std::hypot(8 * 0.2, 4 * 0.1) / (8 * 1.2 + 4 * 2.1);
  EXPECT_NEAR(score.configurations[0].total.rms, once, 0.04 * once);
  EXPECT_EQ(score.sampled_points, 2U);
}

TEST(Evaluate, PointsWhoseShapesOccurOnceAreOneRealisation) {
  const std::vector<trace::NamedTrace> once{run_of({10, 20, 30, 40}, {1, 2, 3.3, 4})},
      partly{run_of({10, 20, 20, 40}, {1, 2, 2.1, 4})};
  const auto sampled = [](const std::vector<trace::NamedTrace>& traces, const std::string& method) {
    return evaluate::evaluate(traces, params_of(method, 4)).methods.at(0).sampled_points;
  };
  EXPECT_EQ(sampled(once, "bins"), 0U);
  EXPECT_EQ(sampled(once, "midpoints"), 0U);
  EXPECT_EQ(sampled(partly, "bins"), 1U);
  EXPECT_EQ(sampled(once, "random"), 4U) << "which iterations it chooses differs between trials";
}

/// Weights of these points have the total of the sizes, so that the mean cost, which is the prior's unit, is exact.
TEST(Evaluate, AnotherRunIsExactWhereCostIsInProportionToSize) {
  const std::vector<std::uint32_t> lengths{10, 20, 20, 30, 50, 90};
  const std::vector<double> costs{1, 2, 2, 3, 5, 9};
  const trace::NamedTrace once = run_of(lengths, costs);
  std::vector<std::uint32_t> long_lengths;
  std::vector<double> long_costs;
  for (int epoch = 0; epoch < 4; ++epoch) {
    long_lengths.insert(long_lengths.end(), lengths.begin(), lengths.end());
    long_costs.insert(long_costs.end(), costs.begin(), costs.end());
  }
  const trace::NamedTrace often = run_of(long_lengths, long_costs);
  const trace::NamedTrace other = run_of({40, 12, 200}, {4, 1.2, 20});
  for (const std::string method : {"calibrated", "bins", "kmeans", "prior"}) {
    // A plan of `calibrated` has at most as many executions as the run: every length takes several epochs.
    const auto score = onto(method == "calibrated" ? often : once, other, params_of(method));
    ASSERT_TRUE(score.onto && score.onto->total) << method;
    EXPECT_NEAR(score.onto->total->rms, 0, 1e-9) << method;
  }
}

/// Every length is a point of bins, measured once: no draw differs.
TEST(Evaluate, AnotherRunIsTheBestLinearPrediction) {
  const std::vector<std::uint32_t> lengths{10, 20, 30, 40, 40};
  const std::vector<double> costs{1.1, 1.9, 3.3, 3.9, 3.9};
  const trace::NamedTrace run = run_of(lengths, costs), other = run_of({15, 15, 60}, {1.6, 1.6, 6.6});
  const auto score = onto(run, other, params_of("bins"));
  const trace::RunSummary own = trace::summarise(run.trace), target = trace::summarise(other.trace);
  const std::vector<double> once(4, 1);
  const DenseModel model(own, {10, 20, 30, 40}, once, once);
  const Eigen::Vector4d y(1.1, 1.9, 3.3, 3.9);
  const double mean = (1.1 + 1.9 + 3.3 + 2 * 3.9) / 5;
  DenseModel::Estimate estimate = model.predicted(target);
  const double predicted = estimate.weights.dot(y) + estimate.prior_share * mean, truth = (1.6 + 1.6 + 6.6) / 3;
  estimate.level = 2 * std::pow(predicted / mean, 2);  // of the process that measured, and of the other run's
  const double half = mean * model.half_width(y / mean, estimate, 0.95);
  ASSERT_TRUE(score.onto && score.onto->total);
  EXPECT_NEAR(score.onto->total->bias, predicted / truth - 1, 1e-6);
  EXPECT_NEAR(score.onto->total->width.value_or(0), 2 * half / truth, 1e-5);
  EXPECT_EQ(score.onto->total->coverage, std::abs(predicted - truth) < half ? 1 : 0);
  EXPECT_EQ(score.onto->reason, "");
}

TEST(Evaluate, WhereThereIsNoIntervalOrNoPredictionTheReasonIsGiven) {
  const trace::NamedTrace run = run_of({10, 20, 40, 40}, {1, 2, 4, 4}), other = run_of({20, 40}, {2, 4});
  const auto one_point = onto(run, other, params_of("frequent"));
  ASSERT_TRUE(one_point.onto->total);
  EXPECT_FALSE(one_point.onto->total->coverage);
  EXPECT_TRUE(one_point.onto->reason.starts_with("one measured point"));

  std::vector<std::uint32_t> lengths;
  for (std::uint32_t i = 0; i < 1100; ++i) lengths.push_back(10 + i % 300);
  const auto many = onto(run_of(lengths, std::vector<double>(1100, 1)), other, params_of("random", 1001));
  EXPECT_FALSE(many.onto->total);
  EXPECT_EQ(many.onto->reason, "more than 1000 points were measured, which are not fitted");
}

TEST(Evaluate, AnotherRunHasTheSameKindOfShapesAndIsMeasuredInFull) {
  const trace::NamedTrace run = run_of({10, 20, 40}, {1, 2, 4});
  trace::NamedTrace pairs = run, gap = run, other_column = run;
  pairs.source = gap.source = "other.csv";
  pairs.trace.kind = trace::ShapeKind::padded_pair;
  for (trace::Shape& shape : pairs.trace.shapes) shape.tgt_len = 1;
  gap.trace.metrics[0].values[1] = std::nan("");
  other_column.trace.metrics[0].name = "energy_j";
  const auto place_of = [&](const trace::NamedTrace& other) {
    try {
      onto(run, other, params_of("bins"));
    } catch (const InputError& error) {
      return error.problems().at(0).where.source + ": " + error.problems().at(0).where.field;
    }
    return std::string("none");
  };
  EXPECT_EQ(place_of(pairs), "other.csv: tgt_len");
  EXPECT_EQ(place_of(gap), "other.csv: runtime_s");
  EXPECT_THROW(onto(run, other_column, params_of("bins")), ParameterError);
}

}  // namespace
}  // namespace seqpoint
