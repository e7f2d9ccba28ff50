/// \file
/// A run's signatures cut into clusters.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "signature_groups.hpp"

namespace seqpoint {

/// Groups cut into clusters: the cluster of each group. Clusters are numbered from 0, each has at least one group.
struct Clustering {
  std::vector<std::uint32_t> cluster;  ///< one a group
  std::uint32_t size = 0;              ///< clusters
};

/// What clusters are cut by: sum_c SS_c / SS + weight sum_c m_c^2, to be as small as can be. SS_c is the sum of squared distances to the
/// mean of cluster c, SS that of the whole run, m_c the cluster's share of what is to be even. Without weight: k-means. With a large
/// one, clusters of equal cost (the rule of equal aggregates: Mahalanobis 1952; Hansen, Hurwitz and Madow 1953) or of equally many iterations.
struct Evenness {
  enum class Of { cost, iterations };
  double weight = 0;
  Of of = Of::cost;
};

/// At most k clusters, 1 <= k <= groups. Where the source length alone tells nearly all iterations apart (one padded length, and
/// the largest batch size in more than nine of ten iterations): exactly the best clusters of the lengths. Else of the
/// standardised signature, where a dimension that does not vary is left out: seeds one after the other, each the candidate
/// that lowers the sum of squares most, then Lloyd's iterations, then the exchange of single groups; ties to the first signature.
class SignatureClusters {
 public:
  explicit SignatureClusters(const std::vector<SignatureGroup>& groups, Evenness = {});
  ~SignatureClusters();
  SignatureClusters(const SignatureClusters&) = delete;
  SignatureClusters& operator=(const SignatureClusters&) = delete;
  Clustering cut(std::uint64_t k);
  /// How many clusters there can be.
  std::size_t most() const;

 private:
  class Lengths;
  class Standardised;
  std::unique_ptr<Lengths> lengths_;
  std::unique_ptr<Standardised> standardised_;
};

}  // namespace seqpoint
