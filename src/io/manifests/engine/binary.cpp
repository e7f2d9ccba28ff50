#include "io/manifests/engine/binary.hpp"

#include <fmt/core.h>

namespace seqpoint::io::manifests::engine {

bool BinaryReader::refill() {
  used_ = 0;
  filled_ = input_.read(buffer_.data(), buffer_.size());
  return filled_ > 0;
}

/// Copies the next `size` bytes to `to`. Throws InputError if the input ends before. Small parts are buffered: each
/// read of the input is a system call.
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
    if (got == 0) fail(fmt::format("ends after {} bytes, within {}", position_, section_));
    to += got;
    size -= got;
    position_ += got;
  }
}

bool BinaryReader::at_end() { return used_ == filled_ && !refill(); }

void BinaryReader::expect_end() {
  if (!at_end()) fail(fmt::format("goes on behind its end, which is after {} bytes", position_));
}

void BinaryReader::fail(const std::string& problem) const {
  throw InputError({input_.name()}, fmt::format("is {} that {}", what_, problem),
                   "copy it again if it is damaged; or leave out --format: contents show it better");
}

}  // namespace seqpoint::io::manifests::engine
