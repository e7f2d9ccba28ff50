#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "io/text/escape.hpp"
#include "io/views/cells.hpp"

namespace seqpoint::io::views {
namespace {

/// Columns of a string on a terminal, counting one for each UTF-8 character.
std::size_t width(std::string_view cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

using Row = std::vector<std::string>;

/// Calls `use` for `rows`, then for the rows of `more`.
void for_each_row(const TextTable& table, const std::function<void(const Row&)>& use) {
  for (const Row& row : table.rows) use(row);
  if (table.more) table.more(use);
}

}  // namespace

TextTable without_empty_columns(TextTable table) {
  for (std::size_t c = table.rows.front().size(); c-- > 0;) {
    const auto empty = [c](const std::vector<std::string>& row) { return row[c].empty(); };
    if (!std::all_of(table.rows.begin() + 1, table.rows.end(), empty)) continue;
    for (std::vector<std::string>& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
  return table;
}

void for_each_line(const TextTable& table, const std::function<void(const std::string&)>& use) {
  constexpr char kEnd = '\0';
  std::vector<std::size_t> widest(table.rows.front().size(), 0);
  std::string cells;  // of all rows, each with its end: strings of a million rows would take several times as much
  for_each_row(table, [&](const Row& row) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      // A user's name must not leave its cell, nor send commands to the terminal.
      const std::string cell = text::printable(row[c]);
      widest[c] = std::max(widest[c], width(cell));
      cells += cell;
      cells += kEnd;
    }
  });
  for (std::string_view left = cells; !left.empty();) {
    std::string line;
    for (std::size_t c = 0; c < widest.size(); ++c) {
      const std::string_view cell = left.substr(0, left.find(kEnd));
      left.remove_prefix(cell.size() + 1);
      const std::size_t padding = widest[c] - width(cell);
      if (c > 0) line += "  ";
      if (c >= table.left_columns) line.append(padding, ' ');
      line += cell;
      if (c < table.left_columns) line.append(padding, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    use(text::break_workflow_commands(std::move(line)) + '\n');
  }
  for (const TextTable& other : table.below) {
    use("\n");
    for_each_line(other, use);
  }
}

std::string as_text(const TextTable& table) {
  std::string text;
  for_each_line(table, [&](const std::string& line) { text += line; });
  return text;
}

std::string as_markdown(const TextTable& table) {
  std::string text;
  for_each_row(table, [&](const Row& row) {
    const bool is_header = text.empty();
    for (const std::string& cell : row) text += fmt::format("| {} ", text::markdown_cell(cell));
    text += "|\n";
    if (!is_header) return;
    for (std::size_t c = 0; c < row.size(); ++c) text += c < table.left_columns ? "|:---" : "|---:";
    text += "|\n";
  });
  for (const TextTable& other : table.below) text += '\n' + as_markdown(other);
  return text;
}

std::string percent_text(double share, int digits) { return number_text(100 * share, digits) + " %"; }

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  std::array<char, 64> text{};
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  // 99.96 gets one more digit by rounding to three.
  const double scale = std::pow(10.0, digits - 1 - exponent);
  const int rounded_exponent = static_cast<int>(std::floor(std::log10(std::round(std::abs(value) * scale) / scale)));
  const bool plain = exponent >= -4 && exponent < 9;
  const int decimals = std::max(0, digits - 1 - rounded_exponent);
  const auto written =
      plain ? std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals)
            : std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits - 1);
  return {text.data(), written.ptr};
}

std::string fewer_text(double part, double whole) {
  const double ratio = whole / part;
  return ratio >= kFewerFrom ? fmt::format(" ({}x fewer)", number_text(ratio, ratio < 10 ? 2 : 3)) : "";
}

std::string reduction_text(std::uint64_t part, std::uint64_t whole, const std::string& noun) {
  return fmt::format("{} instead of {}", counted(part, noun), grouped(whole)) +
         fewer_text(static_cast<double>(part), static_cast<double>(whole));
}

std::string duration_text(double seconds) {
  constexpr double kMilli = 1e-3, kMinute = 60, kHour = 3600, kDay = 86400;
  const auto two_units = [seconds](double large, const char* large_unit, double small, const char* small_unit) {
    const auto parts = static_cast<std::uint64_t>(std::llround(seconds / small)),
               in_large = static_cast<std::uint64_t>(std::llround(large / small));
    return fmt::format("{} {} {} {}", parts / in_large, large_unit, parts % in_large, small_unit);
  };
  if (!std::isfinite(seconds) || seconds <= 0) return number_text(seconds) + " s";
  if (seconds < kMilli) return number_text(seconds * 1e6) + " µs";
  if (seconds < 1) return number_text(seconds * 1e3) + " ms";
  if (seconds < 3 * kMinute) return number_text(seconds) + " s";
  if (std::round(seconds) < kHour) return two_units(kMinute, "min", 1, "s");
  if (std::round(seconds / kMinute) * kMinute < kDay) return two_units(kHour, "h", kMinute, "min");
  return two_units(kDay, "d", kHour, "h");
}

}  // namespace seqpoint::io::views
