/// \file
/// Looking at many bytes at once. SSE2 is part of every x86-64; elsewhere the same is done byte by byte.
///
/// All of this reads past what it is asked for: text must be followed by bytes that can be read, as Block::kPadding says.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace seqpoint {

/// Whether a JSON number may have it.
constexpr bool is_number_character(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

#if defined(__SSE2__)

namespace scan {

constexpr std::size_t kStep = 16;

inline __m128i load(const char* text) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text)); }
inline std::uint32_t bits(__m128i bytes) { return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)); }
/// 0 where a byte ends the plain part of a JSON string: a quote, a backslash, a control character. The quote is 0x22, so
/// with one bit turned it and the control characters are what is not above 0x20.
inline __m128i not_special(__m128i bytes) {
  const __m128i quote_or_control = _mm_subs_epu8(_mm_xor_si128(bytes, _mm_set1_epi8('"' ^ 0x20)), _mm_set1_epi8(0x20));
  return _mm_min_epu8(quote_or_control, _mm_xor_si128(bytes, _mm_set1_epi8('\\')));
}
inline std::uint32_t zeros(__m128i bytes) { return bits(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())); }
/// What a JSON number may consist of.
inline __m128i number_characters(__m128i bytes) {
  const __m128i above_nine = _mm_subs_epu8(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), _mm_set1_epi8(9));
  const __m128i digits = _mm_cmpeq_epi8(above_nine, _mm_setzero_si128());
  const __m128i dots = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'));
  const __m128i signs = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('-')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('+')));
  const __m128i exponents = _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8('e' ^ 'E')), _mm_set1_epi8('e'));
  return _mm_or_si128(_mm_or_si128(digits, dots), _mm_or_si128(signs, exponents));
}

}  // namespace scan

/// Whether any byte was above 127.
class HighBits {
 public:
  void add(__m128i bytes) { bytes_ = _mm_or_si128(bytes_, bytes); }
  void add(char byte) { add(_mm_set1_epi8(byte)); }
  bool any() const { return scan::bits(bytes_) != 0; }

 private:
  __m128i bytes_ = _mm_setzero_si128();
};

/// Whether `text` begins with the `size` bytes of `fixed`, behind which 15 more can be read. No byte of `text` is read that
/// is 16 bytes or more behind one that differs.
inline bool begins_with(const char* text, const char* fixed, std::size_t size) {
  for (; size > scan::kStep; size -= scan::kStep, text += scan::kStep, fixed += scan::kStep)
    if (scan::bits(_mm_cmpeq_epi8(scan::load(text), scan::load(fixed))) != 0xffff) return false;
  const std::uint32_t differing = ~scan::bits(_mm_cmpeq_epi8(scan::load(text), scan::load(fixed)));
  return (differing & ((1U << size) - 1)) == 0;
}

/// The first quote, backslash or control character. `high` gets the high bits of some bytes: of those before it and of up to
/// 31 from there on.
[[gnu::always_inline]] inline const char* end_of_plain_text(const char* text, HighBits& high) {
  for (;; text += 2 * scan::kStep) {
    const __m128i first = scan::load(text), second = scan::load(text + scan::kStep);
    high.add(_mm_or_si128(first, second));
    const __m128i rest = scan::not_special(first), more = scan::not_special(second);
    if (scan::zeros(_mm_min_epu8(rest, more)) == 0) continue;
    return text + std::countr_zero(scan::zeros(rest) | scan::zeros(more) << scan::kStep);
  }
}

/// The first character that no number has.
inline const char* end_of_number(const char* text) {
  for (;; text += scan::kStep) {
    const std::uint32_t others = scan::bits(scan::number_characters(scan::load(text))) ^ 0xffffU;
    if (others != 0) return text + std::countr_zero(others);
  }
}

#else

inline bool begins_with(const char* text, const char* fixed, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    if (text[i] != fixed[i]) return false;
  return true;
}

class HighBits {
 public:
  void add(char byte) { bits_ |= static_cast<unsigned char>(byte); }
  bool any() const { return bits_ >= 0x80; }

 private:
  unsigned bits_ = 0;
};

inline const char* end_of_plain_text(const char* text, HighBits& high) {
  for (; *text != '"' && *text != '\\' && static_cast<unsigned char>(*text) >= 0x20; ++text) high.add(*text);
  return text;
}

inline const char* end_of_number(const char* text) {
  while (is_number_character(*text)) ++text;
  return text;
}

#endif

}  // namespace seqpoint
