/// \file
/// SHA-256 (FIPS 180-4) of a text, for the digests of whole epochs in tests/vectors/realdata.json.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace seqpoint::testing {

/// The first 32 bits behind the point of the square (or cube) roots of the first primes; long double has 64.
inline std::vector<std::uint32_t> root_fractions(std::size_t count, bool cubic) {
  std::vector<std::uint32_t> words;
  for (unsigned n = 2; words.size() < count; ++n) {
    bool prime = true;
    for (unsigned d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (!prime) continue;
    const long double root = cubic ? std::cbrt(static_cast<long double>(n)) : std::sqrt(static_cast<long double>(n));
    words.push_back(static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L));
  }
  return words;
}

inline void add_block(const std::uint8_t* block, std::vector<std::uint32_t>& hash) {
  static const std::vector<std::uint32_t> constants = root_fractions(64, true);
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 64; ++i) w[i / 4] = (w[i / 4] << 8U) | block[i];
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3U);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10U);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  std::vector<std::uint32_t> v = hash;  // a, b, ..., h
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
    const std::uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[t] + w[t];
    const std::uint32_t s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
    const std::uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    v = {t1 + t2, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
  }
  for (std::size_t i = 0; i < 8; ++i) hash[i] += v[i];
}

/// 64 hexadecimal digits.
inline std::string sha256(std::string text) {
  std::vector<std::uint32_t> hash = root_fractions(8, false);
  const std::uint64_t bits = text.size() * 8;
  text += '\x80';
  while (text.size() % 64 != 56) text += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(bits >> static_cast<unsigned>(shift));
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  for (std::size_t i = 0; i < bytes.size(); i += 64) add_block(bytes.data() + i, hash);
  std::string digits;
  for (const std::uint32_t word : hash)
    for (int shift = 28; shift >= 0; shift -= 4)
      digits += "0123456789abcdef"[(word >> static_cast<unsigned>(shift)) & 15U];
  return digits;
}

/// Of decimal numbers joined by commas, as the vectors' digests are.
inline std::string sha256_of(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return sha256(text);
}

}  // namespace seqpoint::testing
