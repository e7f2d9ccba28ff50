#include "signature_clusters.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "exact_kmeans.hpp"
#include "exchange.hpp"

namespace seqpoint {
namespace {

bool two_dimensional(const std::vector<SignatureGroup>& groups) {
  return std::any_of(groups.begin(), groups.end(), [](const auto& g) { return g.signature.second() != 0; });
}

/// Numbers the clusters that have a group anew, in the order in which they first appear.
Clustering numbered(const std::vector<std::uint32_t>& raw) {
  constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::vector<std::uint32_t> number(*std::max_element(raw.begin(), raw.end()) + 1, kNone);
  Clustering clustering;
  for (const std::uint32_t label : raw) {
    if (number[label] == kNone) number[label] = clustering.size++;
    clustering.cluster.push_back(number[label]);
  }
  return clustering;
}

double mass_of(const SignatureGroup& group, Evenness::Of of) {
  return static_cast<double>(group.count) * (of == Evenness::Of::cost ? size_of(group.signature) : 1);
}

}  // namespace

/// One length: groups of one length lie next to each other.
class SignatureClusters::Lengths {
 public:
  Lengths(const std::vector<SignatureGroup>& groups, Evenness even) : kmeans_(values_of(groups, even.of, position_), even.weight) {}
  std::size_t most() const { return position_.back() + 1; }
  Clustering cut(std::uint64_t k) {
    std::vector<std::uint32_t> of_length(most());
    const std::vector<Stratum> strata = kmeans_.clusters(std::min<std::uint64_t>(k, most()));
    for (std::uint32_t c = 0; c < strata.size(); ++c)
      for (std::size_t v = strata[c].begin; v < strata[c].end; ++v) of_length[v] = c;
    Clustering clustering{{}, static_cast<std::uint32_t>(strata.size())};
    for (const std::size_t p : position_) clustering.cluster.push_back(of_length[p]);
    return clustering;
  }

 private:
  static std::vector<ValueCount> values_of(const std::vector<SignatureGroup>& groups, Evenness::Of of, std::vector<std::size_t>& position) {
    std::vector<ValueCount> values;
    for (const SignatureGroup& group : groups) {
      if (values.empty() || values.back().value != group.signature.src_len) values.push_back({group.signature.src_len, 0});
      values.back().count += group.count;
      values.back().mass += mass_of(group, of);
      position.push_back(values.size() - 1);
    }
    return values;
  }

  std::vector<std::size_t> position_;  ///< of each group's length among the unique lengths
  ExactKmeans kmeans_;
};

/// Several dimensions that vary.
class SignatureClusters::Standardised {
 public:
  Standardised(const std::vector<SignatureGroup>& groups, Evenness even)
      : weight_(even.weight), count_(static_cast<Eigen::Index>(groups.size())), mass_(count_.size()) {
    Eigen::ArrayXXd raw(count_.size(), 3);
    for (Eigen::Index g = 0; g < count_.size(); ++g) {
      const SignatureGroup& group = groups[static_cast<std::size_t>(g)];
      count_[g] = static_cast<double>(group.count);
      mass_[g] = mass_of(group, even.of);
      raw.row(g) << group.signature.src_len, group.signature.second(), group.signature.batch_size;
    }
    at_.resize(count_.size(), 0);
    const double all = count_.sum();
    for (Eigen::Index d = 0; d < raw.cols(); ++d) {
      const Eigen::ArrayXd centred = raw.col(d) - (raw.col(d) * count_).sum() / all;
      const double spread = std::sqrt((centred.square() * count_).sum() / all);
      if (raw.col(d).minCoeff() == raw.col(d).maxCoeff() || (d == 2 && mostly_one_batch_size(groups))) continue;
      at_.conservativeResize(count_.size(), at_.cols() + 1);
      at_.col(at_.cols() - 1) = centred / spread;
    }
    if (at_.cols() == 0) at_.setZero(count_.size(), 1);  // all groups are at one place
  }
  std::size_t most() const { return static_cast<std::size_t>(count_.size()); }

  Clustering cut(std::uint64_t k) {
    while (seeds_.size() < std::min<std::uint64_t>(k, most())) add_seed();
    Eigen::ArrayXXd centres(std::min<std::uint64_t>(k, most()), at_.cols());
    for (Eigen::Index c = 0; c < centres.rows(); ++c) centres.row(c) = at_.row(seeds_[static_cast<std::size_t>(c)]);
    std::vector<std::uint32_t> label = nearest(centres);
    constexpr int kMostRounds = 100;
    for (int round = 0; round < kMostRounds; ++round) {
      move_to_means(centres, label);
      std::vector<std::uint32_t> next = nearest(centres);
      if (next == label) break;
      label = std::move(next);
    }
    if (weight_ > 0) exchange(at_, count_, mass_, weight_, label);
    return numbered(label);
  }

