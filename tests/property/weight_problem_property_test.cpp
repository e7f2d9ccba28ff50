// Weights of a few points, and what they are made of, computed a second time from the formulas of METHOD 4: sums over
// every pair of signatures, and every set of points tried.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "core/cluster/representatives.hpp"
#include "core/cluster/weight_fit.hpp"
#include "property/small_quadratic.hpp"
#include "seqpoint/rng.hpp"

namespace seqpoint {
namespace {

std::uint32_t between(Mt19937& engine, std::uint32_t low, std::uint32_t high) { return low + engine() % (high - low + 1); }
double as_double(std::uint64_t n) { return static_cast<double>(n); }

struct GroupedRun {
  std::vector<SignatureGroup> groups;
  bool paired = false, measured = false;

  /// An iteration of that kind: all that the cost model wants to know of the run besides its groups.
  Trace kind() const {
    Trace run;
    run.src_len = run.batch_size = {1};
    if (paired) run.tgt_len = {1};
    return run;
  }
  double iterations() const {
    return std::accumulate(groups.begin(), groups.end(), 0.0, [](double sum, const auto& g) { return sum + as_double(g.count); });
  }
  template <class Function>
  double mean(Function function) const {
    double sum = 0;
    for (const SignatureGroup& g : groups) sum += as_double(g.count) * function(g);
    return sum / iterations();
  }
};

/// One length or two, one batch size or several, measured or not, dense and gappy.
GroupedRun random_run(Mt19937& engine, std::uint32_t most_groups) {
  GroupedRun run;
  run.paired = engine() % 2 == 0;
  run.measured = engine() % 2 == 0;
  const bool ragged = engine() % 2 == 0;
  const std::uint32_t longest = std::array<std::uint32_t, 3>{12, 60, 2000}[engine() % 3];
  for (std::uint32_t i = between(engine, 1, most_groups); i > 0; --i) {
    const Signature signature{between(engine, 0, longest), run.paired ? between(engine, 0, longest) : 0, ragged ? between(engine, 1, 64) : 32};
    run.groups.push_back({signature, between(engine, 1, 40), 0});
    if (run.measured) run.groups.back().sum = as_double(run.groups.back().count * between(engine, 1, 999)) / 7;
  }
  std::sort(run.groups.begin(), run.groups.end(), [](const auto& a, const auto& b) { return a.signature < b.signature; });
  const auto same = [](const auto& a, const auto& b) { return a.signature == b.signature; };
  run.groups.erase(std::unique(run.groups.begin(), run.groups.end(), same), run.groups.end());
  return run;
}

using Function = std::function<double(const SignatureGroup&)>;

double s_of(const SignatureGroup& g) { return g.signature.src_len; }
double t_of(const SignatureGroup& g) { return g.signature.tgt_len; }
double b_of(const SignatureGroup& g) { return g.signature.batch_size; }

void add_staircases(std::vector<Function>& all, const GroupedRun& run, double (*length)(const SignatureGroup&)) {
  for (const int tile : {8, 16, 32, 64, 128}) {
    const bool below = std::any_of(run.groups.begin(), run.groups.end(), [&](const auto& g) { return length(g) > tile; });
    if (below) all.push_back([=](const auto& g) { return b_of(g) * std::ceil(length(g) / tile); });
  }
}

/// No more than nine iterations of ten have the largest batch size.
bool batch_sizes_vary(const GroupedRun& run) {
  double largest = 0;
  for (const SignatureGroup& g : run.groups) largest = std::max(largest, b_of(g));
  return run.mean([=](const auto& g) { return b_of(g) == largest ? 1.0 : 0.0; }) <= 0.9;
}

/// METHOD 4, step 4.
std::vector<Function> features(const GroupedRun& run) {
  std::vector<Function> all;
  for (const double power : {0.0, 1.0, 2.0, 3.0, 0.5}) all.push_back([=](const auto& g) { return b_of(g) * std::pow(s_of(g), power); });
  add_staircases(all, run, s_of);
  if (run.paired) {
    for (const int power : {1, 2}) all.push_back([=](const auto& g) { return b_of(g) * std::pow(t_of(g), power); });
    if (batch_sizes_vary(run)) all.push_back([=](const auto& g) { return b_of(g) * std::pow(t_of(g), 3); });
    all.push_back([](const auto& g) { return b_of(g) * s_of(g) * t_of(g); });
    add_staircases(all, run, t_of);
  }
  const bool ragged = std::any_of(run.groups.begin(), run.groups.end(), [&](const auto& g) { return b_of(g) != b_of(run.groups[0]); });
  if (ragged) all.push_back(s_of);
  if (ragged && run.paired) all.push_back(t_of);
  if (run.measured) all.push_back([](const auto& g) { return g.sum / as_double(g.count); });
  std::erase_if(all, [&](const Function& f) { return run.mean(f) == 0; });
  return all;
}

/// What one function of both lengths, and their product, cost.
std::vector<Function> shapes(const GroupedRun& run) {
  const auto both = [](double (*f)(double, double), double parameter) {
    return [=](const SignatureGroup& g) { return b_of(g) * (f(s_of(g), parameter) + f(t_of(g), parameter)); };
  };
  std::vector<Function> all;
  for (const double power : {1.0, 2.0, 3.0, 0.5}) all.push_back(both([](double x, double p) { return std::pow(x, p); }, power));
  if (run.paired) all.push_back([](const auto& g) { return b_of(g) * s_of(g) * t_of(g); });
  for (const int tile : {8, 16, 32, 64, 128}) {
    const bool below = std::any_of(run.groups.begin(), run.groups.end(), [&](const auto& g) { return std::max(s_of(g), t_of(g)) > tile; });
    if (below) all.push_back(both([](double x, double m) { return std::ceil(x / m); }, tile));
  }
  std::erase_if(all, [&](const Function& f) { return run.mean(f) == 0; });
  return all;
}

/// METHOD 4, step 5, the most important first.
std::vector<Function> constraints(const GroupedRun& run) {
  std::vector<Function> all{[](const auto&) { return 1.0; }, [](const auto& g) { return b_of(g) * s_of(g); }};
  if (!run.paired) all.push_back([](const auto& g) { return b_of(g) * s_of(g) * s_of(g); });
  if (run.paired) all.push_back([](const auto& g) { return b_of(g) * t_of(g); });
  if (run.paired) all.push_back([](const auto& g) { return b_of(g) * s_of(g) * t_of(g); });
  if (batch_sizes_vary(run)) all.push_back(b_of);
  std::erase_if(all, [&](const Function& f) { return run.mean(f) == 0; });
  return all;
}

std::vector<Function> constraints_of_few(const GroupedRun& run) {
  if (!run.paired || !batch_sizes_vary(run)) return constraints(run);
  std::vector<Function> all{[](const auto&) { return 1.0; }, [](const auto& g) { return b_of(g) * (s_of(g) + t_of(g)); }};
  std::erase_if(all, [&](const Function& f) { return run.mean(f) == 0; });
  return all;
}

/// What a cost is about proportional to, over its mean.
double size_of(const GroupedRun& run, const SignatureGroup& g) {
  const Function tokens = [](const SignatureGroup& x) { return b_of(x) * (s_of(x) + t_of(x)); };
  return run.mean(tokens) > 0 ? tokens(g) / run.mean(tokens) : 1;
}

double covariance(const GroupedRun& run, const SignatureGroup& x, const SignatureGroup& y) {
  double sum = 0;
  for (const double scale : {4.0, 16.0, 64.0}) {
    sum += std::exp(-std::abs(s_of(x) - s_of(y)) / scale);
    if (run.paired) sum += std::exp(-std::abs(t_of(x) - t_of(y)) / scale);
  }
  return sum / (run.paired ? 6 : 3) * size_of(run, x) * size_of(run, y);
}

template <class Check>
void for_runs(std::uint32_t seeds, std::uint32_t most_groups, Check check) {
  for (std::uint32_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mt19937 engine(seed);
    check(random_run(engine, most_groups), engine);
  }
}

TEST(CostModel, HasTheFunctionsOfTheMethodEachOverItsMean) {
  for_runs(300, 30, [](const GroupedRun& run, Mt19937&) {
    const CostModel model = cost_model(run.groups, run.kind(), run.measured);
    const auto expect_columns = [&](const auto& columns, const std::vector<Function>& functions) {
      ASSERT_EQ(columns.cols(), static_cast<Eigen::Index>(functions.size()));
      for (std::size_t g = 0; g < run.groups.size(); ++g) {
        // In any order.
        std::vector<double> expected, found;
        for (std::size_t f = 0; f < functions.size(); ++f) {
          expected.push_back(functions[f](run.groups[g]) / run.mean(functions[f]));
          found.push_back(columns(static_cast<Eigen::Index>(g), static_cast<Eigen::Index>(f)));
        }
        std::sort(expected.begin(), expected.end());
        std::sort(found.begin(), found.end());
        for (std::size_t f = 0; f < found.size(); ++f) EXPECT_NEAR(found[f], expected[f], 1e-12 * (1 + expected[f]));
      }
    };
    expect_columns(model.features, features(run));
    expect_columns(model.shapes, shapes(run));
    expect_columns(model.constraints, constraints(run));
    expect_columns(model.constraints_of_few, constraints_of_few(run));
    for (std::size_t g = 0; g < run.groups.size(); ++g)
      EXPECT_NEAR(model.size[static_cast<Eigen::Index>(g)], size_of(run, run.groups[g]), 1e-12 * model.size.maxCoeff());
  });
}

TEST(LocalProcess, IsTheSumOverEveryPairOfSignatures) {
  for_runs(200, 40, [](const GroupedRun& run, Mt19937&) {
    const CostModel model = cost_model(run.groups, run.kind(), run.measured);
    const LocalProcess local(run.groups, model, run.kind());
    double of_mean = 0;
    for (std::size_t a = 0; a < run.groups.size(); ++a) {
      double with_mean = 0;
      for (std::size_t b = 0; b < run.groups.size(); ++b) {
        const double expected = covariance(run, run.groups[a], run.groups[b]);
        EXPECT_NEAR(local.covariance(a, b), expected, 1e-12 * (1 + expected));
        with_mean += as_double(run.groups[b].count) / run.iterations() * expected;
      }
      EXPECT_NEAR(local.with_mean(a), with_mean, 1e-12 * (1 + with_mean));
      of_mean += as_double(run.groups[a].count) / run.iterations() * with_mean;
    }
    EXPECT_NEAR(local.of_mean(), of_mean, 1e-12 * (1 + of_mean));
  });
}

/// Without or with shapes.
WeightDemands random_demands(Mt19937& engine) {
  WeightDemands demands;
  demands.shapes = std::array{0.0, 8.0, 512.0}[engine() % 3];
  return demands;
}

/// A few groups as the points, each with a stratum's share of the run.
struct Points {
  std::vector<std::size_t> groups;
  Eigen::VectorXd stratum;
};

Points random_points(const GroupedRun& run, Mt19937& engine) {
  Points points;
  for (std::size_t g = 0; g < run.groups.size() && points.groups.size() < 6; ++g)
    if (engine() % 3 > 0 || points.groups.empty()) points.groups.push_back(g);
  points.stratum.resize(static_cast<Eigen::Index>(points.groups.size()));
  for (double& share : points.stratum.reshaped()) share = between(engine, 1, 100);
  points.stratum /= points.stratum.sum();
  return points;
}

/// The objective of METHOD 4, step 5, written out: halves of its second derivatives as Q, and r. Constraints from `soft`
/// on are demands.
testing::Program program_of(const GroupedRun& run, const Points& points, const WeightDemands& demands, const Eigen::ArrayXd& deviation,
                            std::size_t hard) {
  const auto k = static_cast<Eigen::Index>(points.groups.size());
  testing::Program program{Eigen::MatrixXd::Zero(k, k), Eigen::VectorXd::Zero(k), Eigen::MatrixXd(static_cast<Eigen::Index>(hard), k)};
  const auto point = [&](Eigen::Index p) -> const SignatureGroup& { return run.groups[points.groups[static_cast<std::size_t>(p)]]; };
  const auto demand = [&](const Function& f, double weight) {
    const double mean = run.mean(f);
    for (Eigen::Index p = 0; p < k; ++p) {
      program.r[p] += weight * f(point(p)) / mean;
      for (Eigen::Index q = 0; q < k; ++q) program.q(p, q) += weight * f(point(p)) / mean * f(point(q)) / mean;
    }
  };
  for (const Function& f : features(run)) demand(f, 1);
  for (const Function& f : shapes(run)) demand(f, demands.shapes);
  const std::vector<Function> all = constraints(run);
  for (std::size_t c = hard; c < all.size(); ++c) demand(all[c], demands.constraint);
  for (std::size_t c = 0; c < hard; ++c)
    for (Eigen::Index p = 0; p < k; ++p) program.a(static_cast<Eigen::Index>(c), p) = all[c](point(p)) / run.mean(all[c]);
  for (Eigen::Index p = 0; p < k; ++p) {
    for (Eigen::Index q = 0; q < k; ++q) program.q(p, q) += demands.local * demands.local * covariance(run, point(p), point(q));
    program.r[p] += demands.local * demands.local * run.mean([&](const auto& g) { return covariance(run, point(p), g); });
    const double away = deviation.size() > 0 ? deviation[static_cast<Eigen::Index>(points.groups[static_cast<std::size_t>(p)])] : 0;
    const double noise = demands.noise * demands.noise + demands.rare * demands.rare / as_double(point(p).count) + away * away;
    const double ridge = demands.ridge / static_cast<double>(k);
    program.q(p, p) += noise * size_of(run, point(p)) * size_of(run, point(p)) + ridge / (points.stratum[p] * points.stratum[p]);
    program.r[p] += ridge / points.stratum[p];
  }
  return program;
}

TEST(WeightProblem, FindsTheBestWeightsThatHoldAsManyConstraintsAsCanBe) {
  std::array<int, 6> held{};
  for_runs(800, 12, [&](const GroupedRun& run, Mt19937& engine) {
    if (run.groups.back().signature.src_len == 0) return;
    const CostModel model = cost_model(run.groups, run.kind(), run.measured);
    const LocalProcess local(run.groups, model, run.kind());
    Eigen::ArrayXd deviation(run.measured ? static_cast<Eigen::Index>(run.groups.size()) : 0);
    for (double& away : deviation) away = as_double(engine() % 100) / 300;
    const Points points = random_points(run, engine);
    const WeightDemands demands = random_demands(engine);
    WeightProblem problem(model, model.constraints, local, demands, deviation);
    problem.set(points.groups, points.stratum);
    const Eigen::VectorXd v = problem.weights();
    ASSERT_EQ(v.size(), points.stratum.size());
    EXPECT_GE(v.minCoeff(), 0);
    for (std::size_t hard = constraints(run).size(); hard > 0; --hard) {
      const testing::Program program = program_of(run, points, demands, deviation, hard);
      const auto best = best_of_every_set(program);
      if (!best) continue;
      ++held.at(hard);
      EXPECT_LT((program.a * v - Eigen::VectorXd::Ones(program.a.rows())).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_NEAR(program.objective(v), program.objective(*best), 1e-9 * std::abs(program.objective(*best)));
      return;
    }
    ADD_FAILURE() << "the count can always be held";
  });
  for (std::size_t hard = 1; hard < held.size(); ++hard) EXPECT_GT(held[hard], 20) << hard << " constraints";
}

// Adding the constant that the program leaves out, the objective is that of the soft problem.
TEST(WeightProblem, TheObjectiveIsWhatTheBestWeightsLeave) {
  for_runs(300, 12, [&](const GroupedRun& run, Mt19937& engine) {
    const CostModel model = cost_model(run.groups, run.kind(), run.measured);
    const LocalProcess local(run.groups, model, run.kind());
    const Points points = random_points(run, engine);
    const WeightDemands demands = random_demands(engine);
    WeightProblem problem(model, model.constraints, local, demands, {});
    problem.set(points.groups, points.stratum);
    const testing::Program program = program_of(run, points, demands, {}, 0);
    const double constant = static_cast<double>(features(run).size()) + demands.shapes * static_cast<double>(shapes(run).size()) + demands.constraint * static_cast<double>(constraints(run).size()) +
                            demands.local * demands.local * local.of_mean() + demands.ridge;
    const double expected = 2 * program.objective(*best_of_every_set(program)) + constant;
    EXPECT_NEAR(problem.objective(), expected, 1e-9 * constant);
  });
}

/// All choices of one group a cluster, the points' groups aside: the least objective.
double least_of_every_choice(WeightProblem& problem, const std::vector<std::vector<std::size_t>>& members) {
  std::vector<std::size_t> choice(members.size(), 0), groups(members.size());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < members.size();) {
    for (std::size_t p = 0; p < members.size(); ++p) groups[p] = members[p][choice[p]];
    problem.set(groups);
    least = std::min(least, problem.objective());
    for (c = 0; c < members.size() && ++choice[c] == members[c].size(); ++c) choice[c] = 0;
  }
  return least;
}

TEST(Representatives, AreTheBestOfTheirClustersNearlyAlwaysWithRestarts) {
  int runs = 0, best_without = 0, best_with = 0;
  for_runs(150, 16, [&](const GroupedRun& run, Mt19937& engine) {
    const CostModel model = cost_model(run.groups, run.kind(), run.measured);
    const LocalProcess local(run.groups, model, run.kind());
    std::vector<std::vector<std::size_t>> members(std::min<std::size_t>(run.groups.size(), between(engine, 1, 4)));
    for (std::size_t g = 0; g < run.groups.size(); ++g) members[g * members.size() / run.groups.size()].push_back(g);
    std::vector<std::size_t> start;
    Eigen::VectorXd stratum(static_cast<Eigen::Index>(members.size()));
    for (std::size_t p = 0; p < members.size(); ++p) {
      start.push_back(members[p].front());
      stratum[static_cast<Eigen::Index>(p)] = as_double(members[p].size()) / as_double(run.groups.size());
    }
    WeightProblem problem(model, model.constraints, local, {}, {});
    problem.set(start, stratum);
    const double before = problem.objective(), least = least_of_every_choice(problem, members);
    const auto found_with = [&](int restarts) {
      problem.set(start);
      find_representatives(problem, members, restarts);
      for (std::size_t p = 0; p < members.size(); ++p)
        EXPECT_TRUE(std::binary_search(members[p].begin(), members[p].end(), problem.group(p)));
      return problem.objective();
    };
    const double without = found_with(0), with = found_with(20);
    EXPECT_LE(without, before * (1 + 1e-9));
    EXPECT_LE(with, without * (1 + 1e-9));
    EXPECT_GE(with, least * (1 - 1e-5));
    EXPECT_EQ(found_with(20), with) << "the draws are always the same";
    ++runs;
    if (without < least * (1 + 1e-5)) ++best_without;
    if (with < least * (1 + 1e-5)) ++best_with;
  });
  EXPECT_GT(best_with, runs * 90 / 100);
  EXPECT_GT(best_with, best_without);
}

TEST(Representatives, AlternatesAreTheThreeThatCouldBestTakeThePlace) {
  for_runs(100, 16, [&](const GroupedRun& run, Mt19937& engine) {
    const CostModel model = cost_model(run.groups, run.kind(), run.measured);
    const LocalProcess local(run.groups, model, run.kind());
    const Points points = random_points(run, engine);
    WeightProblem problem(model, model.constraints, local, {}, {});
    problem.set(points.groups, points.stratum);
    std::vector<std::size_t> all(run.groups.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto alternates = alternates_of(problem, std::vector(points.groups.size(), all));
    EXPECT_EQ(problem.groups(), points.groups) << "left as it was";
    for (std::size_t p = 0; p < points.groups.size(); ++p) {
      std::vector<std::pair<double, std::size_t>> ranked;
      for (const std::size_t g : all) {
        std::vector<std::size_t> groups = points.groups;
        groups[p] = g;
        problem.set(groups);
        if (g != points.groups[p]) ranked.emplace_back(problem.objective(), g);
      }
      std::sort(ranked.begin(), ranked.end());
      ASSERT_EQ(alternates[p].size(), std::min<std::size_t>(ranked.size(), 3));
      for (std::size_t i = 0; i < alternates[p].size(); ++i) EXPECT_EQ(alternates[p][i], ranked[i].second);
    }
  });
}

// Without v >= 0 the least is where the gradient is 0; what the search skips is never better than what it has.
TEST(WeightProblem, TheObjectiveWithoutSignsIsTheLeastOfAllRealWeightsAndNeverAboveTheObjective) {
  int all_positive = 0;
  for_runs(300, 12, [&](const GroupedRun& run, Mt19937& engine) {
    const CostModel model = cost_model(run.groups, run.kind(), run.measured);
    const LocalProcess local(run.groups, model, run.kind());
    Points points = random_points(run, engine);
    const WeightDemands demands = random_demands(engine);
    WeightProblem problem(model, model.constraints, local, demands, {});
    problem.set(points.groups, points.stratum);
    const std::size_t p = engine() % points.groups.size();
    problem.leave_out(p);
    points.groups[p] = engine() % run.groups.size();
    const double least = problem.objective_without_signs(points.groups[p]);
    problem.replace(p, points.groups[p]);
    EXPECT_LE(least, problem.objective());
    const testing::Program program = program_of(run, points, demands, {}, 0);
    const Eigen::VectorXd v = program.q.ldlt().solve(program.r);
    if (v.minCoeff() < 1e-6) return;
    ++all_positive;
    const double constant = static_cast<double>(features(run).size()) + demands.shapes * static_cast<double>(shapes(run).size()) +
                            demands.constraint * static_cast<double>(constraints(run).size());
    EXPECT_NEAR(least, problem.objective(), 1e-10 * constant);
  });
  EXPECT_GT(all_positive, 50);
}

TEST(WeightProblem, ReplacingAPointIsStartingOverWithIt) {
  for_runs(100, 20, [&](const GroupedRun& run, Mt19937& engine) {
    const CostModel model = cost_model(run.groups, run.kind(), run.measured);
    const LocalProcess local(run.groups, model, run.kind());
    Points points = random_points(run, engine);
    WeightProblem problem(model, model.constraints, local, {}, {}), fresh(model, model.constraints, local, {}, {});
    problem.set(points.groups, points.stratum);
    const std::size_t p = engine() % points.groups.size();
    points.groups[p] = engine() % run.groups.size();
    problem.replace(p, points.groups[p]);
    fresh.set(points.groups, points.stratum);
    EXPECT_EQ(problem.weights(), fresh.weights());
    EXPECT_EQ(problem.objective(), fresh.objective());
  });
}

}  // namespace
}  // namespace seqpoint
