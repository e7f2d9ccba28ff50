// Covariances, disturbances, expected squared errors and weights beside the same computed in Python
// (tests/vectors/README.md).
#include "core/select/cost_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/select/point_search.hpp"
#include "unit/model_cases.hpp"

namespace seqpoint {
namespace {

using testing::model_cases;
using testing::ModelCase;
using testing::PointSetCase;

void expect_close(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

template <class Check>
void for_each_set(Check check) {
  for (const ModelCase& one : model_cases()) {
    const select::CostModel model(one.histogram, one.kind);
    for (const PointSetCase& set : one.sets) {
      SCOPED_TRACE(one.name + ", " + std::to_string(set.groups.size()) + " points");
      check(one, model, set);
    }
  }
}

TEST(CostModel, CovariancesAndDisturbancesAreThoseOfTheFormulas) {
  for_each_set([](const ModelCase&, const select::CostModel& model, const PointSetCase& set) {
    for (std::size_t i = 0; i < set.groups.size(); ++i) {
      expect_close(model.disturbance_variance(set.groups[i]), set.disturbance[i], 1e-8);
      for (std::size_t j = 0; j < set.groups.size(); ++j) {
        const auto a = static_cast<Eigen::Index>(set.groups[i]), b = static_cast<Eigen::Index>(set.groups[j]);
        const double free =
            select::kModelConstants.free * model.free_functions().row(a).dot(model.free_functions().row(b));
        expect_close(model.covariance_beside_free(set.groups[i], set.groups[j]) + free, set.covariance[i][j], 1e-8);
      }
    }
  });
}

// Sums over every pair of shapes, beside one pass up and one down the sorted lengths.
TEST(CostModel, CovariancesWithTheTotalAreTheSumsOverTheRun) {
  for (const ModelCase& one : model_cases()) {
    const select::CostModel model(one.histogram, one.kind);
    double all = 0;
    for (std::size_t g = 0; g < model.size(); ++g) {
      double sum = 0;
      for (std::size_t h = 0; h < model.size(); ++h)
        sum += model.covariance_beside_free(g, h) * model.shares()[static_cast<Eigen::Index>(h)];
      expect_close(model.covariance_beside_free_with_total()[static_cast<Eigen::Index>(g)], sum, 1e-11);
      all += sum * model.shares()[static_cast<Eigen::Index>(g)];
    }
    expect_close(model.variance_beside_free_of_total(), all, 1e-11);
  }
}

TEST(CostModel, ExpectedSquaredErrorsOfAnyWeightsAreThoseOfTheFormula) {
  for_each_set([](const ModelCase&, const select::CostModel& model, const PointSetCase& set) {
    expect_close(select::WeightProblem(model, set.groups).variance_of(set.any_weights), set.squared_error, 1e-8);
  });
}

TEST(WeightProblem, WeightsAreTheBestOnes) {
  std::size_t compared = 0;
  for_each_set([&](const ModelCase&, const select::CostModel& model, const PointSetCase& set) {
    const select::WeightedPoints found = select::WeightProblem(model, set.groups).solve();
    EXPECT_EQ(found.meets_free_totals, set.exact);
    EXPECT_GE(found.weights.minCoeff(), 0);
    EXPECT_NEAR(found.weights.sum(), 1, 1e-9);
    if (!set.weights) return;
    ++compared;
    EXPECT_LT((found.weights - *set.weights).cwiseAbs().maxCoeff(), 1e-6);
    expect_close(found.variance, set.least_squared_error, 1e-6);
    EXPECT_LT((model.free_functions()(std::vector<Eigen::Index>(set.groups.begin(), set.groups.end()), Eigen::all)
                       .transpose() *
                   found.weights -
               Eigen::VectorXd::Ones(model.free_functions().cols()))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-9);
  });
  EXPECT_GT(compared, 40U);
}

TEST(CostModel, AShapeOfAnotherRunIsOnTheSameScale) {
  for (const ModelCase& one : model_cases()) {
    const select::CostModel model(one.histogram, one.kind);
    const select::ModelShapes rows = model.shapes_of(one.histogram);
    EXPECT_EQ(rows.free_functions, model.free_functions());
    EXPECT_EQ(rows.relative_size, model.shapes().relative_size);
    EXPECT_EQ(rows.lengths, model.shapes().lengths);
  }
}

}  // namespace
}  // namespace seqpoint
