// Every generator against tests/vectors/rng.json, which PyTorch, NumPy and CPython produced.
#include "core/rng/rng.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "unit/vectors.hpp"

namespace seqpoint {
namespace {

using Rows = std::vector<std::uint32_t>;
const nlohmann::json& rng_vectors() {
  static const nlohmann::json json = testing::load_vectors("rng.json");
  return json;
}

Rows counting(std::size_t n) {
  Rows rows(n);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

TEST(Mt19937, IsTheStreamOfTheStandardLibrary) {
  rng::Mt19937 ours(4357);
  std::mt19937 theirs(4357);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(ours(), theirs()) << "output " << i;
}

TEST(Mt19937, SkippingIsTheSameAsDrawing) {
  for (const unsigned skipped : {0U, 1U, 623U, 624U, 625U, 2000U}) {
    rng::Mt19937 drawn(7), jumped(7);
    for (unsigned i = 0; i < skipped; ++i) drawn();
    jumped.skip(skipped);
    EXPECT_EQ(drawn(), jumped()) << skipped;
  }
}

TEST(Rng, RawOutputsOfTorchAndNumpy) {
  for (const auto& c : rng_vectors()["raw_u32"]) {
    rng::TorchGenerator torch(c["seed"].get<std::uint64_t>());
    rng::NumpyRandom numpy(c["seed"].get<std::uint32_t>());
    for (const std::uint32_t expected : c["torch_and_numpy_legacy"]) {
      EXPECT_EQ(torch.random(), expected);
      EXPECT_EQ(numpy.interval(0xFFFFFFFFU), expected);
    }
  }
}

TEST(Rng, RawOutputsOfPython) {
  for (const auto& c : rng_vectors()["raw_u32"]) {
    rng::PythonRandom python(c["seed"].get<std::uint64_t>());
    for (const std::uint32_t expected : c["python_random"]) EXPECT_EQ(python.getrandbits(32), expected);
  }
}

TEST(TorchGenerator, OnlyTheLow32BitsOfASeedCount) {
  for (const auto& c : rng_vectors()["torch_seed_truncation"]) {
    rng::TorchGenerator torch(static_cast<std::uint64_t>(c["manual_seed"].get<std::int64_t>()));
    EXPECT_EQ(torch.permutation(12), c["randperm12"].get<Rows>()) << c["manual_seed"];
  }
}

TEST(TorchGenerator, Int64Draws) {
  for (const auto& c : rng_vectors()["torch_int64_random_"]) {
    rng::TorchGenerator torch(c["seed"].get<std::uint64_t>());
    for (const auto& expected : c["values"]) EXPECT_EQ(std::to_string(torch.int64()), expected.get<std::string>());
  }
}

TEST(TorchGenerator, Permutations) {
  for (const auto& c : rng_vectors()["torch_randperm"]) {
    rng::TorchGenerator torch(c["seed"].get<std::uint64_t>());
    EXPECT_EQ(torch.permutation(c["n"].get<std::uint32_t>()), c["perm"].get<Rows>()) << c["seed"] << " " << c["n"];
  }
}

TEST(TorchGenerator, ALongPermutation) {
  const auto& c = rng_vectors()["torch_randperm_big"];
  rng::TorchGenerator torch(c["seed"].get<std::uint64_t>());
  const Rows order = torch.permutation(c["n"].get<std::uint32_t>());
  EXPECT_EQ(Rows(order.begin(), order.begin() + 10), c["first10"].get<Rows>());
  EXPECT_EQ(Rows(order.end() - 10, order.end()), c["last10"].get<Rows>());
}

TEST(TorchGenerator, PermutationsOneAfterTheOther) {
  const auto& c = rng_vectors()["torch_randperm_sequence_same_generator"];
  rng::TorchGenerator torch(c["seed"].get<std::uint64_t>());
  for (std::size_t i = 0; i < c["ns"].size(); ++i)
    EXPECT_EQ(torch.permutation(c["ns"][i].get<std::uint32_t>()), c["perms"][i].get<Rows>()) << i;
}

/// numpy.random.permutation(n).
Rows numpy_permutation(rng::NumpyRandom& numpy, std::size_t n) {
  Rows rows = counting(n);
  numpy.shuffle(std::span(rows));
  return rows;
}

TEST(NumpyRandom, Permutations) {
  for (const auto& c : rng_vectors()["numpy_permutation"]) {
    rng::NumpyRandom numpy(c["seed"].get<std::uint32_t>());
    EXPECT_EQ(numpy_permutation(numpy, c["n"].get<std::uint32_t>()), c["perm"].get<Rows>())
        << c["seed"] << " " << c["n"];
  }
}

TEST(NumpyRandom, ShufflesOneAfterTheOther) {
  const auto& c = rng_vectors()["numpy_shuffle_sequence_same_state"];
  rng::NumpyRandom numpy(c["seed"].get<std::uint32_t>());
  for (std::size_t i = 0; i < c["sizes"].size(); ++i)
    EXPECT_EQ(numpy_permutation(numpy, c["sizes"][i].get<std::uint32_t>()), c["result"][i].get<Rows>()) << i;
}

TEST(NumpyRandom, SeededByAnArray) {
  const auto& c = rng_vectors()["numpy_array_seed"];
  const Rows seed = c["seed"].get<Rows>();
  rng::NumpyRandom numpy{std::span<const std::uint32_t>(seed)};
  EXPECT_EQ(numpy_permutation(numpy, 10), c["perm10"].get<Rows>());
}

/// random.sample(range(n), n), by its randrange().
Rows sample_all(rng::PythonRandom& python, std::size_t n) {
  Rows pool = counting(n), out;
  for (std::size_t left = n; left > 0; --left) {
    const std::size_t j = python.randrange(left);
    out.push_back(pool[j]);
    pool[j] = pool[left - 1];
  }
  return out;
}

/// random.random(): 53 bits in [0, 1), the high ones first.
double random_of(rng::PythonRandom& python) {
  const auto high = static_cast<double>(python.getrandbits(27));
  const auto low = static_cast<double>(python.getrandbits(26));
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

/// The vectors' own list of draws, in its order.
void expect_python_draws(rng::PythonRandom& python, const nlohmann::json& c) {
  Rows items = counting(20);
  python.shuffle(std::span(items));
  EXPECT_EQ(items, c["shuffle20"].get<Rows>());
  EXPECT_EQ(sample_all(python, 15), c["sample15"].get<Rows>());
  for (const std::uint64_t expected : c["randint_u32"]) EXPECT_EQ(python.randrange(1ULL << 32U), expected);
  for (const std::uint64_t expected : c["randrange10"]) EXPECT_EQ(python.randrange(10), expected);
  for (const double expected : c["random"]) EXPECT_EQ(random_of(python), expected);
  EXPECT_EQ(std::to_string(python.getrandbits(64)), c["getrandbits64"].get<std::string>());
}

/// CPython 3.11: random.seed(5); l = list(range(3000)); random.shuffle(l); l[:6]; random.getrandbits(32)
TEST(PythonRandom, ShufflesMoreThanOneStateHasOutputsFor) {
  rng::PythonRandom python(5);
  Rows items = counting(3000);
  python.shuffle(std::span(items));
  EXPECT_EQ(Rows(items.begin(), items.begin() + 6), (Rows{2118, 2790, 2288, 1915, 1241, 1168}));
  EXPECT_EQ(python.getrandbits(32), 3512675306U);
}

/// Also of no, one and two items, and around powers of two, where the draws become wider.
TEST(PythonRandom, ShufflesByItsRandrange) {
  for (const std::size_t n : {0, 1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 624, 1023, 1024, 1025, 5000}) {
    rng::PythonRandom python(n), one_by_one(n);
    Rows items = counting(n), expected = items;
    python.shuffle(std::span(items));
    for (std::size_t i = n; i-- > 1;) std::swap(expected[i], expected[one_by_one.randrange(i + 1)]);
    EXPECT_EQ(items, expected) << n;
    EXPECT_EQ(python.getrandbits(32), one_by_one.getrandbits(32)) << n;
  }
}

/// A decimal number in digits of 32 bits, the lowest first, as CPython splits an integer seed; the sign is lost.
Rows digits_of(const std::string& decimal) {
  Rows digits{0};
  for (const char c : decimal) {
    if (c == '-') continue;
    std::uint64_t carry = static_cast<std::uint64_t>(c - '0');
    for (std::uint32_t& digit : digits) {
      carry += std::uint64_t{digit} * 10;
      digit = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
    if (carry != 0) digits.push_back(static_cast<std::uint32_t>(carry));
  }
  return digits;
}

TEST(PythonRandom, EveryKindOfDraw) {
  for (const auto& c : rng_vectors()["python"]) {
    SCOPED_TRACE(c["seed"].get<std::string>());
    const Rows digits = digits_of(c["seed"].get<std::string>());
    rng::PythonRandom python{std::span<const std::uint32_t>(digits)};
    expect_python_draws(python, c);
  }
}

TEST(PythonRandom, SeedsOf64BitsAreSplitAsCPythonDoes) {
  for (const std::uint64_t seed : {0ULL, 1ULL, 4294967296ULL, 4294967297ULL}) {
    const Rows digits = digits_of(std::to_string(seed));
    rng::PythonRandom split{std::span<const std::uint32_t>(digits)};
    EXPECT_EQ(rng::PythonRandom(seed).getrandbits(32), split.getrandbits(32)) << seed;
  }
}

}  // namespace
}  // namespace seqpoint
