/// \file
/// A run that many tests choose points of.
#pragma once

#include <cstdint>

#include "core/trace/trace.hpp"

namespace seqpoint::testing {

/// Iterations of lengths from 20 to 230, each of them once before any comes again, in no order.
inline trace::Trace varied_run(std::uint32_t iterations, std::uint32_t batch_size = 16) {
  trace::Trace run;
  for (std::uint32_t i = 0; i < iterations; ++i)
    run.shapes.push_back({.src_len = 20 + (i * 37) % 211, .batch_size = batch_size});
  return run;
}

}  // namespace seqpoint::testing
