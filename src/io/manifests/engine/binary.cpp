#include "io/manifests/engine/binary.hpp"

#include <fmt/core.h>

namespace seqpoint::io::manifests::engine {

void BinaryReader::fill(char* to, std::size_t size) {
  if (has_lookahead_ && size > 0) {
    *to++ = lookahead_;
    has_lookahead_ = false;
    ++position_;
    --size;
  }
  while (size > 0) {
    const std::size_t got = input_.read(to, size);
    if (got == 0) fail(fmt::format("ends after {} bytes, within {}", position_, section_));
    to += got;
    size -= got;
    position_ += got;
  }
}

void BinaryReader::skip(std::uint64_t size) {
  for (std::uint64_t some = 0; size > 0; size -= some) {
    some = std::min<std::uint64_t>(size, kChunkSize);
    fill(chunk_.data(), static_cast<std::size_t>(some));
  }
}

bool BinaryReader::at_end() {
  if (!has_lookahead_) has_lookahead_ = input_.read(&lookahead_, 1) == 1;
  return !has_lookahead_;
}

void BinaryReader::expect_end() {
  if (!at_end()) fail(fmt::format("goes on behind its end, which is after {} bytes", position_));
}

void BinaryReader::fail(const std::string& problem) const {
  throw InputError({input_.name()}, fmt::format("is {} that {}", what_, problem),
                   "is it whole and undamaged? copy it again; and leave out --format, which contents tell better");
}

}  // namespace seqpoint::io::manifests::engine
