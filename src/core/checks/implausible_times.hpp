/// \file
/// What no duration of an iteration is, in profiles and in traces.
#pragma once

#include <algorithm>
#include <cstddef>

namespace seqpoint::checks {

/// An iteration that is slow for once takes a few times as long; a slipped digit makes it ten.
inline constexpr double kStray = 8;
/// Beyond what anything but a wrong unit or a wrong row does to an iteration.
inline constexpr double kImpossible = 100;
/// Seconds, three years: no iteration, but what a clock shows since 1970.
inline constexpr double kDate = 1e8;
/// A clock's rows grow; as many times in any order do so once in 720.
inline constexpr std::size_t kManyRows = 6;
/// Rare slow iterations take up to four times as long: the first of a process that takes more pays for its start.
inline constexpr double kSlowStart = 4;
/// How much the last time of a point or signature exceeds its first where few rows grow: durations drift by less.
inline constexpr double kDrift = 1.5;

/// Another unit is 60 times as much, or more; half of that leaves room for what builds really differ by.
inline constexpr double kOtherUnit = 30;
/// How many times as much the larger of two times is, of their ratio > 0.
inline double factor_of(double ratio) { return std::max(ratio, 1 / ratio); }

/// By which factor a ratio of two times is out of the range that a cost between constant and quadratic gives it, at
/// this ratio of their sizes. Below 1 inside.
inline double excess(double ratio, double size_ratio) {
  const double square = size_ratio * size_ratio;
  return std::max(ratio / std::max(1.0, square), std::min(1.0, square) / ratio);
}

/// Whether a clock is so fine that it does not repeat such times by chance: at least four significant digits.
bool is_fine(double time);

}  // namespace seqpoint::checks
