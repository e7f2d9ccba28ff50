#include "compress.hpp"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <new>
#include <stdexcept>

namespace seqpoint::fuzz {
namespace {

class Deflate {
 public:
  Deflate() {
    constexpr int kGzip = 15 + 16, kMemory = 8;  // a header without name and time
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Deflate() { deflateEnd(&stream); }
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;
  z_stream stream{};
};

}  // namespace

std::string gzipped(std::string_view bytes) {
  constexpr std::size_t kPiece = 1U << 30U;  // zlib counts in 32 bits
  Deflate deflater;
  std::string packed;
  std::string chunk(64 * 1024, '\0');
  do {
    const std::string_view piece = bytes.substr(0, kPiece);
    bytes.remove_prefix(piece.size());
    deflater.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));  // zlib does not write there
    deflater.stream.avail_in = static_cast<uInt>(piece.size());
    do {
      deflater.stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
      deflater.stream.avail_out = static_cast<uInt>(chunk.size());
      deflate(&deflater.stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
      packed.append(chunk, 0, chunk.size() - deflater.stream.avail_out);
    } while (deflater.stream.avail_out == 0);
  } while (!bytes.empty());
  return packed;
}

std::string zstd_compressed(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
  if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  if (ZSTD_isError(size) != 0U) throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

}  // namespace seqpoint::fuzz