 private:
  Eigen::ArrayXd squared_distance(const Eigen::ArrayXXd& to, Eigen::Index row) const {
    return (at_.rowwise() - to.row(row)).square().rowwise().sum();
  }

  double squared_distance(Eigen::Index a, Eigen::Index b) const {
    double sum = 0;
    for (Eigen::Index d = 0; d < at_.cols(); ++d) sum += (at_(a, d) - at_(b, d)) * (at_(a, d) - at_(b, d));
    return sum;
  }

  /// Groups at equal steps of the order: as many as keep the search for one more seed within some million distances.
  std::vector<Eigen::Index> candidates() const {
    constexpr double kMostDistances = 1e8;
    const double affordable = kMostDistances / (static_cast<double>(count_.size()) * static_cast<double>(seeds_.size()));
    const auto n = std::min<Eigen::Index>(count_.size(), static_cast<Eigen::Index>(std::clamp(affordable, 8.0, 1000.0)));
    std::vector<Eigen::Index> some;
    for (Eigen::Index i = 0; i < n; ++i) some.push_back(i * count_.size() / n);
    return some;
  }

  /// What a seed more would take off the sum of squares.
  double gain(Eigen::Index seed) const {
    double sum = 0;
    for (Eigen::Index g = 0; g < count_.size(); ++g) sum += count_[g] * std::max(left_[g] - squared_distance(g, seed), 0.0);
    return sum;
  }

  /// The candidate that takes most off the sum of squares that the seeds so far leave.
  Eigen::Index best_seed() const {
    Eigen::Index best = 0;
    double most = -1;
    for (const Eigen::Index c : candidates()) {
      const double less = gain(c);
      if (!(less > most * (1 + 1e-12))) continue;
      most = less;
      best = c;
    }
    return best;
  }

  /// The first is nearest to the mean, which standardising has put at the origin. Those of k clusters are the first k.
  void add_seed() {
    Eigen::Index seed = 0;
    if (seeds_.empty()) {
      at_.square().rowwise().sum().minCoeff(&seed);
      left_ = Eigen::ArrayXd::Constant(count_.size(), std::numeric_limits<double>::infinity());
    } else {
      seed = best_seed();
    }
    seeds_.push_back(seed);
    for (Eigen::Index g = 0; g < count_.size(); ++g) left_[g] = std::min(left_[g], squared_distance(g, seed));
  }

  std::vector<std::uint32_t> nearest(const Eigen::ArrayXXd& centres) const {
    std::vector<std::uint32_t> label(most(), 0);
    Eigen::ArrayXd least = Eigen::ArrayXd::Constant(count_.size(), std::numeric_limits<double>::infinity());
    for (Eigen::Index c = 0; c < centres.rows(); ++c) {
      const Eigen::ArrayXd distance = squared_distance(centres, c);
      for (Eigen::Index g = 0; g < distance.size(); ++g) {
        if (!(distance[g] < least[g])) continue;
        least[g] = distance[g];
        label[static_cast<std::size_t>(g)] = static_cast<std::uint32_t>(c);
      }
    }
    return label;
  }

  /// A centre that lost all its groups stays where it was.
  void move_to_means(Eigen::ArrayXXd& centres, const std::vector<std::uint32_t>& label) const {
    Eigen::ArrayXXd sum = Eigen::ArrayXXd::Zero(centres.rows(), centres.cols());
    Eigen::ArrayXd weight = Eigen::ArrayXd::Zero(centres.rows());
    for (Eigen::Index g = 0; g < count_.size(); ++g) {
      const auto c = static_cast<Eigen::Index>(label[static_cast<std::size_t>(g)]);
      sum.row(c) += count_[g] * at_.row(g);
      weight[c] += count_[g];
    }
    for (Eigen::Index c = 0; c < centres.rows(); ++c)
      if (weight[c] > 0) centres.row(c) = sum.row(c) / weight[c];
  }

  double weight_;  ///< of even masses
  Eigen::ArrayXd count_, mass_;
  Eigen::ArrayXXd at_;               ///< groups x dimensions that vary
  std::vector<Eigen::Index> seeds_;  ///< groups, in the order in which they were found
  Eigen::ArrayXd left_;              ///< each group's squared distance to the nearest of them
};

SignatureClusters::SignatureClusters(const std::vector<SignatureGroup>& groups, Evenness even) {
  if (!two_dimensional(groups) && mostly_one_batch_size(groups))
    lengths_ = std::make_unique<Lengths>(groups, even);
  else
    standardised_ = std::make_unique<Standardised>(groups, even);
}

SignatureClusters::~SignatureClusters() = default;

Clustering SignatureClusters::cut(std::uint64_t k) { return lengths_ ? lengths_->cut(k) : standardised_->cut(k); }

std::size_t SignatureClusters::most() const { return lengths_ ? lengths_->most() : standardised_->most(); }

}  // namespace seqpoint
