// Small quadratic programs against the best that trying every set of points finds.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/algebra.hpp"
#include "core/rng/rng.hpp"
#include "property/small_quadratic.hpp"

namespace seqpoint::nonnegative_minimum_property {
namespace {

using testing::best_of_every_set;
using testing::Program;

double uniform(rng::Mt19937& engine) { return static_cast<double>(engine()) / 4294967296.0; }

/// Features that are much alike, as those of costs are; constraints 1, s, s^2 with means that points may or may not
/// reach.
Program random_program(rng::Mt19937& engine, Eigen::Index most_constraints) {
  const Eigen::Index k = 1 + engine() % 6, m = engine() % (most_constraints + 1);
  const double spread = engine() % 2 == 0 ? 2 : 0.3;
  Eigen::MatrixXd features(k + 2, k);
  for (double& entry : features.reshaped()) entry = (engine() % 3 == 0 ? 0 : 1) + (uniform(engine) - 0.5) * spread;
  Program program{features.transpose() * features, Eigen::VectorXd(k), Eigen::MatrixXd(m, k)};
  for (Eigen::Index p = 0; p < k; ++p) {
    program.q(p, p) += 1e-3 + uniform(engine) / 10;
    program.r[p] = uniform(engine) * 3 - (engine() % 2);
  }
  const double mean = 0.3 + 2 * uniform(engine), variance = 0.3 * uniform(engine);
  for (Eigen::Index p = 0; p < k; ++p) {
    const double s = 2 * uniform(engine) / mean;
    for (Eigen::Index c = 0; c < m; ++c) program.a(c, p) = c == 0 ? 1 : c == 1 ? s : s * s / (1 + variance);
  }
  return program;
}

void expect_allowed(const Program& program, const Eigen::VectorXd& v) {
  ASSERT_EQ(v.size(), program.points());
  EXPECT_GE(v.minCoeff(), 0);
  for (Eigen::Index c = 0; c < program.a.rows(); ++c) EXPECT_NEAR(program.a.row(c).dot(v), 1, 1e-9);
}

void compare_with_every_set(std::uint32_t first_seed, std::uint32_t seeds, Eigen::Index most_constraints,
                            int& possible) {
  for (std::uint32_t seed = first_seed; seed < first_seed + seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    rng::Mt19937 engine(seed);
    const Program program = random_program(engine, most_constraints);
    const auto best = best_of_every_set(program);
    const Eigen::VectorXd v = nonnegative_minimum(program.q, program.r, program.a);
    ASSERT_EQ(v.size() > 0, best.has_value());
    if (!best) continue;
    ++possible;
    expect_allowed(program, v);
    EXPECT_NEAR(program.objective(v), program.objective(*best), 1e-9 * (1 + std::abs(program.objective(*best))));
  }
}

TEST(NonnegativeMinimum, IsTheBestOfEverySetOfPoints) {
  int possible = 0;
  compare_with_every_set(0, 3000, 0, possible);
  EXPECT_EQ(possible, 3000);
}

TEST(NonnegativeMinimum, HoldsTheConstraintsWhereThatCanBeDone) {
  int possible = 0;
  compare_with_every_set(10'000, 6000, 3, possible);
  EXPECT_GT(possible, 3000);
  EXPECT_LT(possible, 5000) << "some should contradict each other";
}

// All lengths alike: s and s^2 say what the count has said.
TEST(NonnegativeMinimum, ConstraintsMayRepeatEachOther) {
  rng::Mt19937 engine(1);
  Program program = random_program(engine, 0);
  program.a = Eigen::MatrixXd::Ones(3, program.points());
  Program once = program;
  once.a = Eigen::MatrixXd::Ones(1, program.points());
  const Eigen::VectorXd v = nonnegative_minimum(program.q, program.r, program.a);
  expect_allowed(program, v);
  EXPECT_NEAR(program.objective(v), once.objective(*best_of_every_set(once)), 1e-9);
}

// A point of one iteration in a million beside one of nearly all of them: the ridge makes their entries 1e12 apart.
TEST(NonnegativeMinimum, PointsMayBeOfVeryDifferentSizes) {
  const Eigen::Vector3d share(1e-6, 2e-6, 1 - 3e-6);
  Program program{Eigen::MatrixXd::Ones(3, 3), Eigen::VectorXd::Ones(3), Eigen::MatrixXd(2, 3)};
  for (Eigen::Index p = 0; p < 3; ++p) {
    program.q(p, p) += 1e-4 / (share[p] * share[p]);
    program.r[p] += 1e-4 / share[p];
  }
  program.a << 1, 1, 1, 9, 5, (1 - 19e-6) / share[2];
  const Eigen::VectorXd v = nonnegative_minimum(program.q, program.r, program.a);
  expect_allowed(program, v);
  // The shares themselves hold both constraints and are where the ridge would have them.
  for (Eigen::Index p = 0; p < 3; ++p) EXPECT_NEAR(v[p], share[p], 1e-8 * share[p]);
}

// The minimum of (v1 + v2)^2 / 2 + v1 + 2 v2 is at nothing at all.
TEST(NonnegativeMinimum, NothingMayBeTheBest) {
  const Program program{Eigen::Matrix2d{{1.1, 1}, {1, 1.1}}, Eigen::Vector2d(-1, -2), Eigen::MatrixXd(0, 2)};
  EXPECT_EQ(nonnegative_minimum(program.q, program.r, program.a), Eigen::Vector2d(0, 0));
}

}  // namespace
}  // namespace seqpoint::nonnegative_minimum_property
