/// \file
/// Hints to the processor: this memory is needed soon.
#pragma once

namespace seqpoint {

/// Loads the cache line of an address that is read soon. Does nothing with compilers other than GCC and Clang.
inline void prefetch_to_read(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 0);
#endif
}

/// The same for an address that is written soon.
inline void prefetch_to_write(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace seqpoint
