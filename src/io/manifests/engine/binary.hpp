/// \file
/// Numbers in binary files. Memory grows with the bytes that were read, never by a header's count alone, which
/// may be wrong.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests::engine {

/// The little-endian number in `bytes`.
template <class T>
T decode(const char* bytes) {
  std::array<char, sizeof(T)> native{};
  const bool reversed = std::endian::native != std::endian::little;
  for (std::size_t i = 0; i < sizeof(T); ++i) native[i] = bytes[reversed ? sizeof(T) - 1 - i : i];
  return std::bit_cast<T>(native);
}

/// Reads an input of known structure: InputError if it ends early or has bytes left over.
class BinaryReader {
 public:
  /// `what`: "an .npy file", for errors.
  BinaryReader(stream::Input& input, std::string what) : input_(input), what_(std::move(what)) {}

  /// Sets the name of the part to be read next, for errors.
  void begin_section(std::string name) { section_ = std::move(name); }

  /// The next `size` bytes.
  std::string read_bytes(std::uint64_t size) {
    std::string taken;
    while (taken.size() < size) {
      const std::size_t have = taken.size();
      taken.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size, have + kChunkSize)));
      fill(taken.data() + have, taken.size() - have);
    }
    return taken;
  }
  /// The next little-endian number.
  template <class T>
  T read_number() {
    std::array<char, sizeof(T)> stored{};
    fill(stored.data(), stored.size());
    return decode<T>(stored.data());
  }
  /// Calls take(i, number) for the next `count` numbers, i from 0.
  template <class T, class Take>
  void for_each_number(std::uint64_t count, Take take) {
    constexpr std::uint64_t kNumbers = kChunkSize / sizeof(T);
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t some = std::min(kNumbers, count - done);
      fill(chunk_.data(), static_cast<std::size_t>(some) * sizeof(T));
      for (std::uint64_t i = 0; i < some; ++i) take(done + i, decode<T>(chunk_.data() + i * sizeof(T)));
      done += some;
    }
  }
  /// The next `count` numbers.
  template <class T>
  std::vector<T> read_numbers(std::uint64_t count) {
    std::vector<T> numbers;
    // Growing temporarily takes twice the memory. The file contains no more numbers, whatever its header claims.
    numbers.reserve(static_cast<std::size_t>(std::min(count, input_.size().value_or(0) / sizeof(T))));
    for_each_number<T>(count, [&](std::uint64_t, T number) { numbers.push_back(number); });
    return numbers;
  }

  /// Whether all bytes were read.
  bool at_end();
  /// Throws InputError unless all bytes were read.
  void expect_end();
  /// Throws InputError; `problem` follows "is an .npy file that".
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  static constexpr std::size_t kChunkSize = 64 * 1024;

  /// Reads the next bytes into the buffer, all of which is used. False at the end of the input.
  bool refill();
  void fill(char* to, std::size_t size);

  stream::Input& input_;

  std::string what_, section_ = "the header";
  std::uint64_t position_ = 0;
  std::vector<char> chunk_ = std::vector<char>(kChunkSize), buffer_ = chunk_;
  std::size_t used_ = 0, filled_ = 0;  ///< positions in the buffer
};

}  // namespace seqpoint::io::manifests::engine
