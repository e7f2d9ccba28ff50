/// \file
/// Limits beyond which a value cannot be the duration of an iteration, in profiles and in traces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace seqpoint::checks {

/// An occasional slow iteration takes a few times as long; a slipped digit makes it ten times.
inline constexpr double kStray = 8;
/// Only a wrong unit or a wrong row changes an iteration's time by more.
inline constexpr double kImpossible = 100;
/// Seconds, three years: longer values are a clock's seconds since 1970.
inline constexpr double kDate = 1e8;
/// A clock's rows ascend; so many times in random order ascend once in 720.
inline constexpr std::size_t kManyRows = 6;
/// Rare slow iterations take up to four times as long as others of their shape: one beyond that is an outlier, and a
/// first one includes the start of the process.
inline constexpr double kRare = 4;
/// The ratio of the last time of a point or shape to its first that shows a clock, if few rows grow: durations drift by
/// less.
inline constexpr double kClockGrowth = 1.5;

/// Another unit is a factor of 60 or more; half of that leaves room for real differences between builds.
inline constexpr double kOtherUnit = 30;
/// The larger of two times over the smaller, given their ratio > 0.
inline double factor_of(double ratio) { return std::max(ratio, 1 / ratio); }

/// The factor by which a ratio of two times leaves the range that a cost between constant and quadratic allows, given
/// this ratio of their sizes. At most 1 inside the range. All ratios are above 0.
inline double excess(double ratio, double size_ratio) {
  const double square = size_ratio * size_ratio;
  return std::max(ratio / std::max(1.0, square), std::min(1.0, square) / ratio);
}

/// Whether a clock is so coarse that times of 0 are the rounding of short ones: some time is a single tick, the largest
/// power of ten of seconds of which all times are multiples, and other times of a size that also has 0 are mostly a
/// single tick. `sizes`: of each time.
bool rounds_to_zero(std::span<const double> times, std::span<const double> sizes);

/// Whether a time has at least four significant digits, without trailing zeros: enough not to repeat by chance.
bool has_fine_digits(double time);

}  // namespace seqpoint::checks
