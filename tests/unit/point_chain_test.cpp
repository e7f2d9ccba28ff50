// Covariances of points that are factored for each pair of scales, beside the same by dense matrices.
#include "core/select/point_chain.hpp"

#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/rng/rng.hpp"
#include "core/select/point_fit.hpp"
#include "core/select/tridiagonal_covariance.hpp"

namespace seqpoint {
namespace {

/// So many random shapes, ascending. Lengths recur with other batch sizes, if there are these.
std::vector<trace::ShapeCount> random_shapes(std::size_t number, std::uint32_t batch_sizes, rng::NumpyRandom& random) {
  std::set<trace::Shape> shapes;
  while (shapes.size() < number) {
    trace::Shape shape;
    shape.src_len = 1 + static_cast<std::uint32_t>(random.interval(2 * number));
    shape.batch_size = 8 * (1 + static_cast<std::uint32_t>(random.interval(batch_sizes - 1)));
    shapes.insert(shape);
  }
  std::vector<trace::ShapeCount> histogram;
  for (const trace::Shape& shape : shapes) histogram.push_back({shape, 1 + random.interval(5)});
  return histogram;
}

/// A random run, all of whose shapes are points, in a random order.
struct ChainCase {
  ChainCase(std::size_t number, std::uint32_t batch_sizes, std::uint32_t seed) : random(seed) {
    model.emplace(random_shapes(number, batch_sizes, random), trace::ShapeKind::padded);
    select::GroupIndices order;
    for (const std::uint32_t g : random.permutation(static_cast<std::uint32_t>(number))) order.push_back(g);
    points = model->shapes().at(order);
    disturbance = points.relative_size.cwiseAbs2();
    for (double& variance : disturbance) variance *= 1e-4 + 4e-3 * random.real();
    misfit = select::misfit_among(*model, points);
    functions = points.free_functions.leftCols(number < 3 ? 1 : 2);  // a degree of freedom is left
  }
  Eigen::VectorXd random_vector(std::size_t number) {
    Eigen::VectorXd found(number);
    for (double& value : found) value = 2 * random.real() - 1;
    return found;
  }
  /// Costs about in proportion to size.
  Eigen::VectorXd costs() {
    return points.relative_size.cwiseProduct(Eigen::VectorXd::Ones(points.counts.size()) +
                                             0.1 * random_vector(points.shapes.size()));
  }
  std::shared_ptr<const select::PointChain> chain() const {
    return select::PointChain::of(*model, points, disturbance);
  }

