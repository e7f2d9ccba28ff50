// How PyTorch, NumPy and CPython draw numbers from MT19937.
#include <algorithm>
#include <bit>
#include <numeric>

#include "core/rng/rng.hpp"

namespace seqpoint::rng {
namespace {

/// The numbers 0 to n - 1, ascending.
std::vector<std::uint32_t> ascending(std::uint32_t n) {
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

/// The 32-bit digits of a seed, the lowest first: one for a seed below 2^32 (also for 0), else two.
std::vector<std::uint32_t> digits_of(std::uint64_t seed) {
  std::vector<std::uint32_t> digits{static_cast<std::uint32_t>(seed)};
  if ((seed >> 32U) != 0) digits.push_back(static_cast<std::uint32_t>(seed >> 32U));
  return digits;
}

}  // namespace

std::vector<std::uint32_t> TorchGenerator::permutation(std::uint32_t n, bool pytorch_2) {
  constexpr std::uint32_t kFirstLarge = 0xFFFFFFFFU / 20;  // TensorFactories.cpp of PyTorch 2
  if (pytorch_2 && n >= kFirstLarge) return inside_out_permutation(n);
  std::vector<std::uint32_t> rows = ascending(n);
  // Which places are swapped does not depend on their values: draws some ahead, and prefetches their memory.
  constexpr std::uint32_t kAhead = 64;
  std::array<std::uint32_t, kAhead> partner{};
  for (std::uint32_t begin = 0; begin + 1 < n; begin += kAhead) {
    const std::uint32_t end = std::min(n - 1, begin + std::min(kAhead, n - 1 - begin));
    for (std::uint32_t i = begin; i < end; ++i) {
      partner[i - begin] = i + random() % (n - i);
      __builtin_prefetch(&rows[partner[i - begin]], 1);  // to write
    }
    for (std::uint32_t i = begin; i < end; ++i) std::swap(rows[i], rows[partner[i - begin]]);
  }
  return rows;
}

std::vector<std::uint32_t> TorchGenerator::inside_out_permutation(std::uint32_t n) {
  std::vector<std::uint32_t> rows(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto z = static_cast<std::uint32_t>(random64() % (std::uint64_t{i} + 1));
    rows[i] = rows[z];
    rows[z] = i;
  }
  return rows;
}

std::uint64_t NumpyRandom::interval(std::uint64_t max) {
  if (max == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(max);
  const auto draw = [&]() -> std::uint64_t {
    if (max <= 0xFFFFFFFFU) return engine_();
    const std::uint64_t high = engine_();
    return (high << 32U) | engine_();
  };
  std::uint64_t value = draw() & mask;
  while (value > max) value = draw() & mask;
  return value;
}

PythonRandom::PythonRandom(std::uint64_t seed) : engine_(std::span<const std::uint32_t>(digits_of(seed))) {}

std::uint64_t PythonRandom::getrandbits(unsigned bits) {
  if (bits <= 32) return engine_() >> (32U - bits);
  const std::uint64_t low = engine_();
  const std::uint64_t high = engine_() >> (64U - bits);
  return low | (high << 32U);
}

std::uint64_t PythonRandom::randrange(std::uint64_t n) {
  const auto width = static_cast<unsigned>(std::bit_width(n));
  std::uint64_t value = getrandbits(width);
  while (value >= n) value = getrandbits(width);
  return value;
}

}  // namespace seqpoint::rng
