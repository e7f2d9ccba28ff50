// Variances, predictions and half-widths beside the same computed in Python, and beside closed forms.
#include "core/select/point_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/select/measurement_plan.hpp"
#include "unit/model_cases.hpp"

namespace seqpoint {
namespace {

using testing::IntervalCase;
using testing::model_cases;
using testing::ModelCase;
using testing::PointSetCase;

void expect_share(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

/// Points that are measured once.
select::PointFit measured(const select::CostModel& model, const select::ModelShapes& points) {
  return select::PointFit(model, points,
                          points.relative_size.cwiseAbs2() * select::kModelConstants.disturbance_variance(1, 1));
}

select::TargetCovariances own_run(const select::CostModel& model, const PointSetCase& set) {
  return select::target_covariances(model, model.shapes(), model.shapes().at(set.groups));
}

template <class Check>
void for_each_fit(Check check) {
  for (const ModelCase& one : model_cases()) {
    const select::CostModel model(one.histogram, one.kind);
    for (const PointSetCase& set : one.sets) {
      SCOPED_TRACE(one.name + ", " + std::to_string(set.groups.size()) + " points");
      check(one, model, set, measured(model, model.shapes().at(set.groups)));
    }
  }
}

// Totals that weights miss cost what the shapes are not known by: a difference of large numbers where points are few.
TEST(PointFit, VariancesAreThoseOfTheFormula) {
  for_each_fit(
      [](const ModelCase&, const select::CostModel& model, const PointSetCase& set, const select::PointFit& fit) {
        const select::ErrorParts parts = fit.error_parts(set.any_weights, own_run(model, set));
        const Eigen::ArrayXd usual = Eigen::ArrayXd::Ones(1);
        EXPECT_NEAR(parts.misfit, set.misfit, 1e-6 * (set.misfit + set.noise));
        expect_share(parts.noise(), set.noise, 1e-6);
        expect_share(fit.scales()->missed_variances(parts.missed, usual, usual)[0], set.missed, 1e-6);
      });
}

/// Of a process each of so many as deviations are told of.
std::vector<select::LevelEvidence> levels_of(const IntervalCase& one, double noise) {
  if (one.processes.empty()) return {};
  const auto processes = static_cast<double>(one.processes.size());
  select::LevelEvidence found{.degrees = processes - 1, .squares = 0, .noise = processes * noise};
  for (const double deviation : one.processes) found.squares += deviation * deviation;
  return {found};
}

TEST(Scales, HalfWidthsAndPosteriorMeansAreThoseOfTheGrid) {
  for_each_fit(
      [](const ModelCase&, const select::CostModel& model, const PointSetCase& set, const select::PointFit& fit) {
        const select::TargetCovariances target = own_run(model, set);
        for (const IntervalCase& one : set.intervals) {
          SCOPED_TRACE(one.name);
          select::ErrorParts error = fit.error_parts(set.interval_weights, target);
          const std::vector<select::LevelEvidence> levels = levels_of(one, error.measured);
          if (one.sides == 2) {
            error.measured *= 2;
            error.own = 0;
          }
          if (!levels.empty()) {
            error.processes = 1 / static_cast<double>(one.processes.size()) + (one.other > 0 ? 1 / one.other : 0);
            error.own_process = one.other == 0 && one.own ? 1 : 0;
          }
          // What was seen of a difference is of two measurements; the reference is told it for one.
          const select::NoiseEvidence seen{one.degrees, one.sides * one.squares};
          const select::ScalesPosterior posterior(fit.scales(), one.costs, seen, levels, one.between, one.sides);
          expect_share(posterior.half_width(error, one.confidence), one.half_width, 1e-6);
          const select::Scales scales = posterior.scales();
          EXPECT_NEAR(std::log(scales.noise), one.ln_s, 1e-6);
          EXPECT_NEAR(std::log(scales.misfit), one.ln_g, 1e-6);
          if (one.ln_t) {
            EXPECT_NEAR(std::log(scales.level.value()), *one.ln_t, 1e-6);
          }
        }
      });
}

TEST(PointFit, PredictionsOfAnotherRunAreThoseOfADenseNormalModel) {
  for_each_fit(
      [](const ModelCase& one, const select::CostModel& model, const PointSetCase& set, const select::PointFit& fit) {
        std::vector<trace::ShapeCount> other = one.histogram;
        for (std::size_t g = 0; g < other.size(); ++g) other[g].count = set.other_counts[g];
        const select::TargetCovariances target =
            select::target_covariances(model, model.shapes_of(other), model.shapes().at(set.groups));
        const select::Prediction found = fit.predict(target);
        EXPECT_LT((found.weights - set.prediction).cwiseAbs().maxCoeff(), 1e-6 * set.prediction.cwiseAbs().maxCoeff());
        EXPECT_NEAR(found.prior_share, set.prior_share, 1e-6);
        expect_share(found.error.misfit + found.error.noise() + found.error.amounts, set.prediction_variance, 1e-6);
        EXPECT_EQ(fit.determines_free_functions(),
                  set.groups.size() > static_cast<std::size_t>(model.free_functions().cols()));
      });
}

TEST(PointFit, ExpectedErrorsAreThoseOfTheReference) {
  for_each_fit([](const ModelCase&, const select::CostModel& model, const PointSetCase& set, const select::PointFit&) {
    const std::vector<std::uint64_t> once(set.groups.size(), 1);
    const select::ExpectedError error = select::expected_error(model, set.groups, set.any_weights, once);
    expect_share(error.noise, set.expected_noise, 1e-6);
    expect_share(error.representation, std::sqrt(set.representation * set.representation + set.missed), 1e-6);
    expect_share(error.total(), set.expected_error, 1e-6);
  });
}

// The best predictor of a shape that is a point and was measured without disturbance is its own cost.
TEST(PointFit, ACurvePassesThroughPointsThatAreSure) {
  const ModelCase one = model_cases().front();
  const select::CostModel model(one.histogram, one.kind);
  const select::ModelShapes points = model.shapes().at(one.sets[4].groups);
  Eigen::VectorXd costs = points.relative_size;
  for (Eigen::Index p = 0; p < costs.size(); ++p) costs[p] *= 1 + 0.02 * std::sin(static_cast<double>(p));
  const select::PointFit fit(model, points, 1e-12 * points.relative_size.cwiseAbs2());
  const Eigen::VectorXd curve = fit.curve(costs, 1, points);
  for (Eigen::Index p = 0; p < costs.size(); ++p) expect_share(curve[p], costs[p], 1e-6);
}

// A cost in proportion to size is what the prior says, whatever was measured of it.
TEST(PointFit, ACostInProportionToSizeIsPredictedExactly) {
  for_each_fit(
      [](const ModelCase&, const select::CostModel& model, const PointSetCase& set, const select::PointFit& fit) {
        const Eigen::VectorXd costs = 3 * model.shapes().at(set.groups).relative_size;
        const Eigen::VectorXd curve = fit.curve(costs, 3, model.shapes());
        EXPECT_LT((curve - 3 * model.shapes().relative_size).cwiseAbs().maxCoeff(), 1e-9);
      });
}

/// One point of a size of 1 whose misfit is so small that s alone counts.
select::ScalesPosterior of_noise(const std::shared_ptr<const select::PointScales>& points,
                                 const select::NoiseEvidence& seen) {
  return {points, Eigen::VectorXd::Zero(2), seen};
}

std::shared_ptr<const select::PointScales> two_points(const select::ModelConstants& constants) {
  return std::make_shared<const select::PointScales>(constants, 1e-20 * Eigen::MatrixXd::Identity(2, 2),
                                                     Eigen::VectorXd::Ones(2), Eigen::MatrixXd::Ones(2, 1));
}

// Where the scale is known, the mixture is one normal distribution.
TEST(Scales, TheIntervalOfAKnownScaleIsTheNormalOne) {
  select::ModelConstants constants;
  constants.noise_spread = 1e-7;
  const auto points = two_points(constants);
  for (const auto& [confidence, quantile] :
       {std::pair(0.95, 1.959963984540054), std::pair(0.8, 1.2815515655446004), std::pair(0.5, 0.6744897501960817)})
    expect_share(of_noise(points, {}).half_width({.measured = 4}, confidence), 2 * quantile, 1e-6);
}

TEST(Scales, IntervalsGrowWithConfidenceAndWithWhatIsSeen) {
  const auto points = two_points({});
  double last = 0;
  for (const double confidence : {0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999}) {
    const double half = of_noise(points, {4, 6}).half_width({.measured = 1}, confidence);
    EXPECT_GT(half, last);
    last = half;
  }
  last = 0;
  for (const double squares : {0.0, 1.0, 4.0, 20.0, 60.0}) {
    const double half = of_noise(points, {4, squares}).half_width({.measured = 1}, 0.95);
    EXPECT_GT(half, last);
    last = half;
  }
}

TEST(Scales, NothingThatVariesHasNoWidth) { EXPECT_EQ(of_noise(two_points({}), {}).half_width({}, 0.95), 0); }

}  // namespace
}  // namespace seqpoint
