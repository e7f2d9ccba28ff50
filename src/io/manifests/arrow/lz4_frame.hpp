/// \file
/// LZ4 frames, as Arrow's writers compress buffers (lz4_Frame_format.md and lz4_Block_format.md of the lz4 project).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seqpoint::io::manifests::arrow {

/// The `size` bytes that a frame holds; nothing where it is damaged, or holds another number. Checksums are not
/// compared: what is counted from the bytes is checked on its own.
std::optional<std::string> unpack_lz4_frame(std::string_view frame, std::uint64_t size);

}  // namespace seqpoint::io::manifests::arrow
