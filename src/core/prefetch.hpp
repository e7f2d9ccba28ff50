/// \file
/// Hints to the processor: this memory is needed soon.
#pragma once

namespace seqpoint {

inline void prefetch_to_read(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 0);
#endif
}

inline void prefetch_to_write(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace seqpoint
