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

/// Columns a string takes on a terminal, counting one for each UTF-8 character.
std::size_t width(const std::string& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::size_t> widths(const TextTable& table) {
  std::vector<std::size_t> widest(table.rows.front().size(), 0);
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < row.size(); ++c) widest[c] = std::max(widest[c], width(row[c]));
  return widest;
}

/// A name of the user's must not break out of its cell, nor reach the terminal's own commands.
TextTable printable_cells(TextTable table) {
  for (auto& row : table.rows)
    for (std::string& cell : row) cell = text::printable(cell);
  return table;
}

}  // namespace

TextTable without_empty_columns(TextTable table, bool (*may_go)(std::string_view name)) {
  for (std::size_t c = table.rows.front().size(); c-- > 0;) {
    const auto empty = [c](const std::vector<std::string>& row) { return row[c].empty(); };
    const bool goes = may_go == nullptr || may_go(table.rows.front()[c]);
    if (!goes || !std::all_of(table.rows.begin() + 1, table.rows.end(), empty)) continue;
    for (std::vector<std::string>& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
  return table;
}

std::string as_text(const TextTable& unsafe) {
  const TextTable table = printable_cells(unsafe);
  const std::vector<std::size_t> widest = widths(table);
  std::string text;
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widest[c] - width(row[c]), ' ');
      if (c > 0) line += "  ";
      line += c < table.left_columns ? row[c] + padding : padding + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += text::break_workflow_commands(std::move(line)) + '\n';
  }
  for (const TextTable& other : table.below) text += '\n' + as_text(other);
  return text;
}

std::string as_markdown(const TextTable& table) {
  std::string text;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    for (const std::string& cell : table.rows[r]) text += fmt::format("| {} ", text::markdown_cell(cell));
    text += "|\n";
    if (r > 0) continue;
    for (std::size_t c = 0; c < table.rows[r].size(); ++c) text += c < table.left_columns ? "|:---" : "|---:";
    text += "|\n";
  }
  for (const TextTable& other : table.below) text += '\n' + as_markdown(other);
  return text;
}

std::string percent_text(double share, int digits) { return number_text(100 * share, digits) + " %"; }

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  std::array<char, 64> text{};
  // 99.96 has one digit more once it is rounded to three.
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const int rounded_exponent = static_cast<int>(std::floor(std::log10(std::round(std::abs(value) * scale) / scale)));
  const bool plain = exponent >= -4 && exponent < 9;
  const int decimals = std::max(0, digits - 1 - rounded_exponent);
  const auto written =
      plain ? std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals)
            : std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits - 1);
  return {text.data(), written.ptr};
}

std::string fewer_text(double ratio) { return ratio > 1 ? number_text(ratio, 3) + " times fewer" : "no fewer"; }

std::string duration_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < 10 * kMinute) return number_text(seconds) + " s";
  if (seconds < 10 * kHour) return number_text(seconds / kMinute) + " min";
  if (seconds < 10 * kDay) return number_text(seconds / kHour) + " h";
  return number_text(seconds / kDay) + " d";
}

}  // namespace seqpoint::io::views
