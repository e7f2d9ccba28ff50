#include "io/views/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "seqpoint/error.hpp"

namespace seqpoint::io::views {
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

/// The number of decimals with which a number has so many significant digits, at most 9.
int decimals_of_digits(double number, int digits) {
  if (number == 0 || !std::isfinite(number)) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(number)))), 0, 9);
}

constexpr int kDigits = 4;  // of a figure without an interval

}  // namespace

int decimals_of(double value, const project::IntervalOrReason& interval, int digits) {
  const double half = interval ? (interval->high - interval->low) / 2 : 0;
  return half > 0 && std::isfinite(half) ? decimals_of_digits(half, 2) : decimals_of_digits(value, digits);
}

project::MetricProjection of_an_epoch(project::MetricProjection metric) {
  const double share = metric.value == 0 ? 1 : *metric.per_epoch / metric.value;
  metric.value = *metric.per_epoch;
  if (metric.interval) metric.interval = project::Interval{share * metric.interval->low, share * metric.interval->high};
  return metric;
}

std::string with_decimals(double number, int decimals) {
  if (decimals == 0 && number >= 0 && number < 1e15) return grouped(static_cast<std::uint64_t>(std::llround(number)));
  return fmt::format("{:.{}f}", number, decimals);
}

Amounts::Amounts(const project::MetricProjection& metric, std::optional<double> least) {
  if (project::is_total_time(metric)) {
    const Unit& unit = unit_of(least.value_or(metric.value));
    unit_ = std::string(" ") + unit.name;
    size_ = unit.seconds;
  }
  project::IntervalOrReason scaled = metric.interval;
  if (scaled) scaled = project::Interval{scaled->low / size_, scaled->high / size_};
  decimals_ = decimals_of(metric.value / size_, scaled, kDigits);
}

Amounts::Amounts(double largest) {
  const Unit& unit = unit_of(largest);
  unit_ = std::string(" ") + unit.name;
  size_ = unit.seconds;
  decimals_ = decimals_of_digits(largest / size_, kDigits);
}

std::string Amounts::number(double value) const { return with_decimals(value / size_, decimals_); }

std::string Amounts::text(double value) const { return number(value) + unit_; }

std::string Amounts::range(const project::Interval& interval) const {
  return number(interval.low) + " to " + text(interval.high);
}

std::string rough_duration(double seconds) {
  const Unit& unit = unit_of(seconds);
  return fmt::format("{:.{}f} {}", seconds / unit.seconds, decimals_of_digits(seconds / unit.seconds, 2), unit.name);
}

double rounded_up(double seconds) {
  const Unit& unit = unit_of(seconds);
  const double number = seconds / unit.seconds, digits = std::pow(10, decimals_of_digits(number, 2));
  return std::ceil(number * digits) / digits * unit.seconds;
}

std::string limit_text(const project::ColdStart& cost) {
  return cost.is_of_part ? "or more" : "at most " + rough_duration(cost.at_most());
}

}  // namespace seqpoint::io::views
