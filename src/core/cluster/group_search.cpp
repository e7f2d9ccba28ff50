#include "group_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bins.hpp"

namespace seqpoint {
namespace {

/// Of a search. The first search does without where batch sizes do not vary, and searches for another selection of one length do
/// too: a lower objective did not make for smaller errors on measured epochs, and representatives stay near their clusters' centres.
constexpr int kRestarts = 40;
/// Where they vary: features have one dimension more, and count twice as much beside all else.
constexpr WeightDemands kManyBatchSizes{.ridge = 5e-5, .noise = 0.0106, .rare = 0.0071, .local = 0.0212};
/// There, of one measurement, where points are few: constraints take most of what there is to choose, and would leave one of five
/// points with half of the weight.
constexpr double kNoiseOfFew = 0.15;

/// About alike: what is left of the variance of lengths, and the sum of the squared shares of the cost, which is what noise grows with.
constexpr Evenness kEven{1.1, Evenness::Of::cost};
/// Pairs have more features to meet with as many points.
constexpr WeightDemands kPairs{.ridge = 1e-4, .local = 0.0345};

}  // namespace

std::uint64_t weighty(const Choosing& choosing) { return static_cast<std::uint64_t>((choosing.share.array() > 0).count()); }

double effective(const Choosing& choosing) { return 1 / choosing.share.squaredNorm(); }

GroupSearch::GroupSearch(const Population& all)
    : all_(all),
      groups_(signature_groups(all)),
      one_batch_size_(mostly_one_batch_size(groups_)),
      model_(cost_model(groups_, all.trace, all.has_statistic())),
      local_(groups_, model_, all.trace),
      clusters_(groups_, kEven) {}

std::uint64_t GroupSearch::more_than(std::uint64_t k) const {
  return k < clusters_.most() ? k + 1 : std::max<std::uint64_t>(k + 1, groups_.size());
}

void GroupSearch::cut(std::uint64_t k) { cut_ = cut_by(clusters_.cut(k)); }

Cut GroupSearch::cut_otherwise(Evenness even) const { return cut_by(SignatureClusters(groups_, even).cut(cut_.members.size())); }

Cut GroupSearch::cut_by(const Clustering& clustering) const {
  Cut cut{std::vector<std::vector<std::size_t>>(clustering.size), Eigen::VectorXd::Zero(clustering.size)};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    cut.members[clustering.cluster[g]].push_back(g);
    cut.stratum[clustering.cluster[g]] += model_.share[static_cast<Eigen::Index>(g)];
  }
  return cut;
}

double GroupSearch::effective_of_bins(std::uint64_t points) const {
  double squares = 0;
  for (const Stratum& bin : bins_that_hold(all_, points)) {
    double share = 0;
    for (std::size_t g = bin.begin; g < bin.end; ++g) share += static_cast<double>(all_.groups[g].count);
    squares += share * share;
  }
  const auto iterations = static_cast<double>(all_.iterations());
  return squares > 0 ? iterations * iterations / squares : 0;
}

/// How far each group's measured cost lies from its cluster's, in proportion to size. Noise and jagged cost in a
/// representative would be multiplied by the weight of all it stands for.
Eigen::ArrayXd GroupSearch::deviations(const Cut& cut) const {
  if (!all_.has_statistic()) return {};
  Eigen::ArrayXd deviation = Eigen::ArrayXd::Zero(model_.size.size());
  for (const auto& cluster : cut.members) {
    double cost = 0, size = 0;
    for (const std::size_t g : cluster) {
      cost += groups_[g].sum;
      size += model_.size[static_cast<Eigen::Index>(g)] * model_.count[static_cast<Eigen::Index>(g)];
    }
    for (const std::size_t g : cluster) {
      const auto i = static_cast<Eigen::Index>(g);
      const double expected = cost / size * model_.size[i] * model_.count[i];
      if (expected > 0 && std::isfinite(expected)) deviation[i] = groups_[g].sum / expected - 1;
    }
  }
  return deviation;
}

/// Squared distance of a group to the centre of its cluster; each dimension in units of the centre's own.
std::vector<double> GroupSearch::distances(const std::vector<std::size_t>& cluster) const {
  const auto position = [&](std::size_t g) {
    const Signature& s = groups_[g].signature;
    return Eigen::Array3d(s.src_len, s.second(), s.batch_size);
  };
  Eigen::Array3d centre = Eigen::Array3d::Zero();
  double count = 0;
  for (const std::size_t g : cluster) {
    centre += static_cast<double>(groups_[g].count) * position(g);
    count += static_cast<double>(groups_[g].count);
  }
  centre /= count;
  std::vector<double> squared;
  for (const std::size_t g : cluster) squared.push_back(((position(g) - centre) / centre.max(1.0)).square().sum());
  return squared;
}

std::vector<std::size_t> GroupSearch::nearest_to_centre(const Cut& cut) const {
  std::vector<std::size_t> nearest;
  for (const auto& cluster : cut.members) {
    const std::vector<double> squared = distances(cluster);
    nearest.push_back(cluster[static_cast<std::size_t>(std::min_element(squared.begin(), squared.end()) - squared.begin())]);
  }
  return nearest;
}

WeightDemands GroupSearch::demands() const {
  if (one_batch_size_) return paired() ? kPairs : WeightDemands{};
  WeightDemands demanded = kManyBatchSizes;
  if (few()) demanded.noise = kNoiseOfFew;
  return demanded;
}

Choosing GroupSearch::every_group() const {
  Choosing choosing;
  choosing.groups.resize(groups_.size());
  std::iota(choosing.groups.begin(), choosing.groups.end(), std::size_t{0});
  choosing.alternates.resize(groups_.size());
  choosing.share = model_.share;
  return choosing;
}

Choosing GroupSearch::searched(const WeightDemands& demanded, const Cut& cut, int restarts) const {
  const CostModel::Rows& constraints = cut.members.size() < kFewPoints ? model_.constraints_of_few : model_.constraints;
  WeightProblem problem(model_, constraints, local_, demanded, deviations(cut));
  problem.set(nearest_to_centre(cut), cut.stratum);
  Choosing choosing;
  find_representatives(problem, cut.members, restarts);
  choosing.alternates = alternates_of(problem, cut.members);
  choosing.groups = problem.groups();
  choosing.share = problem.weights();
  return choosing;
}

Choosing GroupSearch::first() const { return searched(demands(), cut_, one_batch_size_ ? 0 : kRestarts); }

Choosing GroupSearch::again(const WeightDemands& demanded, const Cut& cut) const {
  return searched(demanded, cut, one_batch_size_ && !paired() ? 0 : kRestarts);
}

double GroupSearch::missed(const Choosing& choosing, const CostModel::Rows& functions) const {
  Eigen::RowVectorXd errors = Eigen::RowVectorXd::Constant(functions.cols(), -1.0);
  for (std::size_t p = 0; p < choosing.groups.size(); ++p)
    errors += choosing.share[static_cast<Eigen::Index>(p)] * functions.row(static_cast<Eigen::Index>(choosing.groups[p]));
  return std::sqrt(errors.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(errors.size(), 1)));
}

}  // namespace seqpoint
