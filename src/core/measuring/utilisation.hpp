/// \file
/// What is known of a model and a device without asking: for project::utilisation().
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace seqpoint::measuring {

/// The peak of a GPU in FLOP/s, of dense matrices of bfloat16 (of float16 where it has none), by a part of the name
/// that nvidia-smi prints. Source: the data sheets of its vendor. Nothing: not known, or a slice of a GPU (MIG).
std::optional<double> peak_of(std::string_view gpu);

/// Floating-point operations of a model for one token, forward and backward: six for each parameter (Kaplan et al.,
/// 2020). Attention is left out.
double flops_per_token(std::uint64_t parameters);

}  // namespace seqpoint::measuring
