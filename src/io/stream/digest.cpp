#include "io/stream/digest.hpp"

// Uses the widest instructions of the processor if xxHash can select them at run time; the digest is the same.
#if defined(SEQPOINT_XXHASH_DISPATCH)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include <new>

namespace seqpoint::io::stream {
namespace {

/// Two lower-case hexadecimal digits for each byte.
template <class Bytes>
std::string hexadecimal(const Bytes& bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kHex[byte >> 4U];
    text += kHex[byte & 15U];
  }
  return text;
}

}  // namespace

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
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_->xxh3));
  return "xxh3-128:" + hexadecimal(canonical.digest);
}

std::string short_digest(std::string_view bytes) {
  XXH64_canonical_t canonical;
  XXH64_canonicalFromHash(&canonical, XXH3_64bits(bytes.data(), bytes.size()));
  return hexadecimal(canonical.digest);
}

}  // namespace seqpoint::io::stream
