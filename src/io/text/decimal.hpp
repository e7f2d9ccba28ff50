/// \file
/// Converts times from decimal text to whole nanoseconds, without a double: 1712195495505582.988 us has more
/// digits than a double.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace seqpoint::io::text {

/// Limits in ns, beyond which a profile must be damaged: the duration of a step or operation (11 days), and a time
/// stamp (126 years from the clock's zero).
inline constexpr std::int64_t kLongestNs = 1'000'000'000'000'000, kFurthestNs = 4'000'000'000'000'000'000;

/// Powers of ten from a unit to nanoseconds.
enum class DecimalUnit { ns = 0, us = 3, ms = 6, s = 9 };

/// `text`, a decimal number with or without fraction and exponent, in ns; finer digits are rounded half away from zero.
/// Nothing if it is not a number (NaN and infinity are not), and beyond 4e18 ns, 126 years.
std::optional<std::int64_t> parse_ns(std::string_view text, DecimalUnit unit);

/// parse_ns() for a duration: also nothing if it is negative or longer than 1e15 ns (11 days), which no step is.
std::optional<std::int64_t> parse_duration_ns(std::string_view text, DecimalUnit unit);

/// A double in `unit` as whole ns; nothing if it is not finite, negative, or longer than 1e15 ns. For formats whose
/// numbers are doubles anyway.
std::optional<std::int64_t> duration_of(double value, DecimalUnit unit);

}  // namespace seqpoint::io::text
