/// \file
/// A run grouped by full signature.
#pragma once

#include <memory>
#include <vector>

#include "population.hpp"

namespace seqpoint {

/// All iterations of one signature.
struct SignatureGroup {
  Signature signature;
  std::uint64_t count = 0;  ///< iterations, >= 1
  double sum = 0;           ///< of the statistic over them; 0 where none was asked for
};

/// Ascending by signature. The sums do not depend on the order of the iterations.
std::vector<SignatureGroup> signature_groups(const Population&);

/// Whether more than nine in ten iterations have the largest batch size: the others are then the run's ragged ends.
bool mostly_one_batch_size(const std::vector<SignatureGroup>& groups);

/// Groups cut into clusters: the cluster of each group. Clusters are numbered from 0, each has at least one group.
struct Clustering {
  std::vector<std::uint32_t> cluster;  ///< one a group
  std::uint32_t size = 0;              ///< clusters
};

/// At most k clusters, 1 <= k <= groups. Where the source length alone tells nearly all iterations apart (one padded length, and
/// the largest batch size in more than nine of ten iterations): exact k-means of the lengths. Else k-means of the
/// standardised signature, where a dimension that does not vary is left out: seeds one after the other, each the candidate
/// that lowers the sum of squares most, then Lloyd's iterations; ties to the first signature.
class SignatureClusters {
 public:
  explicit SignatureClusters(const std::vector<SignatureGroup>& groups);
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
