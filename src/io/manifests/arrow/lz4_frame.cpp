#include "io/manifests/arrow/lz4_frame.hpp"

#include "io/manifests/engine/binary.hpp"

namespace seqpoint::io::manifests::arrow {
namespace {

struct Damage {};

/// Bytes that are taken off one after the other.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) throw Damage();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  template <class T>
  T number() {
    return engine::decode<T>(take(sizeof(T)).data());
  }
  /// Half a byte, which goes on in further bytes where all its bits are set.
  std::size_t length(unsigned nibble) {
    std::size_t length = nibble;
    if (nibble != 15) return length;
    for (std::uint8_t more = 255; more == 255; length += more) more = number<std::uint8_t>();
    return length;
  }

 private:
  std::string_view rest_;
};

/// Literals and matches by turns; a match repeats what is `distance` bytes back, which may be itself. Blocks of a frame
/// may refer to those before them.
void unpack_block(Bytes block, std::uint64_t most, std::string& plain) {
  constexpr unsigned kShortestMatch = 4;
  while (!block.empty()) {
    const auto token = block.number<std::uint8_t>();
    plain += block.take(block.length(token >> 4U));
    if (block.empty()) return;
    const auto distance = block.number<std::uint16_t>();
    const std::size_t length = block.length(token & 15U) + kShortestMatch;
    if (distance == 0 || distance > plain.size() || plain.size() + length > most) throw Damage();
    for (std::size_t i = 0; i < length; ++i) plain += plain[plain.size() - distance];
  }
}

std::string unpack(Bytes frame, std::uint64_t size) {
  constexpr std::uint32_t kMagic = 0x184d2204, kStoredPlain = 0x80000000;
  constexpr unsigned kVersion = 0xc0, kVersion1 = 0x40, kBlockChecksums = 0x10, kContentSize = 8, kDictionary = 1;
  if (frame.number<std::uint32_t>() != kMagic) throw Damage();
  const auto flags = frame.number<std::uint8_t>();
  if ((flags & kVersion) != kVersion1 || (flags & kDictionary) != 0) throw Damage();
  frame.take(1);  // how large a block may be
  if ((flags & kContentSize) != 0) frame.take(sizeof(std::uint64_t));
  frame.take(1);  // the header's checksum
  std::string plain;
  while (const auto block = frame.number<std::uint32_t>()) {
    const std::string_view bytes = frame.take(block & ~kStoredPlain);
    (block & kStoredPlain) != 0 ? void(plain += bytes) : unpack_block(Bytes(bytes), size, plain);
    if ((flags & kBlockChecksums) != 0) frame.take(sizeof(std::uint32_t));
  }
  if (plain.size() != size) throw Damage();
  return plain;
}

}  // namespace

std::optional<std::string> unpack_lz4_frame(std::string_view frame, std::uint64_t size) try {
  return unpack(Bytes(frame), size);
} catch (const Damage&) {
  return std::nullopt;
}

}  // namespace seqpoint::io::manifests::arrow
