/// \file
/// Reads a manifest from memory, and writes the bytes of binary ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"
#include "seqpoint/error.hpp"
#include "unit/reading.hpp"

namespace seqpoint::testing {

inline io::manifests::Dataset read_memory(std::string_view bytes, const io::manifests::ReadOptions& options = {}) {
  std::vector<io::stream::Input> inputs;
  inputs.push_back(io::stream::Input::from_memory("input", bytes));
  return io::manifests::read_dataset(std::move(inputs), {}, options);
}

inline std::vector<std::uint32_t> lengths_of(std::string_view bytes, const io::manifests::ReadOptions& options = {}) {
  return read_memory(bytes, options).lengths.src;
}

inline std::string format_of(std::string_view bytes) { return read_memory(bytes).inputs.front().format; }

inline io::manifests::ReadOptions with_field(const std::string& src, const std::string& tgt = {}) {
  io::manifests::ReadOptions options;
  options.length_field = src;
  options.tgt_length_field = tgt;
  return options;
}

/// Every problem and the hint of the error that reading ends with; empty if it ends well.
inline std::string error_of(std::string_view bytes, const io::manifests::ReadOptions& options = {}) {
  try {
    read_memory(bytes, options);
    return {};
  } catch (const InputError& error) {
    std::string text;
    for (const Problem& problem : error.problems()) text += problem.message() + "\n";
    return text + error.hint();
  } catch (const UsageError& error) {
    return std::string("usage: ") + error.what();
  }
}

/// Appends a number of `size` bytes, little-endian.
inline void put(std::string& bytes, std::uint64_t number, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(number >> (8 * i) & 255U);
}

inline const std::string kIndexMagic{"MMIDIDX\0\0", 9};

/// Sizes and the pointers that follow from them, for tokens of `width` bytes.
inline void put_sizes(std::string& bytes, const std::vector<std::uint32_t>& sizes, std::uint64_t width) {
  for (const std::uint32_t size : sizes) put(bytes, size, 4);
  std::uint64_t pointer = 0;
  for (const std::uint32_t size : sizes) {
    put(bytes, pointer, 8);
    pointer += size * width;
  }
}

/// A fairseq index: magic, version, data type, n, sizes, pointers.
inline std::string fairseq_index(const std::vector<std::uint32_t>& sizes, std::uint8_t data_type = 4,
                                 std::uint64_t width = 4) {
  std::string bytes = kIndexMagic;
  put(bytes, 1, 8);
  put(bytes, data_type, 1);
  put(bytes, sizes.size(), 8);
  put_sizes(bytes, sizes, width);
  return bytes;
}

/// A Megatron-LM index: magic, version, data type, n, documents + 1, sizes, pointers, where documents begin.
inline std::string megatron_index(const std::vector<std::uint32_t>& sizes, const std::vector<std::uint64_t>& documents,
                                  std::uint8_t data_type = 8, std::uint64_t width = 2) {
  std::string bytes = kIndexMagic;
  put(bytes, 1, 8);
  put(bytes, data_type, 1);
  put(bytes, sizes.size(), 8);
  put(bytes, documents.size(), 8);
  put_sizes(bytes, sizes, width);
  for (const std::uint64_t document : documents) put(bytes, document, 8);
  return bytes;
}

/// A legacy fairseq index of one-dimensional items.
inline std::string legacy_index(const std::vector<std::uint64_t>& sizes) {
  std::string bytes("TNTIDX\0\0", 8);
  for (const std::uint64_t field : {std::uint64_t{1}, std::uint64_t{4}, std::uint64_t{4}}) put(bytes, field, 8);
  put(bytes, sizes.size(), 8);
  put(bytes, sizes.size(), 8);
  for (std::uint64_t i = 0; i <= sizes.size(); ++i) put(bytes, i, 8);
  std::uint64_t offset = 0;
  put(bytes, offset, 8);
  for (const std::uint64_t size : sizes) put(bytes, offset += size, 8);
  for (const std::uint64_t size : sizes) put(bytes, size, 8);
  return bytes;
}

}  // namespace seqpoint::testing
