#include "core/measuring/duets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace seqpoint::measuring {
namespace {

// 3 * 2 + 1 * 10 = 16 s and 3 * 2.2 + 1 * 10 = 16.6 s; without the first point 10 and 10, without the second 6 and 6.6.
TEST(Duet, IsTheRatioOfWeightedSums) {
  const std::vector<Pair> pairs{{3, 2, 2.2}, {1, 10, 10}};
  const Duet duet = duet_of(pairs);
  EXPECT_NEAR(duet.log_ratio, std::log(16.6 / 16), 1e-12);
  const double mean = (std::log(1.1) + std::log(1.0)) / 2;
  const double squares = std::pow(std::log(1.1) - mean, 2) + std::pow(std::log(1.0) - mean, 2);
  EXPECT_NEAR(duet.variance, squares / 2, 1e-12);
}

TEST(Duet, WithoutNoiseHasNoVariance) {
  const std::vector<Pair> pairs{{3, 2, 3}, {1, 10, 15}, {5, 1, 1.5}};
  EXPECT_NEAR(duet_of(pairs).variance, 0, 1e-20);
}

// 4 s more of waiting in the other build: 20.6 / 16.
TEST(Duet, HasWaitsThatPairsDoNotShow) {
  const std::vector<Pair> pairs{{3, 2, 2.2}, {1, 10, 10}};
  const Duet duet = duet_of(pairs, {.base = 0, .other = 4, .variance = 0.01});
  EXPECT_NEAR(duet.log_ratio, std::log(20.6 / 16), 1e-12);
  EXPECT_GT(duet.variance, 0.01);
}

/// The posterior of ln R on a grid of R and kappa, without tails, which duets that agree do not need.
struct Oracle {
  std::vector<double> at, density;

