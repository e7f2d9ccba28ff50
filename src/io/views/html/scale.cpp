#include "io/views/html/scale.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace seqpoint::io::views::html {
namespace {

constexpr std::array kDigits{1.0, 2.0, 5.0};

struct Unit {
  double size;
  const char* suffix;
};

/// The unit of an axis whose largest value is `largest`: G from 1e9 on, M from 1e6 on, k from 1e5 on, else none.
Unit unit_of(double largest) {
  for (const Unit unit : {Unit{1e9, " G"}, Unit{1e6, " M"}, Unit{1e3, " k"}})
    if (largest >= 100 * unit.size || (unit.size > 1e3 && largest >= unit.size)) return unit;
  return {1, ""};
}

/// The number of decimals with which multiples of `step` are exact, at most 12.
int decimals_of(double step) {
  int decimals = 0;
  for (double scaled = step; decimals < 12 && std::abs(scaled - std::round(scaled)) > 1e-6 * scaled; scaled *= 10)
    ++decimals;
  return decimals;
}

}  // namespace

double nice_step(double span, int most) {
  const double rough = span / most;
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double digit : kDigits)
    if (digit * decade >= rough * (1 - 1e-9)) return digit * decade;
  return 10 * decade;
}

TimeUnit time_unit(double most) {
  if (most >= 7200) return {"h", 3600};
  if (most >= 180) return {"min", 60};
  return most >= 1 ? TimeUnit{"s", 1} : TimeUnit{"ms", 1e-3};
}

std::string axis_label(double value, double step, double largest) {
  const Unit unit = unit_of(largest);
  const double scaled = value / unit.size;
  std::array<char, 64> text{};
  const int decimals = decimals_of(step / unit.size);
  // Removes the sign of a rounded zero.
  const auto written = std::to_chars(text.data(), text.data() + text.size(), scaled == 0 ? 0.0 : scaled,
                                     std::chars_format::fixed, decimals);
  std::string label(text.data(), written.ptr);
  const std::size_t first = label.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(label.find('.'), label.size()); at > first + 3;) label.insert(at -= 3, ",");
  return label + unit.suffix;
}

Scale::Scale(double low, double high, double from, double to, Kind kind)
    : low_(low), high_(high), from_(from), to_(to), kind_(kind) {
  if (high_ > low_) return;
  const bool log = kind == Kind::logarithmic;
  const double half = low == 0 ? 1 : std::abs(low) / 2;
  low_ = log ? low / 2 : low - half;
  high_ = log ? low * 2 : low + half;
}

double Scale::operator()(double value) const {
  const bool log = kind_ == Kind::logarithmic;
  const double share = log ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  return from_ + share * (to_ - from_);
}

std::vector<Tick> Scale::ticks(int most, double least_step) const {
  if (kind_ == Kind::logarithmic) return decades(most);
  const double step = std::max(least_step, nice_step(high_ - low_, most));
  const double largest = std::max(std::abs(low_), std::abs(high_));
  std::vector<Tick> ticks;
  const double first = std::ceil(low_ / step - 1e-9), last = std::floor(high_ / step + 1e-9);
  for (double i = first; i <= last; i += 1) ticks.push_back({i * step, axis_label(i * step, step, largest)});
  return ticks;
}

std::vector<Tick> Scale::decades(int most) const {
  std::vector<Tick> ticks, powers;
  const int first = static_cast<int>(std::floor(std::log10(low_))),
            last = static_cast<int>(std::ceil(std::log10(high_)));
  for (int exponent = first; exponent <= last; ++exponent)
    for (const double digit : kDigits) {
      const double value = digit * std::pow(10.0, exponent);
      if (value < low_ * (1 - 1e-9) || value > high_ * (1 + 1e-9)) continue;
      ticks.push_back({value, axis_label(value, value, value)});
      if (digit == 1) powers.push_back(ticks.back());
    }
  return static_cast<int>(ticks.size()) <= most || powers.size() < 2 ? ticks : powers;
}

}  // namespace seqpoint::io::views::html
