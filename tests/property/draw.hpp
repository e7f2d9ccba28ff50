/// \file
/// Random draws that are the same with every standard library, and checks over many seeds.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

namespace seqpoint::testing {

/// A generator of a seed of its own. Not of std::uniform_int_distribution and the like: each library has its own
/// arithmetic there.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : engine_(seed) {}

  /// 0 to n - 1; n >= 1.
  template <class Number>
  Number below(Number n) {
    return static_cast<Number>(bits(static_cast<std::uint64_t>(n)) % static_cast<std::uint64_t>(n));
  }
  template <class Low, class High>
  std::common_type_t<Low, High> between(Low low, High high) {
    using Number = std::common_type_t<Low, High>;
    return static_cast<Number>(static_cast<Number>(low) +
                               below<Number>(static_cast<Number>(high) - static_cast<Number>(low) + 1));
  }
  /// Above 0 and below 1.
  double uniform() { return (static_cast<double>(engine_()) + 0.5) / 4294967296.0; }
  /// By Box and Muller, of mean 0 and standard deviation 1.
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  /// Above 0, up to 100, in steps of 1e-7.
  double positive() { return static_cast<double>(1 + below(1'000'000'007)) * 1e-7; }

 private:
  /// 32 random bits, or 64 where it takes more to reach n.
  std::uint64_t bits(std::uint64_t n) {
    const std::uint64_t high = engine_();
    return n <= 0xFFFFFFFFU ? high : (high << 32U) | engine_();
  }
  std::mt19937 engine_;
};

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

/// Of so many seeds those that there is time for: sanitizers make selections more than ten times as slow.
constexpr std::uint32_t affordable(std::uint32_t seeds) { return kSanitized ? (seeds + 9) / 10 : seeds; }

/// Whether tests run with all their seeds, as every night (SEQPOINT_SEEDS=all), or with one of them.
inline bool every_seed() {
  const char* const seeds = std::getenv("SEQPOINT_SEEDS");
  return seeds != nullptr && std::string_view(seeds) == "all";
}

/// Calls `check(draw)` for the seeds from 0, up to the first that fails.
template <class Check>
void for_all_seeds(std::uint32_t seeds, Check check) {
  for (std::uint32_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    check(draw);
  }
}

/// The same, but for the first seed alone without every_seed().
template <class Check>
void for_seeds(std::uint32_t seeds, Check check) {
  for_all_seeds(every_seed() ? seeds : 1, check);
}

}  // namespace seqpoint::testing
