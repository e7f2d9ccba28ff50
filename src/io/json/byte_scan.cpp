#include "io/json/byte_scan.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace seqpoint::io::json {
namespace {

/// FindPlainTextEnd for any processor, one byte at a time. `ascii` is exact.
PlainText find_by_bytes(const char* text) {
  bool ascii = true;
  for (;; ++text) {
    const auto byte = static_cast<unsigned char>(*text);
    if (byte == '"' || byte == '\\' || byte < 0x20) return {text, ascii};
    ascii = ascii && byte < 0x80;
  }
}

#if defined(__x86_64__)

// XOR with this turns a quote (0x22) into 0x20 and keeps control characters below it: the wanted bytes are then those
// that are not above 0x20.
constexpr char kQuoteToBlank = '"' ^ 0x20;

/// Maps quotes, backslashes and control characters (below 0x20) to 0, all other bytes to numbers above 0.
__m128i not_special(__m128i bytes) {
  const __m128i quote_or_control =
      _mm_subs_epu8(_mm_xor_si128(bytes, _mm_set1_epi8(kQuoteToBlank)), _mm_set1_epi8(0x20));
  return _mm_min_epu8(quote_or_control, _mm_xor_si128(bytes, _mm_set1_epi8('\\')));
}
/// Bit i: whether byte i is 0.
std::uint32_t zeros(__m128i bytes) { return sse2::bits(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())); }

/// FindPlainTextEnd with SSE2: two vectors of 16 bytes at a time.
PlainText find_by_16(const char* text) {
  __m128i all = _mm_setzero_si128();
  for (;; text += 2 * sse2::kStep) {
    const __m128i first = sse2::load(text), second = sse2::load(text + sse2::kStep);
    all = _mm_or_si128(all, _mm_or_si128(first, second));
    const std::uint32_t ends = zeros(not_special(first)) | zeros(not_special(second)) << sse2::kStep;
    if (ends != 0) return {text + std::countr_zero(ends), sse2::bits(all) == 0};
  }
}

// Only these functions are compiled for AVX2, so that the rest of the program runs on any x86-64.

/// Loads 32 bytes from any address.
[[gnu::target("avx2,bmi")]] __m256i load_32(const char* text) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
}
/// Bit i: the highest bit of byte i.
[[gnu::target("avx2,bmi")]] std::uint64_t bits(__m256i bytes) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}
/// Bit i: whether byte i is a quote, a backslash or a control character.
[[gnu::target("avx2,bmi")]] std::uint64_t string_end_mask(__m256i bytes) {
  const __m256i quote_or_control =
      _mm256_subs_epu8(_mm256_xor_si256(bytes, _mm256_set1_epi8(kQuoteToBlank)), _mm256_set1_epi8(0x20));
  const __m256i not_special = _mm256_min_epu8(quote_or_control, _mm256_xor_si256(bytes, _mm256_set1_epi8('\\')));
  return bits(_mm256_cmpeq_epi8(not_special, _mm256_setzero_si256()));
}

/// FindPlainTextEnd with AVX2: two vectors of 32 bytes at a time.
[[gnu::target("avx2,bmi")]] PlainText find_by_32(const char* text) {
  constexpr unsigned kStep = 32;
  __m256i all = _mm256_setzero_si256();
  for (;; text += 2 * kStep) {
    const __m256i first = load_32(text), second = load_32(text + kStep);
    all = _mm256_or_si256(all, _mm256_or_si256(first, second));
    const std::uint64_t ends = string_end_mask(first) | string_end_mask(second) << kStep;
    if (ends != 0) return {text + __builtin_ctzll(ends), bits(all) == 0};
  }
}

#endif

}  // namespace

std::vector<FindPlainTextEnd> plain_text_functions() {
  std::vector<FindPlainTextEnd> functions;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0) functions.push_back(find_by_32);
  functions.push_back(find_by_16);
#endif
  functions.push_back(find_by_bytes);
  return functions;
}

const FindPlainTextEnd end_of_plain_text = plain_text_functions().front();

}  // namespace seqpoint::io::json
