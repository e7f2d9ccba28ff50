#include "io/manifests/engine/binary.hpp"

#include <fmt/core.h>

namespace seqpoint::io::manifests::engine {

bool BinaryReader::refill() {
  used_ = 0;
  filled_ = input_.read(buffer_.data(), buffer_.size());
  return filled_ > 0;
}

/// Small parts come out of a buffer: a read of the input is a system call.
void BinaryReader::fill(char* to, std::size_t size) {
  while (size > 0) {
    std::size_t got = 0;
    if (used_ == filled_ && size >= buffer_.size()) {
      got = input_.read(to, size);
    } else if (used_ < filled_ || refill()) {
      got = std::min(size, filled_ - used_);
      std::copy_n(buffer_.data() + used_, got, to);
      used_ += got;
    }
    if (got == 0) fail(fmt::format("ends after {} bytes, within {}", position_, section()));
    to += got;
    size -= got;
    position_ += got;
  }
}

void BinaryReader::skip(std::uint64_t size) {
  for (std::uint64_t left = size; left > 0;) {
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left, chunk_.size()));
    fill(chunk_.data(), some);
    left -= some;
  }
}

bool BinaryReader::at_end() { return used_ == filled_ && !refill(); }

void BinaryReader::expect_end() {
  if (!at_end()) fail(fmt::format("goes on behind its end, which is after {} bytes", position_));
}

void BinaryReader::fail(const std::string& problem) const {
  throw InputError({input_.name()}, fmt::format("is {} that {}", what_, problem),
                   "is it whole and undamaged? copy it again; and leave out --format, which contents tell better");
}

}  // namespace seqpoint::io::manifests::engine
