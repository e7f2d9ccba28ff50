/// \file
/// Numbers as text, read and written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/text/short_decimal.hpp"

namespace seqpoint::io::text {

/// The text without blanks, tabs, CR and LF around it.
inline std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Why a text is not a number: it is empty (missing), has other characters, or is too large or small for a double.
enum class NumberFault { none, missing, not_a_number, out_of_range };

struct Number {
  double value = 0;
  NumberFault fault = NumberFault::none;
};

/// All of `text`, without blanks around it, as a number. Called if short_decimal() cannot parse it.
Number parse_any_number(std::string_view text);

/// All of `text` as a number, ignoring blanks around it. "nan" and "inf" are numbers here; callers reject them.
inline Number parse_number(std::string_view text) {
  text = trim(text);
  const auto decimal = short_decimal(text);
  return decimal ? Number{*decimal} : parse_any_number(text);
}

/// `"x3" is not a number`: a problem, with the text truncated after 40 bytes. A text that begins with a quote "is a
/// string, not a number"; a missing one "is missing". `fault` is not none.
std::string describe(NumberFault fault, std::string_view text);

// --- Doubles as text

/// Rounded to 12 significant digits, so that differences between libm implementations disappear.
double round12(double value);

/// The shortest text that reads back as the same double. Finite values only.
std::string shortest(double value);

// --- Times as whole nanoseconds, without a double: 1712195495505582.988 us has more digits than a double

/// Limits in ns, beyond which a profile must be damaged: the duration of a step or operation (11 days), and a time
/// stamp (126 years from the clock's zero).
inline constexpr std::int64_t kLongestNs = 1'000'000'000'000'000, kFurthestNs = 4'000'000'000'000'000'000;

/// Powers of ten from a unit to nanoseconds.
enum class DecimalUnit { us = 3, s = 9 };

/// `text`, a decimal number with or without fraction and exponent, in ns; finer digits are rounded half away from zero.
/// Nothing if it is not a number (NaN and infinity are not), and beyond 4e18 ns, 126 years.
std::optional<std::int64_t> parse_ns(std::string_view text, DecimalUnit unit);

/// parse_ns() for a duration: also nothing if it is negative or longer than 1e15 ns (11 days), which no step is.
std::optional<std::int64_t> parse_duration_ns(std::string_view text, DecimalUnit unit);

/// Seconds as whole ns; nothing if they are not finite, negative, or longer than 1e15 ns. For formats whose numbers are
/// doubles anyway.
std::optional<std::int64_t> duration_of(double seconds);

}  // namespace seqpoint::io::text
