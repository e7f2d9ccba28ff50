#include <algorithm>

#include "core/rng/rng.hpp"

namespace seqpoint::rng {
namespace {

/// The output for a word of the state.
std::uint32_t temper(std::uint32_t y) {
  y ^= y >> 11U;
  y ^= (y << 7U) & 0x9D2C5680U;
  y ^= (y << 15U) & 0xEFC60000U;
  return y ^ (y >> 18U);
}

}  // namespace

Mt19937::Mt19937(std::uint32_t seed) { seed_linear(seed); }

void Mt19937::seed_linear(std::uint32_t seed) {
  state_[0] = seed;
  for (std::uint32_t i = 1; i < kSize; ++i) state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30U)) + i;
  next_ = kSize;
}

Mt19937::Mt19937(std::span<const std::uint32_t> key) {
  seed_linear(19650218U);
  std::size_t i = 1;
  const auto advance = [&] {
    if (++i < kSize) return;
    state_[0] = state_[kSize - 1];
    i = 1;
  };
  const auto mixed = [&](std::uint32_t factor) {
    return state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30U)) * factor);
  };
  std::size_t j = 0;
  for (std::size_t round = std::max(kSize, key.size()); round > 0; --round) {
    state_[i] = mixed(1664525U) + key[j] + static_cast<std::uint32_t>(j);
    advance();
    if (++j == key.size()) j = 0;
  }
  for (std::size_t round = kSize - 1; round > 0; --round) {
    state_[i] = mixed(1566083941U) - static_cast<std::uint32_t>(i);
    advance();
  }
  state_[0] = 0x80000000U;
}

void Mt19937::refill() {
  constexpr std::size_t kShift = 397;
  const auto twist = [&](std::size_t i, std::size_t next, std::size_t far) {
    const std::uint32_t y = (state_[i] & 0x80000000U) | (state_[next] & 0x7FFFFFFFU);
    state_[i] = state_[far] ^ (y >> 1U) ^ ((y & 1U) * 0x9908B0DFU);
  };
  for (std::size_t i = 0; i < kSize - kShift; ++i) twist(i, i + 1, i + kShift);
  for (std::size_t i = kSize - kShift; i < kSize - 1; ++i) twist(i, i + 1, i + kShift - kSize);
  twist(kSize - 1, 0, kShift - 1);
  for (std::size_t i = 0; i < kSize; ++i) outputs_[i] = temper(state_[i]);
  next_ = 0;
}

void Mt19937::skip(std::uint64_t count) {
  while (count > 0) {
    if (next_ == kSize) refill();
    const std::uint64_t some = std::min<std::uint64_t>(count, kSize - next_);
    next_ += some;
    count -= some;
  }
}

}  // namespace seqpoint::rng
