// Clusters of signatures: of one length against every way to cut it, of several for what must hold of any.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "core/cluster/signature_clusters.hpp"
#include "property/draw.hpp"

namespace seqpoint {
namespace {

using testing::Draw;
using testing::for_seeds;

Trace random_run(Draw& draw, bool paired, std::uint32_t batch_sizes, std::uint32_t longest) {
  Trace run;
  for (std::uint32_t i = draw.between(1, 120); i > 0; --i) {
    run.src_len.push_back(draw.below(longest + 1));
    if (paired) run.tgt_len.push_back(draw.below(longest + 1));
    run.batch_size.push_back(32 - draw.below(batch_sizes));
  }
  return run;
}

Evenness random_evenness(Draw& draw) {
  constexpr double kWeights[] = {0, 0.1, 1, 30};
  return {kWeights[draw.below(4)], draw.below(2) == 0 ? Evenness::Of::cost : Evenness::Of::iterations};
}

std::vector<SignatureGroup> groups_of(const Trace& run) { return signature_groups(population_of(run, "", "run")); }

/// Sum of squared distances of lengths to the means of their clusters.
double squares(const std::vector<SignatureGroup>& groups, const Clustering& clustering) {
  std::vector<double> count(clustering.size), sum(clustering.size);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    count[clustering.cluster[g]] += static_cast<double>(groups[g].count);
    sum[clustering.cluster[g]] += static_cast<double>(groups[g].count) * groups[g].signature.src_len;
  }
  double all = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double away = groups[g].signature.src_len - sum[clustering.cluster[g]] / count[clustering.cluster[g]];
    all += static_cast<double>(groups[g].count) * away * away;
  }
  return all;
}

/// Sum of squared shares of what is to be even.
double unevenness(const std::vector<SignatureGroup>& groups, const Clustering& clustering, Evenness::Of of) {
  std::vector<double> mass(clustering.size);
  double all = 0, sum = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Signature& s = groups[g].signature;
    const double of_one = of == Evenness::Of::cost ? static_cast<double>(s.batch_size) * (s.src_len + s.tgt_len) : 1;
    mass[clustering.cluster[g]] += of_one * static_cast<double>(groups[g].count);
    all += of_one * static_cast<double>(groups[g].count);
  }
  for (const double m : mass) sum += all > 0 ? m / all * (m / all) : 0;
  return sum;
}

/// What clusters are cut by, times the sum of squares of the whole run.
double cost(const std::vector<SignatureGroup>& groups, const Clustering& clustering, Evenness even) {
  const double whole = squares(groups, {std::vector<std::uint32_t>(groups.size()), 1});
  return squares(groups, clustering) + even.weight * whole * unevenness(groups, clustering, even.of);
}

/// The least cost over every way to cut the groups into k runs of neighbours. A set bit i cuts after group i.
double least(const std::vector<SignatureGroup>& groups, std::uint32_t k, Evenness even) {
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t cuts = 0; cuts < 1U << (groups.size() - 1); ++cuts) {
    Clustering clustering{{0}, 1};
    for (std::size_t g = 1; g < groups.size(); ++g) {
      if ((cuts >> (g - 1) & 1U) != 0) ++clustering.size;
      clustering.cluster.push_back(clustering.size - 1);
    }
    if (clustering.size == k) best = std::min(best, cost(groups, clustering, even));
  }
  return best;
}

TEST(SignatureGroups, AreTheRunsSignaturesAscendingWithTheirCountsAndSums) {
  for_seeds(300, [](Draw& draw) {
    Trace run = random_run(draw, draw.below(2) == 0, 3, draw.between(1, 20'000'000));
    run.statistics.push_back({"cost", {}});
    std::map<Signature, std::pair<std::uint64_t, double>> expected;
    for (std::size_t i = 0; i < run.size(); ++i) {
      run.statistics[0].values.push_back(draw.below(1000));  // whole numbers add up in any order
      ++expected[run.signature(i)].first;
      expected[run.signature(i)].second += run.statistics[0].values[i];
    }
    const auto groups = signature_groups(population_of(run, "cost", "run"));
    ASSERT_EQ(groups.size(), expected.size());
    auto next = expected.begin();
    for (const SignatureGroup& group : groups) {
      EXPECT_EQ(group.signature, next->first);
      EXPECT_EQ(group.count, next->second.first);
      EXPECT_EQ(group.sum, next->second.second);
      ++next;
    }
  });
}

TEST(SignatureClusters, OfOneLengthAreTheBestOfAllPartitions) {
  for_seeds(200, [](Draw& draw) {
    const Trace run = random_run(draw, false, 1, draw.between(0, 11));
    const auto groups = groups_of(run);
    const Evenness even = random_evenness(draw);
    SignatureClusters clusters(groups, even);
    for (std::uint32_t k = 1; k <= groups.size(); ++k) {
      const Clustering clustering = clusters.cut(k);
      ASSERT_EQ(clustering.size, k);
      EXPECT_NEAR(cost(groups, clustering, even), least(groups, k, even), 1e-9 * least(groups, 1, even));
    }
  });
}

