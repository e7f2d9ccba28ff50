// Bytes that libraries read for us: compressed streams.
#define ZSTD_STATIC_LINKING_ONLY  // for the memory that a frame asks for
#include <zstd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "compress.hpp"
#include "expectations.hpp"
#include "targets.hpp"

namespace seqpoint::fuzz {
namespace {

constexpr std::size_t kMost = 1U << 17U;  ///< decoded bytes: four kilobytes may stand for gigabytes

/// What an input decodes to, in reads of that size, and whether it ends in an error.
std::pair<std::string, bool> decoded(std::string_view bytes, std::size_t size) {
  io::stream::Input input = input_of(bytes);
  std::string all;
  try {
    for (std::string part(size, '\0'); all.size() < kMost;) {
      const std::size_t got = input.read(part.data(), part.size());
      if (got == 0) break;
      all.append(part, 0, got);
    }
  } catch (const InputError&) {
    return {all, true};
  }
  return {all, false};
}

void unpack(std::string_view bytes) {
  const auto [whole, failed] = decoded(bytes, 64 * 1024);
  const auto [pieces, pieces_failed] = decoded(bytes, 777);
  const std::size_t both = std::min(whole.size(), pieces.size());
  expect(whole.compare(0, both, pieces, 0, both) == 0);
  // What was decoded before an error, and not yet handed on, is lost with it: with large reads there is more of that.
  if (std::max(whole.size(), pieces.size()) < kMost) expect(failed == pieces_failed);
}

}  // namespace

void gzip(std::string_view bytes) {
  unpack(bytes);
  expect(input_of(gzipped(bytes)).read_all() == bytes);
}

void zstd(std::string_view bytes) {
  // A frame of some bytes may ask for gigabytes of memory, and for the time that it takes to have them.
  const std::size_t memory = ZSTD_estimateDStreamSize_fromFrame(bytes.data(), bytes.size());
  if (ZSTD_isError(memory) == 0 && memory > kMost * 8) return;
  unpack(bytes);
  expect(input_of(zstd_compressed(bytes)).read_all() == bytes);
}

}  // namespace seqpoint::fuzz
