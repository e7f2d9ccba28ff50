/// \file
/// The share of the devices' peak that a training uses: model FLOP utilisation (MFU).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/project/projection.hpp"

namespace seqpoint::run {

/// The peak of a GPU in FLOP/s, of dense matrices of bfloat16 (of float16 where it has none), by a part of the name
/// that nvidia-smi prints. Source: the data sheets of its vendor. Nothing: not known.
std::optional<double> peak_of(std::string_view gpu);

/// Floating-point operations of a model for one token, forward and backward: six for each parameter (Kaplan et al.,
/// 2020). Attention is left out.
double flops_per_token(std::uint64_t parameters);

/// The work of a token, and the devices that do it.
struct Work {
  double flops_per_token = 0;
  double peak = 0;  ///< FLOP/s of all devices
};

/// The share of the peak: operations of the tokens without padding where they are known, else of all.
double utilisation(const project::Throughput&, const Work&);

}  // namespace seqpoint::run
