/// \file
/// TensorFlow's framing of records (tensorflow/core/lib/io/record_writer.h): a size of eight bytes and its masked
/// checksum, then the bytes and theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace seqpoint::io::text {

/// The number in the `size` bytes of the text from `at` on.
std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size = 4);

/// CRC-32C, masked.
std::uint32_t masked_checksum(std::string_view bytes);

enum class RecordFault : std::uint8_t { none, damaged, cut };

struct TfRecord {
  std::string_view bytes;  ///< content of a record that is not cut
  std::size_t size = 0;    ///< size including its frame
  RecordFault fault = RecordFault::none;
};

/// The record at the beginning of a text. `cut` if the text ends before the record, or its size is damaged.
TfRecord first_record(std::string_view text);

/// Whether a file with this beginning contains events for TensorBoard, whose first event has the version
/// (tensorflow/core/util/events_writer.cc).
bool is_event_file(std::string_view head);

}  // namespace seqpoint::io::text
