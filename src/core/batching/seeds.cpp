#include "seeds.hpp"

#include "seqpoint/error.hpp"

namespace seqpoint {

std::uint64_t python_seed(const BatchPolicy& policy, std::uint64_t added) {
  const std::uint64_t seed = policy.seed.value_or(0) + added;
  return seed >> 63U == 0 ? seed : ~seed + 1;
}

std::uint32_t numpy_seed(const BatchPolicy& policy, std::uint64_t added) {
  const std::uint64_t seed = policy.seed.value_or(0) + added;
  if (seed > 0xFFFFFFFFU)
    throw UsageError("--seed: NumPy takes seeds from 0 to 4294967295", "a smaller --seed; some samplers add the epoch to it");
  return static_cast<std::uint32_t>(seed);
}

}  // namespace seqpoint
