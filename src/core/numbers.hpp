/// \file
/// Arithmetic that several stages need: averages, rounding, sums, and tails of distributions; numbers in texts.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

namespace seqpoint {

// --- Numbers in texts

/// All of `text` as one number; nothing if it is not one, has other characters, or does not fit into T. "nan" and "inf"
/// are doubles.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// --- One value out of several

/// The mean of at least one value.
inline double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// The standard deviation of at least two values.
inline double deviation_of(const std::vector<double>& values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// The median of at least one value.
inline double median(std::vector<double> values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  return values.size() % 2 == 1 ? *upper : (*std::max_element(values.begin(), upper) + *upper) / 2;
}

// --- Rounding up to multiples, and removing rounding errors from shares

/// The smallest multiple of `multiple`, which is above 0, that is not below `number`.
constexpr std::uint64_t rounded_up(std::uint64_t number, std::uint64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

/// The share, or 0 if it is nearer to 0 than 1e-12: such shares are rounding errors, which differ between machines.
inline double zero_if_rounding(double share) {
  constexpr double kRounding = 1e-12;
  return std::abs(share) < kRounding ? 0 : share;
}

// --- Sums that equal NumPy's to the last bit

/// numpy.sum of doubles: pairwise, in blocks of 128 with eight running sums (numpy/core/src/umath/loops_utils.h.src); 0
/// without values.
double numpy_sum(std::span<const double> values);

// --- Tails of the distributions that tests and intervals need

/// Quantiles of the standard normal distribution: of a one-sided bound and of a two-sided interval with 95 %.
inline constexpr double kOneSided95 = 1.644854, kTwoSided95 = 1.959964;

/// The value below which the standard normal distribution has this probability, in (0, 1).
double normal_quantile(double probability);

}  // namespace seqpoint
