#include "io/stream/digest.hpp"

// Uses the widest instructions of the processor where xxHash can select them at run time; the digest is the same.
#if defined(SEQPOINT_XXHASH_DISPATCH)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include <new>

namespace seqpoint::io::stream {

struct Digest::State {
  XXH3_state_t* xxh3 = XXH3_createState();
  State() {
    if (xxh3 == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(xxh3);
  }
  ~State() { XXH3_freeState(xxh3); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;

void Digest::add(std::string_view bytes) { XXH3_128bits_update(state_->xxh3, bytes.data(), bytes.size()); }

std::string Digest::text() const {
  constexpr std::string_view kHex = "0123456789abcdef";
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_->xxh3));
  std::string text = "xxh3-128:";
  for (const unsigned char byte : canonical.digest) {
    text += kHex[byte >> 4U];
    text += kHex[byte & 15U];
  }
  return text;
}

}  // namespace seqpoint::io::stream
