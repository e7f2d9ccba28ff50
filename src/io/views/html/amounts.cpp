#include "io/views/html/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html {
namespace {

/// A unit of time, and the least value that is written in it. page.js has the same.
struct Unit {
  const char* name;
  double seconds, from;
};
constexpr std::array kUnits{Unit{"h", 3600, 7200}, Unit{"min", 60, 180}, Unit{"s", 1, 1}, Unit{"ms", 1e-3, 0}};

const Unit& unit_of(double seconds) {
  const auto found = std::ranges::find_if(kUnits, [&](const Unit& unit) { return std::abs(seconds) >= unit.from; });
  return found == kUnits.end() ? kUnits.back() : *found;  // of what is no number
}

/// The number of decimals with which a number has so many significant digits, at most 9; 0 of what is not finite.
int decimals_of(double number, int digits) {
  if (number == 0 || !std::isfinite(number)) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(number)))), 0, 9);
}

}  // namespace

Amounts::Amounts(const project::MetricProjection& metric) {
  if (project::is_total_time(metric)) {
    const Unit& unit = unit_of(metric.value);
    unit_ = std::string(" ") + unit.name;
    size_ = unit.seconds;
  }
  const double half = metric.interval ? (metric.interval->high - metric.interval->low) / 2 : 0;
  decimals_ = half > 0 && std::isfinite(half) ? decimals_of(half / size_, 2) : decimals_of(metric.value / size_, 4);
}

std::string Amounts::number(double value) const {
  const double scaled = value / size_;
  if (decimals_ == 0 && scaled >= 0 && scaled < 1e15) return grouped(static_cast<std::uint64_t>(std::llround(scaled)));
  return fmt::format("{:.{}f}", scaled, decimals_);
}

std::string Amounts::text(double value) const { return number(value) + unit_; }

std::string Amounts::range(const project::Interval& interval) const {
  return number(interval.low) + " to " + text(interval.high);
}

std::string rough_duration(double seconds) {
  const Unit& unit = unit_of(seconds);
  return fmt::format("{:.{}f} {}", seconds / unit.seconds, decimals_of(seconds / unit.seconds, 2), unit.name);
}

}  // namespace seqpoint::io::views::html
