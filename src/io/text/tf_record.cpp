#include "io/text/tf_record.hpp"

#include <bit>

namespace seqpoint::io::text {
namespace {

constexpr std::size_t kSize = 8, kChecksum = 4;

/// Bit by bit, which is fast enough for scalars.
std::uint32_t crc32c(std::string_view bytes) {
  constexpr std::uint32_t kPolynomial = 0x82f63b78;
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? kPolynomial : 0);
  }
  return ~crc;
}

}  // namespace

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

std::uint32_t masked_checksum(std::string_view bytes) {
  constexpr std::uint32_t kMask = 0xa282ead8;
  return std::rotr(crc32c(bytes), 15) + kMask;
}

TfRecord first_record(std::string_view text) {
  constexpr std::size_t kHead = kSize + kChecksum, kFrame = kHead + kChecksum;
  if (text.size() < kFrame || little_endian(text, kSize) != masked_checksum(text.substr(0, kSize)))
    return {{}, text.size(), RecordFault::cut};
  const std::uint64_t size = little_endian(text, 0, kSize);
  if (size > text.size() - kFrame) return {{}, text.size(), RecordFault::cut};
  const std::string_view bytes = text.substr(kHead, size);
  const bool whole = little_endian(text, kHead + size) == masked_checksum(bytes);
  return {bytes, kFrame + size, whole ? RecordFault::none : RecordFault::damaged};
}

bool is_event_file(std::string_view head) {
  return first_record(head).bytes.find("brain.Event:") != std::string_view::npos;
}

}  // namespace seqpoint::io::text
