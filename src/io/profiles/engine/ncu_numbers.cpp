#include "io/profiles/engine/ncu_numbers.hpp"

#include <algorithm>
#include <array>

#include "io/text/number.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

enum class Style { unknown, comma_decimal, point_decimal };

/// The decimal separator that one value implies; unknown if the value has no separator, is ambiguous ("1,234",
/// "117.344") or contains anything but digits and separators.
Style style_of(std::string_view cell) {
  cell = text::trim(cell);
  if (cell.starts_with('-')) cell.remove_prefix(1);
  if (cell.empty() || cell.find_first_not_of("0123456789.,") != std::string_view::npos) return Style::unknown;
  const auto points = std::count(cell.begin(), cell.end(), '.'), commas = std::count(cell.begin(), cell.end(), ',');
  if (points > 0 && commas > 0) return cell.rfind('.') > cell.rfind(',') ? Style::point_decimal : Style::comma_decimal;
  if (points > 1) return Style::comma_decimal;
  if (commas > 1) return Style::point_decimal;
  // Groups of thousands have three digits; a single point is ambiguous, because decimals may also have three.
  const std::size_t behind = cell.size() - std::min(cell.size(), cell.find_last_of(".,") + 1);
  if (commas == 1) return behind == 3 ? Style::unknown : Style::comma_decimal;
  return points == 1 && behind != 3 ? Style::point_decimal : Style::unknown;
}

}  // namespace

NcuNumbers::NcuNumbers(const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) {
    const Style style = style_of(cell);
    if (style == Style::unknown) continue;
    european_ = style == Style::comma_decimal;
    return;
  }
}

std::optional<std::string> NcuNumbers::plain(std::string_view cell) const {
  cell = text::trim(cell);
  if (cell.empty() || cell == "n/a" || cell == "(!) n/a" || cell == "nan") return std::nullopt;
  std::string number;
  for (const char c : cell) {
    if (c == (european_ ? '.' : ',')) continue;
    number += european_ && c == ',' ? '.' : c;
  }
  return number;
}

double unit_scale(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 18> kScales{{{"Kbyte", 1e3},
                                                                         {"Mbyte", 1e6},
                                                                         {"Gbyte", 1e9},
                                                                         {"Tbyte", 1e12},
                                                                         {"Kbyte/second", 1e3},
                                                                         {"Mbyte/second", 1e6},
                                                                         {"Gbyte/second", 1e9},
                                                                         {"Tbyte/second", 1e12},
                                                                         {"cycle/nsecond", 1e9},
                                                                         {"cycle/usecond", 1e6},
                                                                         {"Ghz", 1e9},
                                                                         {"Mhz", 1e6},
                                                                         {"nsecond", 1e-9},
                                                                         {"ns", 1e-9},
                                                                         {"usecond", 1e-6},
                                                                         {"us", 1e-6},
                                                                         {"msecond", 1e-3},
                                                                         {"ms", 1e-3}}};
  for (const auto& [name, scale] : kScales)
    if (name == unit) return scale;
  return 1;
}

}  // namespace seqpoint::io::profiles::engine
