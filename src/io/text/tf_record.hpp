/// \file
/// How TensorFlow frames records (tensorflow/core/lib/io/record_writer.h): a size of eight bytes and its masked
/// checksum, then the bytes and theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace seqpoint::io::text {

/// The number in `size` bytes, which the text has from `at` on.
std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size = 4);

/// CRC-32C, masked.
std::uint32_t masked_checksum(std::string_view bytes);

enum class RecordFault : std::uint8_t { none, damaged, cut };

struct TfRecord {
  std::string_view bytes;  ///< of a record that is not cut
  std::size_t size = 0;    ///< with its frame
  RecordFault fault = RecordFault::none;
};

/// The record that a text begins with. `cut` where the text ends before it does, or its size is damaged.
TfRecord first_record(std::string_view text);

/// Whether a file that begins so is of events for TensorBoard, whose first says the version
/// (tensorflow/core/util/events_writer.cc).
bool is_event_file(std::string_view head);

}  // namespace seqpoint::io::text
