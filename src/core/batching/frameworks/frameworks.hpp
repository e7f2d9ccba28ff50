/// \file
/// The rows of the table of samplers. To add a sampler: its file here, its row in ../samplers.def, its tests.
#pragma once

#include "core/batching/batches.hpp"

namespace seqpoint::batching::frameworks {

using Kind = OptionSpec::Kind;

/// The state of PyTorch's generator begins with 5016 bytes of the Mersenne Twister; a number kept back by normal_()
/// follows.
inline constexpr std::string_view kRngSkipHelp =
    "32-bit outputs drawn from the generator before the first epoch; to count them where the first epoch begins, draw "
    "torch.randint(2, (1,), generator=g) from a new g = torch.Generator().manual_seed(S) until g.get_state()[:5016] "
    "equals torch.get_rng_state()[:5016]";

#define ROW(name) extern const Sampler name;
#include "core/batching/samplers.def"

}  // namespace seqpoint::batching::frameworks
