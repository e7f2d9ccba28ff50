/// \file
/// Sockeye's buckets: which lengths they take, how many sentences a batch of them has, and what is in them.
#pragma once

#include <cstdint>
#include <vector>

#include "seqpoint/batches.hpp"

namespace seqpoint::batching::frameworks::sockeye {

/// Lengths of a pair.
struct Bound {
  std::uint32_t src = 0, tgt = 0;
};

struct Bucket {
  Bound bound;                      ///< the longest lengths that fit, and what its batches are padded to
  std::size_t batch_size = 0;       ///< sentences
  std::vector<std::uint32_t> rows;  ///< in dataset order
  double mean_target = 0;           ///< tokens
};

/// Throws ParameterError where no batch of the wanted size can hold a sentence, or nothing is left to train on.
std::vector<Bucket> make_buckets(const lengths::Lengths& lengths, const BatchPolicy& policy);

}  // namespace seqpoint::batching::frameworks::sockeye