// Nine iterations in ten have the largest batch size: the others are ragged ends, in the cluster of their length.
TEST(SignatureClusters, ARaggedEndIsInTheClusterOfItsLength) {
  for_seeds(200, [](Draw& draw) {
    Trace run = random_run(draw, false, 1, 30);
    run.src_len.resize(100, 7);
    run.batch_size.assign(100, 32);
    for (std::size_t i = draw.below(10); i-- > 0;) run.batch_size[draw.below(100)] = 5;
    const auto groups = groups_of(run);
    SignatureClusters clusters(groups);
    const Clustering clustering = clusters.cut(draw.between(1, 8));
    std::map<std::uint32_t, std::uint32_t> of_length;
    for (std::size_t g = 0; g < groups.size(); ++g)
      EXPECT_EQ(of_length.emplace(groups[g].signature.src_len, clustering.cluster[g]).first->second, clustering.cluster[g]);
  });
}

void expect_clustering(const Clustering& clustering, std::size_t groups, std::uint64_t most) {
  ASSERT_EQ(clustering.cluster.size(), groups);
  EXPECT_GE(clustering.size, 1U);
  EXPECT_LE(clustering.size, most);
  const std::set<std::uint32_t> used(clustering.cluster.begin(), clustering.cluster.end());
  EXPECT_EQ(used.size(), clustering.size);
  EXPECT_EQ(*used.rbegin(), clustering.size - 1) << "numbered from 0 without a gap";
}

TEST(SignatureClusters, AreNeverMoreThanAskedForAndNeverEmpty) {
  for_seeds(200, [](Draw& draw) {
    const Trace run = random_run(draw, draw.below(2) == 0, draw.between(1, 6), draw.between(0, 60));
    const auto groups = groups_of(run);
    SignatureClusters clusters(groups, random_evenness(draw));
    for (int time = 0; time < 5; ++time) {
      const std::uint64_t k = draw.between(1, static_cast<std::uint32_t>(groups.size()));
      expect_clustering(clusters.cut(k), groups.size(), std::min<std::uint64_t>(k, clusters.most()));
    }
  });
}

TEST(SignatureClusters, DoNotDependOnWhatWasAskedBeforeNorOnTheOrderOfIterations) {
  for_seeds(60, [](Draw& draw) {
    const Trace run = random_run(draw, true, draw.between(1, 6), 40);
    Trace shuffled = run;
    for (std::size_t i = run.size(); i-- > 1;) {
      const std::size_t j = draw.below(static_cast<std::uint32_t>(i + 1));
      std::swap(shuffled.src_len[i], shuffled.src_len[j]);
      std::swap(shuffled.tgt_len[i], shuffled.tgt_len[j]);
      std::swap(shuffled.batch_size[i], shuffled.batch_size[j]);
    }
    const auto groups = groups_of(run);
    const Evenness even = random_evenness(draw);
    SignatureClusters asked_often(groups, even);
    for (std::uint64_t k = groups.size(); k > 0; k /= 2) asked_often.cut(k);
    for (std::uint64_t k = 1; k <= groups.size(); k += 7) {
      SignatureClusters fresh(groups_of(shuffled), even);
      EXPECT_EQ(fresh.cut(k).cluster, asked_often.cut(k).cluster);
    }
  });
}

// Four far corners, each with a few signatures around it.
TEST(SignatureClusters, OfPairsFindClustersThatAreThere) {
  for_seeds(100, [](Draw& draw) {
    Trace run;
    for (int i = 0; i < 80; ++i) {
      run.src_len.push_back((i % 2 == 0 ? 100 : 500) + draw.below(8));
      run.tgt_len.push_back((i / 2 % 2 == 0 ? 100 : 500) + draw.below(8));
      run.batch_size.push_back(32);
    }
    const auto groups = groups_of(run);
    SignatureClusters clusters(groups);
    const Clustering clustering = clusters.cut(4);
    ASSERT_EQ(clustering.size, 4U);
    for (std::size_t a = 0; a < groups.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const Signature &x = groups[a].signature, &y = groups[b].signature;
        const bool together = x.src_len / 300 == y.src_len / 300 && x.tgt_len / 300 == y.tgt_len / 300;
        EXPECT_EQ(clustering.cluster[a] == clustering.cluster[b], together);
      }
  });
}

// Nothing varies but a batch size that nearly all share, which is left out: there is no dimension to cluster by.
TEST(SignatureClusters, OfPairsThatDifferInARaggedEndOnlyAreOne) {
  Trace run;
  run.src_len.assign(20, 9);
  run.tgt_len.assign(20, 7);
  run.batch_size.assign(19, 32);
  run.batch_size.push_back(3);
  const auto groups = groups_of(run);
  ASSERT_EQ(groups.size(), 2U);
  SignatureClusters clusters(groups);
  EXPECT_EQ(clusters.cut(1).cluster, (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(clusters.cut(2).cluster, (std::vector<std::uint32_t>{0, 0}));
}

}  // namespace
}  // namespace seqpoint
