/// \file
/// A run grouped by full signature.
#pragma once

#include <vector>

#include "core/select/population.hpp"

namespace seqpoint::select {

/// All iterations of one signature.
struct SignatureGroup {
  trace::Signature signature;
  std::uint64_t count = 0;  ///< iterations, >= 1
  double sum = 0;           ///< of the statistic over them; 0 where none was asked for
};

/// Ascending by signature. The sums do not depend on the order of the iterations.
std::vector<SignatureGroup> signature_groups(const Population&);

}  // namespace seqpoint::select
