/// \file
/// JSON text scanned with SIMD instructions if the processor has them, with the same results as byte by byte. For
/// the millions of lines of manifests; json_scan.hpp is for anything else.
///
/// All functions may read past the end of the text: Block::kPadding more bytes must be readable.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace seqpoint::io::json {

/// The end of the plain part of a JSON string: a quote, a backslash or a control character.
struct PlainText {
  const char* end = nullptr;
  /// No byte before the end is above 127. May also be false because of one of the 64 bytes after it.
  bool ascii = true;
};
/// Finds the first quote, backslash or control character from `text` on. The text needs one: there is no other end.
using FindPlainTextEnd = PlainText (*)(const char* text);

/// Every implementation of FindPlainTextEnd that this processor can execute, the fastest first. SSE2 is part of every
/// x86-64; the last one, byte by byte, runs on any processor.
std::vector<FindPlainTextEnd> plain_text_functions();
/// The first of plain_text_functions().
extern const FindPlainTextEnd end_of_plain_text;

/// Whether a JSON number may contain the character.
constexpr bool is_number_character(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

#if defined(__SSE2__)

namespace sse2 {

constexpr std::size_t kStep = 16;

/// Loads 16 bytes from any address.
inline __m128i load(const char* text) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text)); }
/// Bit i: the highest bit of byte i.
inline std::uint32_t bits(__m128i bytes) { return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)); }

/// 0xff for every byte that is_number_character() accepts, 0 for every other.
inline __m128i number_characters(__m128i bytes) {
  const __m128i above_nine = _mm_subs_epu8(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), _mm_set1_epi8(9));
  const __m128i digits = _mm_cmpeq_epi8(above_nine, _mm_setzero_si128());
  const __m128i dots = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'));
  const __m128i signs =
      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('-')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('+')));
  const __m128i exponents = _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8('e' ^ 'E')), _mm_set1_epi8('e'));
  return _mm_or_si128(_mm_or_si128(digits, dots), _mm_or_si128(signs, exponents));
}

}  // namespace sse2

/// Whether `text` begins with the first `size` bytes of `fixed`. Up to 16 bytes after either may be read; no byte of
/// `text` is read that is 16 bytes or more after a difference.
inline bool begins_with(const char* text, const char* fixed, std::size_t size) {
  for (; size > sse2::kStep; size -= sse2::kStep, text += sse2::kStep, fixed += sse2::kStep)
    if (sse2::bits(_mm_cmpeq_epi8(sse2::load(text), sse2::load(fixed))) != 0xffff) return false;
  const std::uint32_t differing = ~sse2::bits(_mm_cmpeq_epi8(sse2::load(text), sse2::load(fixed)));
  return (differing & ((1U << size) - 1)) == 0;
}

/// The first character from `text` on that is_number_character() rejects; `text` if no number begins there.
inline const char* end_of_number(const char* text) {
  for (;; text += sse2::kStep) {
    const std::uint32_t others = sse2::bits(sse2::number_characters(sse2::load(text))) ^ 0xffffU;
    if (others != 0) return text + std::countr_zero(others);
  }
}

#else

/// The same without SSE2, one byte at a time.
inline bool begins_with(const char* text, const char* fixed, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    if (text[i] != fixed[i]) return false;
  return true;
}

/// The same without SSE2, one byte at a time.
inline const char* end_of_number(const char* text) {
  while (is_number_character(*text)) ++text;
  return text;
}

#endif

}  // namespace seqpoint::io::json
