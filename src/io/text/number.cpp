#include "io/text/number.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

namespace seqpoint::io::text {

Number parse_any_number(std::string_view text) {
  if (text.empty()) return {0, NumberFault::missing};
  Number number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (error == std::errc::result_out_of_range)
    number.fault = NumberFault::out_of_range;
  else if (error != std::errc{} || end != text.data() + text.size())
    number.fault = NumberFault::not_a_number;
  return number;
}

std::string describe(NumberFault fault, std::string_view text) {
  if (fault == NumberFault::missing) return "is missing";
  constexpr std::size_t kLongest = 40;
  text = trim(text);
  if (text.starts_with('"')) return std::string(text.substr(0, kLongest)) + " is a string, not a number";
  std::string quoted = fmt::format("\"{}{}", text.substr(0, kLongest), text.size() > kLongest ? "...\"" : "\"");
  return quoted + (fault == NumberFault::out_of_range ? " is out of the range of numbers" : " is not a number");
}

// --- Doubles as text

double round12(double value) {
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 11);
  double rounded = value;
  std::from_chars(text.data(), written.ptr, rounded);
  return rounded;
}

std::string shortest(double value) {
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), written.ptr};
}

// --- Times as whole nanoseconds, without a double: 1712195495505582.988 us has more digits than a double

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The parts of a decimal number.
struct Decimal {
  bool negative = false;
  std::string_view whole, fraction;
  int exponent = 0;
};

/// Removes the digits at the beginning of the text, and returns them.
std::string_view take_digits(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

/// The parts of a number such as "-12.5e3". Nothing for other text, and for an exponent beyond ±1000.
std::optional<Decimal> split(std::string_view text) {
  Decimal decimal;
  decimal.negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  decimal.whole = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    decimal.fraction = take_digits(text);
  }
  if (decimal.whole.empty() && decimal.fraction.empty()) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(text.size() > 1 && text[1] == '+' ? 2 : 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), decimal.exponent);
    if (error != std::errc{} || decimal.exponent < -1000 || decimal.exponent > 1000) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return text.empty() ? std::optional(decimal) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_ns(std::string_view text, DecimalUnit unit) {
  const std::optional<Decimal> decimal = split(text);
  if (!decimal) return std::nullopt;
  // The digits before the shifted point, and the first after it.
  const auto size = static_cast<std::int64_t>(decimal->whole.size() + decimal->fraction.size());
  const std::int64_t before =
      static_cast<std::int64_t>(decimal->whole.size()) + decimal->exponent + static_cast<int>(unit);
  const auto digit = [&](std::int64_t i) {
    if (i < 0 || i >= size) return '0';
    const auto at = static_cast<std::size_t>(i);
    return at < decimal->whole.size() ? decimal->whole[at] : decimal->fraction[at - decimal->whole.size()];
  };
  std::int64_t value = 0;
  for (std::int64_t i = 0; i < before; ++i) {
    if (value > kFurthestNs / 10) return std::nullopt;
    value = value * 10 + (digit(i) - '0');
  }
  if (before >= 0 && digit(before) >= '5') ++value;
  if (value > kFurthestNs) return std::nullopt;
  return decimal->negative ? -value : value;
}

std::optional<std::int64_t> parse_duration_ns(std::string_view text, DecimalUnit unit) {
  const std::optional<std::int64_t> ns = parse_ns(text, unit);
  return ns && *ns >= 0 && *ns <= kLongestNs ? ns : std::nullopt;
}

std::optional<std::int64_t> duration_of(double seconds) {
  if (!std::isfinite(seconds)) return std::nullopt;
  // Decimals of 15 digits differ as doubles, so whole nanoseconds that give the same double are those of its text.
  constexpr double kNsPerSecond = 1e9, kMost = 1e15;
  const double ns = std::round(seconds * kNsPerSecond);
  if (ns >= 0 && ns < kMost && ns / kNsPerSecond == seconds) return static_cast<std::int64_t>(ns);
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), seconds);
  return parse_duration_ns({text.data(), written.ptr}, DecimalUnit::s);
}

}  // namespace seqpoint::io::text