  explicit Oracle(const std::vector<Duet>& duets) {
    for (int i = -4000; i <= 4000; ++i) {
      const double mu = 5e-5 * i;
      double sum = 0;
      for (int k = -60; k <= 60; ++k) {
        const double z = 0.05 * k, kappa = 0.01 * std::exp(0.8 * z);
        double product = std::exp(-z * z / 2);
        for (const Duet& duet : duets) {
          const double variance = kappa * kappa + duet.variance;
          product *= std::exp(-std::pow(duet.log_ratio - mu, 2) / (2 * variance)) / std::sqrt(variance);
        }
        sum += product;
      }
      at.push_back(mu);
      density.push_back(sum);
    }
  }
  double quantile(double share) const {
    double all = 0, sum = 0;
    for (const double of : density) all += of;
    std::size_t i = 0;
    while (sum + density[i] < share * all) sum += density[i++];
    return std::exp(at[i]);
  }
};

TEST(RatioOfDuets, IsThePosteriorOverTheirLevels) {
  const std::vector<Duet> duets{{0.05, 1e-4}, {0.06, 1e-4}, {0.07, 1e-4}};
  const RatioOfDuets ratio(duets);
  const Oracle oracle(duets);
  EXPECT_NEAR(ratio.value(), std::exp(0.06), 1e-3);
  const project::IntervalOrReason interval = ratio.interval(0.95);
  EXPECT_NEAR(interval->low, oracle.quantile(0.025), 3e-3);
  EXPECT_NEAR(interval->high, oracle.quantile(0.975), 3e-3);
  EXPECT_NEAR(interval.bounds.low, oracle.quantile(0.05), 3e-3);
  EXPECT_NEAR(interval.bounds.high, oracle.quantile(0.95), 3e-3);
}

// Two duets on a machine that was used are known to 13 and 4 %; the third, to 1.3 %, weighs most.
TEST(RatioOfDuets, WeighsDuetsByTheirVariances) {
  const std::vector<Duet> duets{{0.001, 1.7e-4}, {0.09, 1.7e-2}, {-0.03, 1.6e-3}};
  const RatioOfDuets ratio(duets);
  const Oracle oracle(duets);
  EXPECT_NEAR(ratio.value(), oracle.quantile(0.5), 3e-3);
  const project::IntervalOrReason interval = ratio.interval(0.95);
  EXPECT_NEAR(interval->low, oracle.quantile(0.025), 5e-3);
  EXPECT_NEAR(interval->high, oracle.quantile(0.975), 5e-3);
}

TEST(RatioOfDuets, LeavesOutADuetThatWasDisturbedEitherWay) {
  for (const double far : {0.4, -0.4}) {
    const std::vector<Duet> duets{{0.05, 1e-5}, {0.06, 1e-5}, {0.055, 1e-5}, {far, 1e-5}};
    EXPECT_NEAR(RatioOfDuets(duets).value(), std::exp(0.055), 0.005) << far;
  }
}

// With two at - 34 % and two at + 34 %, nothing shows which were disturbed. Two of three are too few.
TEST(RatioOfDuets, DoesNotDecideWhereDuetsDisagree) {
  const std::vector<Duet> two{{-0.34, 1e-5}, {-0.34, 1e-5}, {0.34, 1e-5}};
  std::vector<Duet> all = two;
  EXPECT_FALSE(RatioOfDuets(two).agree());
  all.push_back({0.34, 1e-5});
  EXPECT_FALSE(RatioOfDuets(all).agree());
  const project::IntervalOrReason interval = RatioOfDuets(all).interval(0.95);
  EXPECT_LT(interval->low, std::exp(-0.34));
  EXPECT_GT(interval.bounds.high, std::exp(0.34));
  const std::vector<Duet> most{{0.05, 1e-5}, {0.06, 1e-5}, {0.055, 1e-5}, {0.4, 1e-5}};
  EXPECT_TRUE(RatioOfDuets(most).agree());
}

TEST(RatioOfDuets, OfOneIsAsWideAsLevelsMayBe) {
  const std::vector<Duet> one{{0.02, 1e-6}};
  const project::IntervalOrReason interval = RatioOfDuets(one).interval(0.95);
  EXPECT_LT(interval->low, std::exp(0.02 - 0.02));
  EXPECT_GT(interval->high, std::exp(0.02 + 0.02));
}

project::Projection two_builds() {
  project::Projection projection;
  projection.baseline = "old";
  for (const auto& [name, seconds] : {std::pair("old", 100.0), std::pair("new", 121.0)}) {
    project::ConfigurationProjection c;
    c.name = name;
    project::MetricProjection& total = c.metrics.emplace_back();
    total.name = "runtime_s";
    total.value = seconds;
    total.interval = project::Interval{80, 140};
    project::Speedup& speedup = c.speedups.emplace_back();
    speedup.metric = "runtime_s";
    speedup.value = 100 / seconds;
    speedup.processes_agree = false;
    projection.configurations.push_back(c);
  }
  return projection;
}

// Processes say 121 s to 100 s, and duets 1.0: the totals become 110 s both, their geometric mean.
TEST(RatioOfDuets, DecidesAndTotalsAgreeWithIt) {
  project::Projection projection = two_builds();
  const std::vector<Duet> duets{{0, 1e-6}, {0, 1e-6}, {0, 1e-6}};
  set_ratio(projection, "runtime_s", RatioOfDuets(duets));
  const project::Speedup& speedup = projection.configurations[1].speedups[0];
  EXPECT_NEAR(speedup.value, 1, 1e-6);
  EXPECT_TRUE(speedup.processes_agree);
  EXPECT_LT(speedup.interval->high, 1.03);
  EXPECT_NEAR(projection.configurations[0].metrics[0].value, 110, 1e-3);
  EXPECT_NEAR(projection.configurations[1].metrics[0].value, 110, 1e-3);
}

// Three duets say + 2 % at most + 5 %, with a limit of 3 %: the bound has to be three times as near, with nine times as
// many duets.
TEST(RatioOfDuets, SaysHowManyMoreWouldDecide) {
  std::vector<project::Check> checks(2);
  for (project::Check& check : checks) {
    check.limit = 0.03;
    check.value = 0.02;
  }
  checks[0].bounds = project::Interval{-0.01, 0.05};
  checks[0].verdict = project::Verdict::inconclusive;
  checks[1].bounds = project::Interval{0.015, 0.025};
  checks[1].verdict = project::Verdict::pass;
  add_advice(checks, 3);
  EXPECT_EQ(checks[0].more_processes, 24U);
  EXPECT_FALSE(checks[1].more_processes);
}

}  // namespace
}  // namespace seqpoint::measuring
