// What follows from the model, computed a second time by simulation, by dense matrices, or by doing it twice.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numeric>

#include "core/select/conditioned_run.hpp"
#include "core/select/measurement_plan.hpp"
#include "core/select/point_fit.hpp"
#include "core/select/point_search.hpp"
#include "property/model_runs.hpp"

namespace seqpoint::model_property {
namespace {

using testing::Draw;
using testing::for_all_seeds;
using testing::for_seeds;
using testing::Histogram;
using testing::random_groups;
using testing::random_histogram;

std::vector<Eigen::Index> indices(const select::GroupIndices& groups) { return {groups.begin(), groups.end()}; }

Eigen::MatrixXd rest_of(const select::CostModel& model) {
  const auto size = static_cast<Eigen::Index>(model.size());
  Eigen::MatrixXd rest(size, size);
  for (std::size_t a = 0; a < model.size(); ++a)
    for (std::size_t b = 0; b < model.size(); ++b)
      rest(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) = model.covariance_beside_free(a, b);
  return rest;
}

Eigen::MatrixXd covariance_of(const select::CostModel& model) {
  return rest_of(model) + select::kModelConstants.free * model.free_functions() * model.free_functions().transpose();
}

// Costs are drawn from the model without its free basis functions, which the weights meet exactly; each point is
// measured once.
TEST(Model, VIsTheMeanSquaredErrorOfSimulatedProjections) {
  for_seeds(6, [](Draw& draw) {
    const Histogram run = random_histogram(draw, 40);
    const select::CostModel model(run.entries, run.kind);
    const select::GroupIndices groups = random_groups(draw, model.size(), std::min<std::size_t>(model.size(), 10));
    const select::WeightedPoints points = select::WeightProblem(model, groups).solve();
    if (!points.meets_free_totals) return;
    Eigen::MatrixXd rest = rest_of(model);
    rest.diagonal().array() += 1e-12 * rest.diagonal().maxCoeff();
    const Eigen::MatrixXd factor = Eigen::LLT<Eigen::MatrixXd>(rest).matrixL();
    constexpr int kDraws = 20'000;
    double squares = 0;
    Eigen::VectorXd independent(factor.cols());
    for (int d = 0; d < kDraws; ++d) {
      for (double& x : independent) x = draw.normal();
      const Eigen::VectorXd costs = factor * independent;
      double error = -model.shares().dot(costs);
      for (std::size_t p = 0; p < groups.size(); ++p)
        error += points.weights[static_cast<Eigen::Index>(p)] *
                 (costs[static_cast<Eigen::Index>(groups[p])] +
                  std::sqrt(model.disturbance_variance(groups[p])) * draw.normal());
      squares += error * error;
    }
    // The variance of a mean of squares of normal values is 2 / draws of its square: four standard errors.
    EXPECT_NEAR(squares / kDraws / points.variance, 1, 4 * std::sqrt(2.0 / kDraws));
  });
}

/// V without v >= 0, by dense matrices.
double variance_given(const select::CostModel& model, const Eigen::MatrixXd& covariance,
                      const select::GroupIndices& groups, const Eigen::VectorXd& disturbance) {
  const auto at = indices(groups);
  const Eigen::VectorXd with_total = covariance * model.shares();
  Eigen::MatrixXd among = covariance(at, at);
  among.diagonal() += disturbance;
  const Eigen::VectorXd r = with_total(at);
  return model.shares().dot(with_total) - r.dot(Eigen::PartialPivLU<Eigen::MatrixXd>(among).solve(r));
}

Eigen::VectorXd disturbances(const select::CostModel& model, const select::GroupIndices& groups) {
  Eigen::VectorXd d(static_cast<Eigen::Index>(groups.size()));
  for (std::size_t p = 0; p < groups.size(); ++p)
    d[static_cast<Eigen::Index>(p)] = model.disturbance_variance(groups[p]);
  return d;
}

// Dense matrices lose digits to the free basis functions' large variance: to 1e-6 of what is left.
void expect_near_dense(double value, double dense, double scale) {
  EXPECT_NEAR(value, dense, 1e-5 * std::abs(dense) + 1e-9 * scale);
}

TEST(ConditionedRun, GainsAreWhatRecomputationGives) {
  for_seeds(25, [](Draw& draw) {
    const Histogram run = random_histogram(draw, 40);
    const select::CostModel model(run.entries, run.kind);
    const Eigen::MatrixXd covariance = covariance_of(model);
    const std::size_t k = std::min<std::size_t>(model.size() - 1, draw.between(5, 9));
    select::GroupIndices groups = random_groups(draw, model.size(), k);
    select::ConditionedRun state(model);
    for (const std::size_t group : groups) state.add(group);
    for (int step = 0; step < 3; ++step) {
      const double scale = select::kModelConstants.free * 1e-3;
      expect_near_dense(state.variance(), variance_given(model, covariance, groups, disturbances(model, groups)),
                        scale);
      for (std::size_t g = 0; g < model.size(); ++g) {
        if (state.has(g) || state.variance_reduction(g) == 0) continue;
        select::GroupIndices more = groups;
        more.push_back(g);
        expect_near_dense(state.variance() - state.variance_reduction(g),
                          variance_given(model, covariance, more, disturbances(model, more)), scale);
      }
      const std::size_t place = draw.below(k);
      for (const auto& replacement : state.replacements(place, model.size(), std::numeric_limits<double>::infinity())) {
        select::GroupIndices other = groups;
        other[place] = replacement.group;
        expect_near_dense(replacement.variance, variance_given(model, covariance, other, disturbances(model, other)),
                          scale);
      }
      std::size_t other = draw.below(model.size());
      while (state.has(other)) other = (other + 1) % model.size();
      state.replace(place, other);
      groups[place] = other;
      EXPECT_EQ(state.points(), groups);
    }
  });
}

// Weights that may be negative give a V that is a lower bound.
TEST(ConditionedRun, VariancesOfReplacementsAreNotAboveThoseOfTheWeights) {
  for_seeds(60, [&](Draw& draw) {
    const Histogram run = random_histogram(draw, 60);
    const select::CostModel model(run.entries, run.kind);
    const select::GroupIndices groups =
        select::find_points(model, std::min<std::size_t>(model.size() - 1, 7)).points.groups;
    select::ConditionedRun state(model);
    for (const std::size_t group : groups) state.add(group);
    const std::size_t place = draw.below(groups.size());
    for (const auto& replacement : state.replacements(place, model.size(), std::numeric_limits<double>::infinity())) {
      select::GroupIndices other = groups;
      other[place] = replacement.group;
      const select::WeightedPoints solved = select::WeightProblem(model, other).solve();
      EXPECT_GE(solved.variance, replacement.variance * (1 - 1e-6));
    }
  });
}

select::PointFit measured(const select::CostModel& model, const select::GroupIndices& groups,
                          const std::vector<double>& iterations) {
  const select::ModelShapes points = model.shapes().at(groups);
  Eigen::VectorXd disturbance = points.relative_size.cwiseAbs2();
  for (std::size_t p = 0; p < groups.size(); ++p)
    disturbance[static_cast<Eigen::Index>(p)] *=
        select::kModelConstants.disturbance_variance(iterations[p], iterations[p]);
  return select::PointFit(model, points, disturbance);
}

select::TargetCovariances own_run(const select::CostModel& model, const select::GroupIndices& groups) {
  return select::target_covariances(model, model.shapes(), model.shapes().at(groups));
}

TEST(PointFitProperty, MoreMeasurementsNeverRaiseTheVarianceAndLeavingAPointOutNeverLowersIt) {
  for_seeds(60, [](Draw& draw) {
    const Histogram run = random_histogram(draw, 80);
    const select::CostModel model(run.entries, run.kind);
    const std::size_t k = std::min<std::size_t>(model.size(), draw.between(8, 14));
    const select::GroupIndices groups = random_groups(draw, model.size(), k);
    std::vector<double> once(k, 1.0);
    const select::TargetCovariances target = own_run(model, groups);
    const auto variance_of = [](const select::PointFit& fit, const select::TargetCovariances& of) {
      const select::ErrorParts error = fit.predict(of).error;
      return error.misfit + error.noise() + error.amounts;
    };
    const auto predicted = [&](const std::vector<double>& iterations) {
      return variance_of(measured(model, groups, iterations), target);
    };
    const double variance = predicted(once);
    std::vector<double> more = once;
    more[draw.below(k)] += 1 + draw.below(5);
    EXPECT_LE(predicted(more), variance * (1 + 1e-9));
    select::GroupIndices fewer = groups;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(draw.below(k)));
    const select::PointFit rest = measured(model, fewer, std::vector<double>(k - 1, 1.0));
    EXPECT_GE(variance_of(rest, own_run(model, fewer)), variance * (1 - 1e-9));
  });
}

// Costs are drawn from the model with amounts of free functions about those of a cost in proportion to size.
TEST(PointFitProperty, TheErrorOfAPredictionIsThatOfSimulatedOnes) {
  for_seeds(6, [](Draw& draw) {
    const Histogram run = random_histogram(draw, 40);
    const select::CostModel model(run.entries, run.kind);
    const select::GroupIndices groups = random_groups(draw, model.size(), std::min<std::size_t>(model.size(), 6));
    std::vector<trace::ShapeCount> other = run.entries;
    for (trace::ShapeCount& entry : other) entry.count = 1 + draw.below(20);
    const select::TargetCovariances target =
        select::target_covariances(model, model.shapes_of(other), model.shapes().at(groups));
    const select::Prediction found = measured(model, groups, std::vector<double>(groups.size(), 1.0)).predict(target);
    Eigen::MatrixXd misfit(model.size(), model.size());
    for (std::size_t a = 0; a < model.size(); ++a)
      for (std::size_t b = 0; b < model.size(); ++b)
        misfit(a, b) = model.misfit_covariance(model.shapes(), a, model.shapes(), b) + (a == b ? 1e-14 : 0);
    const Eigen::MatrixXd factor = Eigen::LLT<Eigen::MatrixXd>(misfit).matrixL();
    const auto normal = [&](Eigen::Index size) {
      Eigen::VectorXd values(size);
      for (double& x : values) x = draw.normal();
      return values;
    };
    constexpr int kDraws = 20'000;
    double squares = 0;
    Eigen::VectorXd shares(other.size());
    for (std::size_t g = 0; g < other.size(); ++g) shares[g] = static_cast<double>(other[g].count);
    shares /= shares.sum();
    for (int d = 0; d < kDraws; ++d) {
      const Eigen::VectorXd amounts = model.amounts_of_size() + 0.5 * normal(model.free_functions().cols());
      const Eigen::VectorXd costs = model.free_functions() * amounts + factor * normal(factor.cols());
      double error = found.prior_share - shares.dot(costs) + std::sqrt(target.own_disturbance_variance) * draw.normal();
      for (std::size_t p = 0; p < groups.size(); ++p)
        error +=
            found.weights[p] * (costs[groups[p]] + std::sqrt(model.disturbance_variance(groups[p])) * draw.normal());
      squares += error * error;
    }
    const double variance = found.error.misfit + found.error.noise() + found.error.amounts;
    EXPECT_NEAR(squares / kDraws / variance, 1, 4 * std::sqrt(2.0 / kDraws));
  });
}

// Shares of the run are what counts: of a run made twice as long, nothing but its own disturbances' part changes.
TEST(Model, CountsTimesAFactorChangeNothing) {
  for_seeds(40, [](Draw& draw) {
    const Histogram run = random_histogram(draw, 60);
    Histogram longer = run;
    for (trace::ShapeCount& entry : longer.entries) entry.count *= 7;
    const select::CostModel model(run.entries, run.kind), other(longer.entries, run.kind);
    const select::GroupIndices groups = random_groups(draw, model.size(), std::min<std::size_t>(model.size(), 8));
    const select::WeightedPoints one = select::WeightProblem(model, groups).solve(),
                                 two = select::WeightProblem(other, groups).solve();
    EXPECT_LT((one.weights - two.weights).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(one.variance, two.variance, 1e-9 * one.variance);
    EXPECT_EQ(select::find_points(model, 5).points.groups, select::find_points(other, 5).points.groups);
  });
}

// The same shape in several entries of the histogram, as if it had not been merged.
TEST(Model, SplittingEqualShapesChangesNothing) {
  for_seeds(40, [](Draw& draw) {
    const Histogram run = random_histogram(draw, 60);
    Histogram split{{}, run.kind};
    std::vector<std::size_t> first;
    for (const trace::ShapeCount& entry : run.entries) {
      first.push_back(split.entries.size());
      const std::uint64_t part =
          entry.count > 1 ? 1 + draw.below(static_cast<std::uint32_t>(entry.count - 1)) : entry.count;
      split.entries.push_back({entry.shape, part});
      if (part < entry.count) split.entries.push_back({entry.shape, entry.count - part});
    }
    const select::CostModel model(run.entries, run.kind), other(split.entries, run.kind);
    const select::GroupIndices groups = random_groups(draw, model.size(), std::min<std::size_t>(model.size(), 8));
    select::GroupIndices same;
    for (const std::size_t group : groups) same.push_back(first[group]);
    const select::WeightedPoints one = select::WeightProblem(model, groups).solve(),
                                 two = select::WeightProblem(other, same).solve();
    EXPECT_LT((one.weights - two.weights).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(one.variance, two.variance, 1e-9 * one.variance);
  });
}

// Free shapes are met exactly by whatever set can, a short last batch or not.
TEST(Model, FreeShapesAreExactWhereSomeWeightsCan) {
  std::size_t exact = 0;
  for_all_seeds(120, [&](Draw& draw) {
    const Histogram run = random_histogram(draw, 150);
    const select::CostModel model(run.entries, run.kind);
    const select::FoundPoints found = select::find_points(model, draw.between(6, 15));
    if (!found.points.meets_free_totals) return;
    ++exact;
    const Eigen::RowVectorXd met =
        found.points.weights.transpose() * model.free_functions()(indices(found.points.groups), Eigen::all);
    EXPECT_LT((met.array() - 1).abs().maxCoeff(), 1e-6);
  });
  EXPECT_GT(exact, 110U);
}

}  // namespace
}  // namespace seqpoint::model_property
