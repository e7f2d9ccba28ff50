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

/// Ten to a whole power.
double power_of_ten(int exponent) {
  constexpr std::array<double, 13> kPowers{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
  const bool is_known = exponent >= 0 && exponent < static_cast<int>(kPowers.size());
  return is_known ? kPowers[static_cast<std::size_t>(exponent)] : std::pow(10.0, exponent);
}

using Row = std::vector<std::string>;

/// The width of a cell as line_of() prints it.
std::size_t printed_width(const std::string& cell) {
  const bool plain = std::ranges::all_of(cell, [](char c) { return c >= ' ' && c < '\x7f'; });
  return plain ? cell.size() : text::columns_of_text(text::printable(cell));
}

/// A row with its end, padded to these widths, of the columns `shown`. A user's name must not leave its cell, nor send
/// commands to the terminal.
std::string line_of(const Row& row, const std::vector<std::size_t>& widest, std::size_t left_columns,
                    const std::vector<std::size_t>& shown) {
  std::string line;
  for (const std::size_t c : shown) {
    const std::string cell = text::printable(row[c]);
    const std::size_t padding = widest[c] - text::columns_of_text(cell);
    if (c != shown.front()) line += "  ";
    if (c >= left_columns) line.append(padding, ' ');
    line += cell;
    if (c < left_columns) line.append(padding, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return text::break_workflow_commands(std::move(line)) + '\n';
}

/// Calls `use` for `rows`, then for the rows of `more`.
void for_each_row(const TextTable& table, const std::function<void(const Row&)>& use) {
  for (const Row& row : table.rows) use(row);
  if (table.more) table.more(use);
}

/// Whether a column stays beside the one before it: it is its interval.
bool is_interval(const std::string& heading) { return heading.find("95 %") == 0 || heading.ends_with(" % interval"); }

/// The columns of each part of a table that fits into so many columns of a terminal: the first ones, and as many others
/// as there is room for, at least one with its interval.
std::vector<std::vector<std::size_t>> parts_of(const Row& header, const std::vector<std::size_t>& widest,
                                               std::size_t left_columns, std::optional<std::size_t> columns) {
  std::vector<std::size_t> first;
  std::size_t width_of_first = 0;
  for (std::size_t c = 0; c < std::min(left_columns, header.size()); ++c) {
    first.push_back(c);
    width_of_first += widest[c] + 2;
  }
  std::vector<std::vector<std::size_t>> parts{first};
  std::size_t used = width_of_first;
  for (std::size_t c = first.size(); c < header.size();) {
    std::size_t end = c + 1, needed = widest[c] + 2;
    for (; end < header.size() && is_interval(header[end]); ++end) needed += widest[end] + 2;
    if (columns && used + needed > *columns + 2 && parts.back().size() > first.size()) {
      parts.push_back(first);
      used = width_of_first;
    }
    for (; c < end; ++c) parts.back().push_back(c);
    used += needed;
  }
  return parts;
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

void for_each_line(const TextTable& table, const std::function<void(const std::string&)>& use,
                   std::optional<std::size_t> columns) {
  std::vector<std::size_t> widest(table.rows.front().size(), 0);
  // Rows are made twice: a million of them would take more memory than all that they are made from.
  for_each_row(table, [&](const Row& row) {
    for (std::size_t c = 0; c < row.size(); ++c) widest[c] = std::max(widest[c], printed_width(row[c]));
  });
  bool is_first = true;
  for (const std::vector<std::size_t>& part : parts_of(table.rows.front(), widest, table.left_columns, columns)) {
    if (!is_first) use("\n");
    for_each_row(table, [&](const Row& row) { use(line_of(row, widest, table.left_columns, part)); });
    is_first = false;
  }
  for (const TextTable& other : table.below) {
    use("\n");
    for_each_line(other, use, columns);
  }
}

std::string as_text(const TextTable& table, std::optional<std::size_t> columns) {
  std::string text;
  for_each_line(
      table, [&](const std::string& line) { text += line; }, columns);
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

std::string typed_percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string confidence_text(double share) { return full_precision(100 * share) + " %"; }

std::string tenth_percent(double share) {
  const std::string text = fmt::format("{:.1f} %", 100 * share);
  return text == "0.0 %" && share > 0 ? "< 0.1 %" : text;
}

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  std::array<char, 64> text{};
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  // 99.96 gets one more digit by rounding to three.
  const double rounded = std::round(std::abs(value) * power_of_ten(digits - 1 - exponent));
  const int rounded_exponent = rounded < power_of_ten(digits) ? exponent : exponent + 1;
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

std::string duration_text(double seconds, int digits) {
  constexpr double kMilli = 1e-3, kMinute = 60, kHour = 3600, kDay = 86400;
  const auto two_units = [seconds](double large, const char* large_unit, double small, const char* small_unit) {
    const auto parts = static_cast<std::uint64_t>(std::llround(seconds / small)),
               in_large = static_cast<std::uint64_t>(std::llround(large / small));
    return fmt::format("{} {} {} {}", parts / in_large, large_unit, parts % in_large, small_unit);
  };
  if (!std::isfinite(seconds) || seconds <= 0) return number_text(seconds, digits) + " s";
  if (seconds < kMilli) return number_text(seconds * 1e6, digits) + " µs";
  if (seconds < 1) return number_text(seconds * 1e3, digits) + " ms";
  if (seconds < 3 * kMinute) return number_text(seconds, digits) + " s";
  if (std::round(seconds) < kHour) return two_units(kMinute, "min", 1, "s");
  if (std::round(seconds / kMinute) * kMinute < kDay) return two_units(kHour, "h", kMinute, "min");
  return two_units(kDay, "d", kHour, "h");
}

}  // namespace seqpoint::io::views
