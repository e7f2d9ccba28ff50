// Variances, predictions and half-widths beside the same computed in Python, and beside closed forms.
#include "core/select/point_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/select/measurement_plan.hpp"
#include "unit/model_cases.hpp"

namespace seqpoint {
namespace {

using testing::model_cases;
using testing::ModelCase;
using testing::PointSetCase;

void expect_share(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

/// Points that are measured once.
select::PointFit measured(const select::CostModel& model, const select::ModelSignatures& points) {
  return select::PointFit(model, points,
                          points.relative_size.cwiseAbs2() * model.constants().disturbance_variance(1, 1));
}

select::TargetCovariances own_run(const select::CostModel& model, const PointSetCase& set) {
  return select::target_covariances(model, model.signatures(), model.signatures().at(set.groups));
}

template <class Check>
void for_each_fit(Check check) {
  for (const ModelCase& one : model_cases()) {
    const select::CostModel model(one.histogram, one.kind);
    for (const PointSetCase& set : one.sets) {
      SCOPED_TRACE(one.name + ", " + std::to_string(set.groups.size()) + " points");
      check(one, model, set, measured(model, model.signatures().at(set.groups)));
    }
  }
}

// Totals that weights miss cost what the shapes are not known by: a difference of large numbers where points are few.
TEST(PointFit, VariancesAreThoseOfTheFormula) {
  for_each_fit(
      [](const ModelCase&, const select::CostModel& model, const PointSetCase& set, const select::PointFit& fit) {
        expect_share(fit.variance(set.any_weights, own_run(model, set)).total(), set.variance, 1e-6);
      });
}

TEST(PointFit, HalfWidthsAreThoseOfTheMixture) {
  for_each_fit(
      [](const ModelCase&, const select::CostModel& model, const PointSetCase& set, const select::PointFit& fit) {
        const double root = std::sqrt(fit.variance(set.any_weights, own_run(model, set)).total());
        for (const auto& [confidence, half] : {std::pair(0.95, set.half_width_95), std::pair(0.8, set.half_width_80)})
          expect_share(root * select::ScalePosterior({}, fit.degrees_of_freedom(), fit.residual_squares(set.costs))
                                  .half_width(confidence),
                       half, 1e-5);
      });
}

TEST(PointFit, PredictionsOfAnotherRunAreTheBestLinearUnbiasedOnes) {
  for_each_fit([](const ModelCase& one, const select::CostModel& model, const PointSetCase& set,
                  const select::PointFit& fit) {
    std::vector<trace::SignatureCount> other = one.histogram;
    for (std::size_t g = 0; g < other.size(); ++g) other[g].count = set.other_counts[g];
    const select::TargetCovariances target =
        select::target_covariances(model, model.signatures_of(other), model.signatures().at(set.groups));
    const Eigen::VectorXd v = fit.predictor(target);
    EXPECT_LT((v - set.predictor).cwiseAbs().maxCoeff(), 1e-6 * set.predictor.cwiseAbs().maxCoeff());
    expect_share(fit.variance(v, target).total(), set.predictor_variance, 1e-6);
    EXPECT_EQ(
        fit.meets_free_totals(v, target),
        fit.degrees_of_freedom() >= 1 && set.groups.size() > static_cast<std::size_t>(model.free_functions().cols()));
  });
}

TEST(PointFit, ExpectedErrorsAreTheirTwoParts) {
  for_each_fit([](const ModelCase&, const select::CostModel& model, const PointSetCase& set, const select::PointFit&) {
    const select::ExpectedError error =
        select::expected_error(model, set.groups, set.any_weights, std::vector<std::uint64_t>(set.groups.size(), 1));
    expect_share(error.noise, set.noise, 1e-6);
    expect_share(error.representation, set.shapes, 1e-8);
    expect_share(error.total(), std::hypot(set.noise, set.shapes), 1e-6);
  });
}

// The best predictor of a signature that is a point and was measured without disturbance is its own cost.
TEST(PointFit, ACurvePassesThroughPointsThatAreSure) {
  const ModelCase one = model_cases().front();
  const select::CostModel model(one.histogram, one.kind);
  const select::ModelSignatures points = model.signatures().at(one.sets[4].groups);
  Eigen::VectorXd costs = points.relative_size;
  for (Eigen::Index p = 0; p < costs.size(); ++p) costs[p] *= 1 + 0.02 * std::sin(static_cast<double>(p));
  const select::PointFit fit(model, points, 1e-12 * points.relative_size.cwiseAbs2());
  const Eigen::VectorXd curve = fit.curve(costs, points);
  for (Eigen::Index p = 0; p < costs.size(); ++p) expect_share(curve[p], costs[p], 1e-6);
}

// Where the scale is known, the mixture is one normal distribution.
TEST(MixtureHalfWidth, OfAKnownScaleIsTheNormalQuantile) {
  select::ModelConstants constants;
  constants.scale_spread = 1e-5;
  for (const auto& [confidence, quantile] :
       {std::pair(0.95, 1.959963984540054), std::pair(0.8, 1.2815515655446004), std::pair(0.5, 0.6744897501960817)})
    expect_share(select::ScalePosterior(constants, 0, 0).half_width(confidence), 1.5 * quantile, 1e-8);
}

// With a prior that says nothing, what is left is Student's distribution, scaled by the root mean square.
TEST(MixtureHalfWidth, OfAScaleThatNothingIsKnownOfIsStudents) {
  select::ModelConstants constants;
  constants.scale_spread = 200;
  expect_share(select::ScalePosterior(constants, 5, 5 * 0.49).half_width(0.95), 0.7 * 2.5705818356363146, 2e-4);
  expect_share(select::ScalePosterior(constants, 12, 12 * 4.0).half_width(0.8), 2 * 1.3562173340231978, 2e-4);
}

TEST(MixtureHalfWidth, GrowsWithConfidenceAndWithWhatIsSeen) {
  double last = 0;
  for (const double confidence : {0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999}) {
    const double half = select::ScalePosterior({}, 4, 6).half_width(confidence);
    EXPECT_GT(half, last);
    last = half;
  }
  last = 0;
  for (const double squares : {0.0, 1.0, 4.0, 20.0, 1e3, 1e6}) {
    const double half = select::ScalePosterior({}, 4, squares).half_width(0.95);
    EXPECT_GT(half, last);
    last = half;
  }
}

}  // namespace
}  // namespace seqpoint
