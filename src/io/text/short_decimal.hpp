/// \file
/// A fast path for the usual form of lengths: up to eight digits, perhaps with a point.
#pragma once

#include <array>
#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace seqpoint::io::text {

namespace eight {

/// The same byte eight times.
constexpr std::uint64_t repeat_byte(std::uint64_t byte) { return byte * 0x0101010101010101U; }

/// The first `sizeof(Word)` bytes of the text as an unsigned number in the byte order of the machine.
template <class Word>
std::uint64_t load(const char* text) {
  Word word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

/// Up to eight characters, the first in the lowest byte, the others 0. Little-endian machines.
inline std::uint64_t load_characters(std::string_view text) {
  const std::size_t size = text.size();
  if (size >= 4)
    return load<std::uint32_t>(text.data()) | load<std::uint32_t>(text.data() + size - 4) << (8 * (size - 4));
  std::uint64_t word = 0;
  for (std::size_t i = size; i > 0; --i) word = word << 8U | static_cast<unsigned char>(text[i - 1]);
  return word;
}

/// A mask with the high bit of every byte that is equal to `c`. All bytes must be below 128.
constexpr std::uint64_t equal_mask(std::uint64_t word, char c) {
  return ~((word ^ repeat_byte(static_cast<unsigned char>(c))) + repeat_byte(0x7f)) & repeat_byte(0x80);
}

/// Whether all bytes are digits.
constexpr bool are_digits(std::uint64_t word) {
  const std::uint64_t above_nine = (word + repeat_byte(6)) & repeat_byte(0xf0);
  return ((word & repeat_byte(0xf0)) | above_nine >> 4U) == repeat_byte(0x33);
}

/// The value of eight decimal digits in ASCII, the first (most significant) in the lowest byte. Neighbours become
/// pairs, pairs fours, fours the whole.
constexpr std::uint64_t number(std::uint64_t digits) {
  digits = (digits & repeat_byte(0x0f)) * (1 + (10U << 8U)) >> 8U;
  digits = (digits & 0x00ff00ff00ff00ffU) * (1 + (100U << 16U)) >> 16U;
  return (digits & 0x0000ffff0000ffffU) * (1 + (std::uint64_t{10000} << 32U)) >> 32U;
}

}  // namespace eight

/// The value of up to eight characters that are digits, with a point between two of them or without one; nothing for
/// any other text. Whole numbers below 2^53 and powers of ten up to 10^22 are doubles, so one division rounds once, as
/// required (W. D. Clinger, How to read floating point numbers accurately, 1990), unless a processor divides with more
/// digits than a double has.
inline std::optional<double> short_decimal(std::string_view text) {
  static constexpr std::array kPowers{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  if (FLT_EVAL_METHOD != 0 || std::endian::native != std::endian::little || text.empty() || text.size() > 8)
    return std::nullopt;
  std::uint64_t word = eight::load_characters(text);
  if ((word & eight::repeat_byte(0x80)) != 0) return std::nullopt;
  std::size_t digits = text.size(), decimals = 0;
  if (const std::uint64_t points = eight::equal_mask(word, '.'); points != 0) {
    const unsigned before = static_cast<unsigned>(std::countr_zero(points)) / 8;
    decimals = --digits - before;
    if (before == 0 || decimals == 0) return std::nullopt;
    const std::uint64_t whole = (std::uint64_t{1} << (8 * before)) - 1;
    word = (word & whole) | (word >> 8U & ~whole);  // closes the gap between the digits
  }
  // leading zeros make it eight digits
  word = word << (8 * (8 - digits)) | (digits < 8 ? eight::repeat_byte('0') >> (8 * digits) : 0);
  if (!eight::are_digits(word)) return std::nullopt;
  return static_cast<double>(static_cast<std::int64_t>(eight::number(word))) / kPowers[decimals];
}

}  // namespace seqpoint::io::text
