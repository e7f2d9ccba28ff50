/// \file
/// Which groups of a run stand for it, one a cluster, with weights: the search that calibrated selection is made of.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

#include "cost_model.hpp"
#include "representatives.hpp"
#include "signature_clusters.hpp"
#include "weight_fit.hpp"

namespace seqpoint {

/// A set of points: one group a cluster, the next best groups of the cluster, and the shares of the run.
struct Choosing {
  std::vector<std::size_t> groups;
  std::vector<std::vector<std::size_t>> alternates;
  Eigen::VectorXd share;
};

/// Groups put into clusters, of each of which one is to be a point.
struct Cut {
  std::vector<std::vector<std::size_t>> members;  ///< groups of each cluster
  Eigen::VectorXd stratum;                        ///< clusters' shares of the run
};

/// Points that have a weight.
std::uint64_t weighty(const Choosing&);
/// n_eff = (sum w)^2 / sum w^2.
double effective(const Choosing&);

/// Searches a run's groups for points. `cut` says how many.
class GroupSearch {
 public:
  /// The population has to outlive it.
  explicit GroupSearch(const Population&);

  const std::vector<SignatureGroup>& groups() const { return groups_; }
  const CostModel& model() const { return model_; }
  bool paired() const { return all_.trace.paired(); }
  /// Whether nearly all iterations have one batch size.
  bool one_batch_size() const { return one_batch_size_; }

  /// The next number of points that makes a difference: more clusters than there can be are only had by giving each
  /// signature its own.
  std::uint64_t more_than(std::uint64_t k) const;
  /// At most k clusters, 1 <= k <= groups.
  void cut(std::uint64_t k);
  /// The clusters of the last cut.
  const Cut& clusters() const { return cut_; }
  /// As many, cut otherwise.
  Cut cut_otherwise(Evenness) const;
  /// n_eff of the bins of the paper's method that hold so many points; 0 where none do.
  double effective_of_bins(std::uint64_t points) const;
  /// Whether there are fewer clusters than kFewPoints.
  bool few() const { return cut_.members.size() < kFewPoints; }
  /// What is usually demanded of the weights of so many points.
  WeightDemands demands() const;

  /// Each group a point, weighted by its iterations.
  Choosing every_group() const;
  /// One group of each cluster, with the usual demands. The search is begun anew where batch sizes vary.
  Choosing first() const;
  /// The same with other demands, and maybe other clusters; begun anew for pairs too.
  Choosing again(const WeightDemands&, const Cut&) const;

  /// RMS relative error of the totals of functions of the model.
  double missed(const Choosing&, const CostModel::Rows& functions) const;

 private:
  Choosing searched(const WeightDemands&, const Cut&, int restarts) const;
  Cut cut_by(const Clustering&) const;
  Eigen::ArrayXd deviations(const Cut&) const;
  std::vector<double> distances(const std::vector<std::size_t>& cluster) const;
  std::vector<std::size_t> nearest_to_centre(const Cut&) const;

  const Population& all_;
  std::vector<SignatureGroup> groups_;
  bool one_batch_size_;
  CostModel model_;
  LocalProcess local_;
  SignatureClusters clusters_;
  Cut cut_;
};

}  // namespace seqpoint
