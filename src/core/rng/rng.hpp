/// \file
/// The random generators of PyTorch, NumPy and CPython, draw for draw. All of them are MT19937 (Matsumoto and
/// Nishimura 1998); they differ in how a seed fills the state and how a number is drawn from its 32-bit outputs.
/// Checked against the vectors in tests/vectors/rng.json, which the frameworks themselves produced.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace seqpoint::rng {

/// MT19937 with both of its published seedings. Same stream as std::mt19937 for the same state.
class Mt19937 {
 public:
  /// Knuth's linear initialisation, used by std::mt19937, torch.manual_seed and numpy.random.seed.
  explicit Mt19937(std::uint32_t seed);
  /// init_by_array, used by CPython's random.seed and by NumPy's array seeds. `key` is not empty.
  explicit Mt19937(std::span<const std::uint32_t> key);

  /// The next output: uniform in [0, 2^32).
  std::uint32_t operator()() {
    if (next_ == kSize) refill();
    return outputs_[next_++];
  }

  /// The next outputs, at least one, up to the next change of the state; they are not discarded: skip() does that.
  std::span<const std::uint32_t> peek() {
    if (next_ == kSize) refill();
    return std::span(outputs_).subspan(next_);
  }

  /// Discards `count` outputs.
  void skip(std::uint64_t count);

 private:
  static constexpr std::size_t kSize = 624;

  /// Fills the state from a seed; the next output comes after a refill().
  void seed_linear(std::uint32_t seed);
  /// Replaces all 624 words of the state by the next ones, makes their outputs, and starts at the first.
  void refill();

  std::array<std::uint32_t, kSize> state_{}, outputs_{};
  std::size_t next_ = kSize;
};

/// 32-bit outputs of the engine per call of TorchGenerator::int64.
inline constexpr std::uint64_t kOutputsPerInt64 = 2;

/// PyTorch's CPU generator (aten/src/ATen/core/MT19937RNGEngine.h and CPUGeneratorImpl.cpp).
class TorchGenerator {
 public:
  /// torch.manual_seed(seed): only the low 32 bits reach the state.
  explicit TorchGenerator(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}

  /// The next output: 32 bits.
  std::uint32_t random() { return engine_(); }
  /// 64 bits, from two outputs. The first is the high half.
  std::uint64_t random64() {
    const std::uint64_t high = engine_();
    return (high << 32U) | engine_();
  }
  /// torch.empty((), dtype=torch.int64).random_(): 63 bits, two outputs.
  std::uint64_t int64() { return random64() & 0x7FFFFFFFFFFFFFFFU; }
  /// torch.randint(0, n): one output for n below 2^32, else two. n >= 1.
  std::uint64_t randint(std::uint64_t n) { return n >= (1ULL << 32U) ? random64() % n : random() % n; }
  /// torch.randperm(n) on the CPU, n < 2^32: a Fisher-Yates shuffle of 0 to n - 1. With `pytorch_2`, PyTorch 2's
  /// version, which uses inside_out_permutation() for UINT32_MAX / 20 numbers or more.
  std::vector<std::uint32_t> permutation(std::uint32_t n, bool pytorch_2 = false);
  /// Discards so many 32-bit outputs.
  void skip(std::uint64_t outputs) { engine_.skip(outputs); }

 private:
  /// The inside-out Fisher-Yates shuffle of 0 to n - 1, with a 64-bit number for every place.
  std::vector<std::uint32_t> inside_out_permutation(std::uint32_t n);

  Mt19937 engine_;
};

/// NumPy's legacy global generator: numpy.random.seed, RandomState.
class NumpyRandom {
 public:
  /// numpy.random.seed(seed): a seed of 0 to 2^32 - 1.
  explicit NumpyRandom(std::uint32_t seed) : engine_(seed) {}
  /// numpy.random.seed(array): an array of 32-bit numbers, not empty.
  explicit NumpyRandom(std::span<const std::uint32_t> array_seed) : engine_(array_seed) {}

  /// Uniform in [0, max] by masked rejection. An attempt takes one output, or two for a max of 2^32 or more, the first
  /// as the high half. For max = 0 the result is 0 without an output.
  std::uint64_t interval(std::uint64_t max);

  /// shuffle(items), in place, for a one-dimensional array.
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i-- > 1;) std::swap(items[i], items[interval(i)]);
  }

 private:
  Mt19937 engine_;
};

/// CPython's random.Random, seeded with an integer.
class PythonRandom {
 public:
  /// random.seed(seed); a negative Python seed is its absolute value.
  explicit PythonRandom(std::uint64_t seed);
  /// random.seed(n) for a larger number: its magnitude as 32-bit digits, the lowest first. Not empty.
  explicit PythonRandom(std::span<const std::uint32_t> digits) : engine_(digits) {}

  /// getrandbits(bits), 1 <= bits <= 64: from one output, or two for more than 32 bits, the first as the low half.
  std::uint64_t getrandbits(unsigned bits);
  /// randrange(n), n >= 1: uniform in [0, n), by rejection of getrandbits() of the width of n.
  std::uint64_t randrange(std::uint64_t n);

  /// shuffle(items), in place: swaps items[i] with items[randrange(i + 1)], from the last one down.
  template <class T>
  void shuffle(std::span<T> items) {
    std::size_t left = items.size();
    for (; left > UINT32_MAX; --left) std::swap(items[left - 1], items[randrange(left)]);
    while (left > 1) {
      const auto width = static_cast<unsigned>(std::bit_width(left));
      const std::size_t narrower = std::size_t{1} << (width - 1);  // the draws of fewer items have fewer bits
      const std::span<const std::uint32_t> outputs = engine_.peek();
      std::size_t used = 0;
      for (; used < outputs.size() && left >= narrower; ++used) {
        const std::size_t drawn = outputs[used] >> (32 - width), last = left - 1;
        const bool accepted = drawn <= last;  // by chance: a branch would be mispredicted
        std::swap(items[last], items[accepted ? drawn : last]);
        left -= accepted ? 1 : 0;
      }
      engine_.skip(used);
    }
  }

 private:
  Mt19937 engine_;
};

}  // namespace seqpoint::rng
