// NumPy's Generator over PCG64 (numpy/random: bit_generator.pyx, src/pcg64/pcg64.h, src/distributions/distributions.c).
#include <bit>

#include "core/rng/rng.hpp"

namespace seqpoint::rng {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kPool = 4;  // 32-bit words
constexpr unsigned kShift = 16;

Wide wide(const std::array<std::uint64_t, 2>& halves) { return (Wide{halves[1]} << 64U) | halves[0]; }
std::array<std::uint64_t, 2> halves(Wide number) {
  return {static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(number >> 64U)};
}

/// SeedSequence's hash, whose constant changes with every use.
class SeedHash {
 public:
  SeedHash(std::uint32_t first, std::uint32_t factor) : constant_(first), factor_(factor) {}
  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= factor_;
    value *= constant_;
    return value ^ (value >> kShift);
  }

 private:
  std::uint32_t constant_, factor_;
};

/// SeedSequence(seed).generate_state(4, uint64): four numbers, each of two words, the low one first.
std::array<std::uint64_t, 4> seed_state(std::uint64_t seed) {
  constexpr std::uint32_t kMixLeft = 0xCA01F9DDU, kMixRight = 0x4973F715U;
  std::array<std::uint32_t, kPool> pool{};
  SeedHash mixed(0x43B0D7E5U, 0x931E8875U);
  for (std::size_t i = 0; i < kPool; ++i) {
    pool[i] = mixed(static_cast<std::uint32_t>(seed));
    seed >>= 32U;
  }
  for (std::size_t from = 0; from < kPool; ++from)
    for (std::size_t to = 0; to < kPool; ++to) {
      if (from == to) continue;
      const std::uint32_t word = kMixLeft * pool[to] - kMixRight * mixed(pool[from]);
      pool[to] = word ^ (word >> kShift);
    }
  std::array<std::uint64_t, 4> state{};
  SeedHash drawn(0x8B51F9DDU, 0x58F38DEDU);
  for (std::size_t word = 0; word < 2 * state.size(); ++word)
    state[word / 2] |= std::uint64_t{drawn(pool[word % kPool])} << (word % 2 == 0 ? 0U : 32U);
  return state;
}

Wide stepped(Wide state, Wide increment) {
  constexpr Wide kMultiplier = (Wide{0x2360ED051FC65DA4U} << 64U) | 0x4385DF649FCCF645U;
  return state * kMultiplier + increment;
}

}  // namespace

NumpyGenerator::NumpyGenerator(std::uint64_t seed) {
  const std::array<std::uint64_t, 4> state = seed_state(seed);
  const Wide increment = (wide({state[3], state[2]}) << 1U) | 1U;
  increment_ = halves(increment);
  state_ = halves(stepped(increment + wide({state[1], state[0]}), increment));
}

std::uint64_t NumpyGenerator::raw64() {
  state_ = halves(stepped(wide(state_), wide(increment_)));
  return std::rotr(state_[1] ^ state_[0], static_cast<int>(state_[1] >> 58U));
}

std::uint32_t NumpyGenerator::raw() {
  waits_ = !waits_;
  if (!waits_) return waiting_;
  const std::uint64_t both = raw64();
  waiting_ = static_cast<std::uint32_t>(both >> 32U);
  return static_cast<std::uint32_t>(both);
}

std::uint64_t NumpyGenerator::interval(std::uint64_t max) {
  if (max == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> static_cast<unsigned>(std::countl_zero(max));
  std::uint64_t value = 0;
  do value = mask & (max > 0xFFFFFFFFU ? raw64() : raw());
  while (value > max);
  return value;
}

std::uint64_t NumpyGenerator::integers(std::uint64_t low, std::uint64_t high) {
  const auto values = static_cast<std::uint32_t>(high - low);
  if (values == 1) return low;
  std::uint64_t product = std::uint64_t{raw()} * values;
  const std::uint32_t rejected = (0U - values) % values;
  while (static_cast<std::uint32_t>(product) < rejected) product = std::uint64_t{raw()} * values;
  return low + (product >> 32U);
}

}  // namespace seqpoint::rng