  rng::NumpyRandom random;
  std::optional<select::CostModel> model;
  select::ModelShapes points;
  Eigen::VectorXd disturbance;
  Eigen::MatrixXd misfit, functions;
};

template <class Check>
void for_each_chain(const std::vector<std::size_t>& numbers, Check check) {
  std::uint32_t seed = 0;
  for (const std::size_t number : numbers)
    for (const std::uint32_t batch_sizes : {1U, 3U}) {
      SCOPED_TRACE(std::to_string(number) + " points, seed " + std::to_string(++seed));
      ChainCase one(number, batch_sizes, seed);
      check(one);
    }
}

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// Compares within 1e-9 of the largest value.
void expect_equal(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected) {
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-9 * expected.cwiseAbs().maxCoeff());
}

/// The chain of the points, and the covariance that points of two lengths have too.
std::vector<std::shared_ptr<const select::ScaledCovariance>> factors_of(const ChainCase& one) {
  return {one.chain(), std::make_shared<const select::TridiagonalCovariance>(one.misfit, one.disturbance)};
}

TEST(ScaledCovariance, FactorsAreThoseOfTheDenseMatrix) {
  for_each_chain({1, 2, 3, 10, 60}, [](ChainCase& one) {
    const Eigen::MatrixXd right = one.random_vector(one.points.shapes.size());
    for (const auto& factors : factors_of(one))
      for (const auto& [s2, g2] : {std::pair(1.0, 1.0), std::pair(0.04, 900.0), std::pair(30.0, 0.001)}) {
        Eigen::MatrixXd dense = g2 * one.misfit;
        dense.diagonal() += s2 * one.disturbance;
        const Eigen::PartialPivLU<Eigen::MatrixXd> factor(dense);
        const select::Whitened white = factors->whitened(s2, g2, factors->prepared(right));
        expect_equal(white.columns.transpose() * white.columns, right.transpose() * factor.solve(right));
        EXPECT_NEAR(white.ln_determinant, factor.matrixLU().diagonal().cwiseAbs().array().log().sum(), 1e-9);
      }
    Eigen::MatrixXd dense = one.misfit;
    dense.diagonal() += one.disturbance;
    expect_equal(one.chain()->solve(right), dense.partialPivLu().solve(right));
  });
}

TEST(ScaledCovariance, PosteriorsOfScalesAreThoseOfEigenvectors) {
  for_each_chain({2, 3, 10, 60}, [](ChainCase& one) {
    const select::ModelConstants& constants = one.model->constants();
    const auto dense =
        std::make_shared<const select::PointScales>(constants, one.misfit, one.disturbance, one.functions);
    const Eigen::VectorXd costs = one.costs();
    const select::ErrorParts error{
        .misfit = 1e-4, .measured = 2e-4, .own = 1e-5, .missed = one.random_vector(one.functions.cols())};
    for (const auto& factors : factors_of(one))
      for (const int sides : {1, 2}) {
        const auto factored = std::make_shared<const select::PointScales>(constants, factors, one.functions);
        const select::ScalesPosterior expected(dense, costs, {3, 4}, {}, select::kHostBound, sides),
            found(factored, costs, {3, 4}, {}, select::kHostBound, sides);
        EXPECT_NEAR(found.half_width(error, 0.95) / expected.half_width(error, 0.95), 1, 1e-9);
        EXPECT_NEAR(found.scales().noise / expected.scales().noise, 1, 1e-9);
        EXPECT_NEAR(found.scales().misfit / expected.scales().misfit, 1, 1e-9);
      }
  });
}

// More points than kMaxEigenvectors: the fit is a chain.
TEST(PointChain, FitsOfManyPointsAreThoseOfTheDenseMatrices) {
  for_each_chain({select::kMaxEigenvectors + 1, 150}, [](ChainCase& one) {
    const select::PointFit fit(*one.model, one.points, one.disturbance);
    const select::TargetCovariances target = select::target_covariances(*one.model, one.model->shapes(), one.points);
    const double variance = std::pow(one.model->constants().amount, 2);
    const Eigen::MatrixXd functions = one.points.free_functions;
    const LongMatrix exact = one.misfit.cast<long double>() +
                             (variance * functions).cast<long double>() * functions.transpose().cast<long double>();
    const LongMatrix covariance = exact + LongMatrix(one.disturbance.cast<long double>().asDiagonal());
    const Eigen::LLT<LongMatrix> factor(covariance);

    const LongMatrix totals = target.free_totals.transpose().cast<long double>();
    const LongMatrix with_target =
        target.with_points.cast<long double>() + (variance * functions).cast<long double>() * totals;
    const select::Prediction found = fit.predict(target);
    expect_equal(found.weights, factor.solve(with_target).cast<double>());
    const Eigen::VectorXd& v = found.weights;
    const double misfit = v.dot(one.misfit * v) - 2 * v.dot(target.with_points) + target.variance;
    EXPECT_NEAR(found.error.misfit, misfit, 1e-9 * target.variance);

    const Eigen::VectorXd costs = one.costs();
    const Eigen::VectorXd off = costs - functions * one.model->amounts_of_size();
    const LongMatrix fitted = exact * factor.solve(off.cast<long double>());
    expect_equal(fit.curve(costs, 1, one.points), fitted.cast<double>() + functions * one.model->amounts_of_size());
    const select::PointScales dense(one.model->constants(), one.misfit, one.disturbance, functions);
    expect_equal(fit.usual_costs(), dense.usual_costs());
  });
}

TEST(PointChain, PairsOfLengthsAndEqualShapesAreNone) {
  ChainCase one(5, 2, 1);
  one.points.shapes[1] = one.points.shapes[0];
  EXPECT_FALSE(one.chain());
  trace::Shape pair;
  pair.src_len = pair.tgt_len = pair.batch_size = 3;
  const std::vector<trace::ShapeCount> run{{pair, 2}};
  const select::CostModel model(run, trace::ShapeKind::padded_pair);
  EXPECT_FALSE(select::PointChain::of(model, model.shapes(), Eigen::VectorXd::Ones(1)));
}

}  // namespace
}  // namespace seqpoint
