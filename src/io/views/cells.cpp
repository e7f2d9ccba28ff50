// Cells and tables for programs.
#include <algorithm>
#include <cmath>

#include "io/text/escape.hpp"
#include "io/text/number.hpp"
#include "io/views/cells.hpp"

namespace seqpoint::io::views {

std::string full_precision(double value) { return Cell(value).text(); }

Cell::Cell(double number) {
  if (std::isfinite(number)) value_ = text::round12(number);
}

Cell::Cell(std::string_view name) {
  if (!name.empty()) value_ = std::string(name);
}

std::string Cell::text() const {
  if (const auto* const whole = std::get_if<std::int64_t>(&value_)) return std::to_string(*whole);
  if (const auto* const number = std::get_if<double>(&value_)) return text::shortest(*number);
  if (const auto* const name = std::get_if<std::string>(&value_)) return *name;
  return "";
}

const project::Speedup* find_speedup(const project::ConfigurationProjection& configuration, const std::string& metric) {
  for (const project::Speedup& speedup : configuration.speedups)
    if (speedup.metric == metric && std::isfinite(speedup.value)) return &speedup;
  return nullptr;
}

double change_of(double speedup) { return 1 / speedup - 1; }

std::optional<project::Interval> change_of(const project::IntervalOrReason& speedup) {
  if (!speedup || !(speedup->low > 0)) return std::nullopt;
  return project::Interval{change_of(speedup->high), change_of(speedup->low)};
}

void append_row(DataTable& table, std::initializer_list<std::pair<std::string_view, Cell>> cells) {
  std::vector<Cell>& row = table.rows.emplace_back(table.columns.size());
  for (const auto& [name, cell] : cells)
    row[static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin())] = cell;
}

std::string as_csv(const DataTable& table) {
  std::string csv;
  const auto add_line = [&csv](const auto& cells, auto text_of) {
    for (const auto& cell : cells) csv += (&cell == &cells.front() ? "" : ",") + text_of(cell);
    csv += '\n';
  };
  add_line(table.columns, text::csv_text_cell);
  const auto add_row = [&](const std::vector<Cell>& row) {
    add_line(row, [](const Cell& cell) {
      return std::holds_alternative<std::string>(cell.value()) ? text::csv_text_cell(cell.text()) : cell.text();
    });
  };
  for (const std::vector<Cell>& row : table.rows) add_row(row);
  if (table.more) table.more(add_row);
  return csv;
}

}  // namespace seqpoint::io::views
