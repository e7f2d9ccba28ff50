// The exchange of groups between clusters, against the objective written out: it falls, and no other single move lowers it.
#include "core/cluster/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "property/draw.hpp"

namespace seqpoint {
namespace {

using testing::Draw;
using testing::for_seeds;
using Labels = std::vector<std::uint32_t>;

struct Case {
  Eigen::ArrayXXd at;
  Eigen::ArrayXd count, mass;
  double weight = 0;
  std::uint32_t clusters = 1;
  Labels label;
};

Case random_case(Draw& draw) {
  const Eigen::Index groups = draw.between(1, 30), dimensions = draw.between(1, 3);
  Case c{Eigen::ArrayXXd(groups, dimensions), Eigen::ArrayXd(groups), Eigen::ArrayXd(groups), 0.1 * draw.below(40), 1, {}};
  c.clusters = draw.between(1, static_cast<std::uint32_t>(std::min<Eigen::Index>(groups, 6)));
  for (Eigen::Index g = 0; g < groups; ++g) {
    for (Eigen::Index d = 0; d < dimensions; ++d) c.at(g, d) = draw.below(50);
    c.count[g] = draw.between(1, 9);
    c.mass[g] = c.count[g] * draw.between(1, 20);
    const auto index = static_cast<std::uint32_t>(g);
    c.label.push_back(index < c.clusters ? index : draw.below(c.clusters));  // none is empty
  }
  return c;
}

/// sum_c SS_c / SS + weight sum_c m_c^2.
double objective(const Case& c, const Labels& label) {
  const auto squares = [&](auto&& in) {
    double count = 0, sum = 0;
    Eigen::ArrayXd mean = Eigen::ArrayXd::Zero(c.at.cols());
    for (Eigen::Index g = 0; g < c.at.rows(); ++g)
      if (in(g)) count += c.count[g], mean += c.count[g] * c.at.row(g).transpose();
    for (Eigen::Index g = 0; g < c.at.rows(); ++g)
      if (in(g)) sum += c.count[g] * (c.at.row(g).transpose() - mean / count).square().sum();
    return sum;
  };
  const double all = squares([](Eigen::Index) { return true; });
  double sum = 0;
  for (std::uint32_t cluster = 0; cluster < c.clusters; ++cluster) {
    const auto in = [&](Eigen::Index g) { return label[static_cast<std::size_t>(g)] == cluster; };
    double mass = 0;
    for (Eigen::Index g = 0; g < c.at.rows(); ++g) mass += in(g) ? c.mass[g] : 0;
    sum += (all > 0 ? squares(in) / all : 0) + c.weight * mass / c.mass.sum() * mass / c.mass.sum();
  }
  return sum;
}

TEST(Exchange, EndsWhereNoMoveOfOneGroupIsBetter) {
  for_seeds(300, [](Draw& draw) {
    const Case c = random_case(draw);
    Labels label = c.label;
    exchange(c.at, c.count, c.mass, c.weight, label);
    const double reached = objective(c, label);
    EXPECT_LE(reached, objective(c, c.label) + 1e-9);
    for (std::size_t g = 0; g < label.size(); ++g) {
      const std::uint32_t was = label[g];
      if (std::count(label.begin(), label.end(), was) == 1) continue;  // a cluster keeps its last group
      for (label[g] = 0; label[g] < c.clusters; ++label[g]) EXPECT_GE(objective(c, label), reached - 1e-9) << "group " << g;
      label[g] = was;
    }
  });
}

TEST(Exchange, EmptiesNoCluster) {
  for_seeds(300, [](Draw& draw) {
    const Case c = random_case(draw);
    Labels label = c.label;
    exchange(c.at, c.count, c.mass, c.weight, label);
    for (std::uint32_t cluster = 0; cluster < c.clusters; ++cluster) EXPECT_EQ(std::count(label.begin(), label.end(), cluster) > 0, true);
  });
}

TEST(Exchange, DoesNotDependOnTheUnitOfTheMass) {
  for_seeds(100, [](Draw& draw) {
    const Case c = random_case(draw);
    Labels label = c.label, scaled = c.label;
    exchange(c.at, c.count, c.mass, c.weight, label);
    exchange(c.at, c.count, c.mass * 1024, c.weight, scaled);
    EXPECT_EQ(label, scaled);
  });
}

}  // namespace
}  // namespace seqpoint
