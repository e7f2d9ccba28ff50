#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>

#include "exact_kmeans.hpp"
#include "signature_groups.hpp"

namespace seqpoint {
namespace {

/// The share of iterations with the largest batch size beyond which the others are the run's ragged ends.
constexpr double kOneBatchSize = 0.9;

bool mostly_one_batch_size(const std::vector<SignatureGroup>& groups) {
  std::uint32_t largest = 0;
  for (const SignatureGroup& group : groups) largest = std::max(largest, group.signature.batch_size);
  std::uint64_t with_largest = 0, all = 0;
  for (const SignatureGroup& group : groups) {
    all += group.count;
    if (group.signature.batch_size == largest) with_largest += group.count;
  }
  return static_cast<double>(with_largest) > kOneBatchSize * static_cast<double>(all);
}

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

}  // namespace

/// One length: groups of one length lie next to each other.
class SignatureClusters::Lengths {
 public:
  explicit Lengths(const std::vector<SignatureGroup>& groups) : kmeans_(values_of(groups, position_)) {}
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
  static std::vector<ValueCount> values_of(const std::vector<SignatureGroup>& groups, std::vector<std::size_t>& position) {
    std::vector<ValueCount> values;
    for (const SignatureGroup& group : groups) {
      if (values.empty() || values.back().value != group.signature.src_len) values.push_back({group.signature.src_len, 0});
      values.back().count += group.count;
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
  explicit Standardised(const std::vector<SignatureGroup>& groups) : count_(static_cast<Eigen::Index>(groups.size())) {
    Eigen::ArrayXXd raw(count_.size(), 3);
    for (Eigen::Index g = 0; g < count_.size(); ++g) {
      const SignatureGroup& group = groups[static_cast<std::size_t>(g)];
      count_[g] = static_cast<double>(group.count);
      raw.row(g) << group.signature.src_len, group.signature.second(), group.signature.batch_size;
    }
    const double all = count_.sum();
    for (Eigen::Index d = 0; d < raw.cols(); ++d) {
      const Eigen::ArrayXd centred = raw.col(d) - (raw.col(d) * count_).sum() / all;
      const double spread = std::sqrt((centred.square() * count_).sum() / all);
      if (raw.col(d).minCoeff() == raw.col(d).maxCoeff() || (d == 2 && mostly_one_batch_size(groups))) continue;
      at_.conservativeResize(count_.size(), at_.cols() + 1);
      at_.col(at_.cols() - 1) = centred / spread;
    }
  }
  std::size_t most() const { return static_cast<std::size_t>(count_.size()); }

  Clustering cut(std::uint64_t k) const {
    Eigen::ArrayXXd centres = seeds(static_cast<Eigen::Index>(std::min<std::uint64_t>(k, most())));
    std::vector<std::uint32_t> label = nearest(centres);
    constexpr int kMostRounds = 100;
    for (int round = 0; round < kMostRounds; ++round) {
      move_to_means(centres, label);
      std::vector<std::uint32_t> next = nearest(centres);
      if (next == label) break;
      label = std::move(next);
    }
    return numbered(label);
  }

 private:
  Eigen::ArrayXd squared_distance(const Eigen::ArrayXXd& to, Eigen::Index row) const {
    return (at_.rowwise() - to.row(row)).square().rowwise().sum();
  }

  /// Groups at equal steps of the order: as many as keep the search for the seeds within some hundred million distances.
  std::vector<Eigen::Index> candidates(Eigen::Index k) const {
    constexpr double kMostDistances = 2e8;
    const double affordable = kMostDistances / (static_cast<double>(count_.size()) * static_cast<double>(k));
    const auto n = std::min<Eigen::Index>(count_.size(), static_cast<Eigen::Index>(std::clamp(affordable, 8.0, 1000.0)));
    std::vector<Eigen::Index> some;
    for (Eigen::Index i = 0; i < n; ++i) some.push_back(i * count_.size() / n);
    return some;
  }

  /// The candidate that takes most off the sum of squares that the seeds so far leave.
  Eigen::Index best_seed(const std::vector<Eigen::Index>& among, const Eigen::ArrayXd& left) const {
    Eigen::Index best = among.front();
    double most = -1;
    for (const Eigen::Index c : among) {
      const double gain = (count_ * (left - squared_distance(at_, c)).max(0.0)).sum();
      if (gain > most * (1 + 1e-12)) {
        most = gain;
        best = c;
      }
    }
    return best;
  }

  Eigen::ArrayXXd seeds(Eigen::Index k) const {
    const std::vector<Eigen::Index> among = candidates(k);
    Eigen::ArrayXXd centres(k, at_.cols());
    // The first is nearest to the mean, which standardising has put at the origin.
    Eigen::Index first = 0;
    at_.square().rowwise().sum().minCoeff(&first);
    centres.row(0) = at_.row(first);
    Eigen::ArrayXd left = squared_distance(centres, 0);
    for (Eigen::Index c = 1; c < k; ++c) {
      centres.row(c) = at_.row(best_seed(among, left));
      left = left.min(squared_distance(centres, c));
    }
    return centres;
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

  Eigen::ArrayXd count_;
  Eigen::ArrayXXd at_;  ///< groups x dimensions that vary
};

SignatureClusters::SignatureClusters(const std::vector<SignatureGroup>& groups) {
  if (!two_dimensional(groups) && mostly_one_batch_size(groups))
    lengths_ = std::make_unique<Lengths>(groups);
  else
    standardised_ = std::make_unique<Standardised>(groups);
}

SignatureClusters::~SignatureClusters() = default;

Clustering SignatureClusters::cut(std::uint64_t k) { return lengths_ ? lengths_->cut(k) : standardised_->cut(k); }

std::size_t SignatureClusters::most() const { return lengths_ ? lengths_->most() : standardised_->most(); }

}  // namespace seqpoint
