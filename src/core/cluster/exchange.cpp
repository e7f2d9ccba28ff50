#include "exchange.hpp"

#include <algorithm>

namespace seqpoint {
namespace {

constexpr double kMostRoundsOfMoves = 100;
/// Of groups with clusters, in all rounds together; a few rounds are made in any case.
constexpr double kMostComparisons = 2e8;
constexpr double kFewestRoundsOfMoves = 4;
/// By how much the objective has to fall for a move to be made: rounding must not move a group back and forth.
constexpr double kWorthAMove = 1e-12;

class Exchange {
 public:
  Exchange(const Eigen::ArrayXXd& at, const Eigen::ArrayXd& count, const Eigen::ArrayXd& mass, double weight,
           std::vector<std::uint32_t>& label)
      : at_(at.transpose()), count_(count), share_(mass / std::max(mass.sum(), 1e-300)), weight_(weight), label_(label) {
    clusters_.resize(*std::max_element(label.begin(), label.end()) + 1, {Eigen::VectorXd::Zero(at_.rows())});
    for (std::size_t g = 0; g < label.size(); ++g) add(g, label[g], 1);
    const Eigen::ArrayXd mean = (at_.matrix() * count.matrix()).array() / count.sum();
    spread_ = ((at_.colwise() - mean).square().colwise().sum().transpose() * count).sum();
  }

  void run() {
    const double affordable = kMostComparisons / (static_cast<double>(label_.size()) * static_cast<double>(clusters_.size()));
    const auto rounds = static_cast<int>(std::clamp(affordable, kFewestRoundsOfMoves, kMostRoundsOfMoves));
    for (int round = 0; round < rounds && moved(); ++round) continue;
  }

 private:
  struct Cluster {
    Eigen::VectorXd sum;  ///< of the positions, by count
    double count = 0, share = 0;
    std::int64_t groups = 0;
  };

  /// Whether any group was.
  bool moved() {
    bool any = false;
    for (std::size_t g = 0; g < label_.size(); ++g) {
      const std::uint32_t to = best_for(g);
      if (to == label_[g]) continue;
      add(g, label_[g], -1);
      add(g, label_[g] = to, 1);
      any = true;
    }
    return any;
  }

  std::uint32_t best_for(std::size_t g) const {
    const std::uint32_t from = label_[g];
    if (clusters_[from].groups == 1) return from;
    const double gained = leaving(g, clusters_[from]);
    double most = kWorthAMove;
    std::uint32_t best = from;
    for (std::uint32_t to = 0; to < clusters_.size(); ++to) {
      const double gain = to == from ? 0 : gained - entering(g, clusters_[to]);
      if (!(gain > most)) continue;
      most = gain;
      best = to;
    }
    return best;
  }

  /// What the objective loses when the group leaves its cluster, and gains when it enters another.
  double leaving(std::size_t g, const Cluster& cluster) const {
    const double n = count(g), rest = cluster.count - n;
    return cluster.count * n / rest * squared_distance(g, cluster) + weight_ * share(g) * (2 * cluster.share - share(g));
  }
  double entering(std::size_t g, const Cluster& cluster) const {
    const double n = count(g);
    return cluster.count * n / (cluster.count + n) * squared_distance(g, cluster) + weight_ * share(g) * (2 * cluster.share + share(g));
  }

  /// To the cluster's mean, over the sum of squares of all.
  double squared_distance(std::size_t g, const Cluster& cluster) const {
    if (!(spread_ > 0) || cluster.groups == 0) return 0;
    double sum = 0;
    for (Eigen::Index d = 0; d < at_.rows(); ++d) {
      const double away = at_(d, static_cast<Eigen::Index>(g)) - cluster.sum[d] / cluster.count;
      sum += away * away;
    }
    return sum / spread_;
  }

  void add(std::size_t g, std::uint32_t to, int times) {
    Cluster& cluster = clusters_[to];
    cluster.sum += times * count(g) * at_.col(static_cast<Eigen::Index>(g)).matrix();
    cluster.count += times * count(g);
    cluster.share += times * share(g);
    cluster.groups += times;
  }

  double count(std::size_t g) const { return count_[static_cast<Eigen::Index>(g)]; }
  double share(std::size_t g) const { return share_[static_cast<Eigen::Index>(g)]; }

  Eigen::ArrayXXd at_;  ///< dimensions x groups
  const Eigen::ArrayXd& count_;
  Eigen::ArrayXd share_;
  double weight_, spread_ = 0;
  std::vector<std::uint32_t>& label_;
  std::vector<Cluster> clusters_;
};

}  // namespace

void exchange(const Eigen::ArrayXXd& at, const Eigen::ArrayXd& count, const Eigen::ArrayXd& mass, double weight,
              std::vector<std::uint32_t>& label) {
  Exchange(at, count, mass, weight, label).run();
}

}  // namespace seqpoint
