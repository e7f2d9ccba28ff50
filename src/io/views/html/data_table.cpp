#include "io/views/html/data_table.hpp"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/text/escape.hpp"
#include "io/text/shortest_number.hpp"

namespace seqpoint::io::views::html {
namespace {

/// A column is of numbers where its first cell that is not empty is one.
bool is_numeric(const DataTable& table, std::size_t column) {
  for (const auto& row : table.rows)
    if (!std::holds_alternative<std::monostate>(row[column])) return !std::holds_alternative<std::string>(row[column]);
  return false;
}

std::string row_html(const DataTable& table, const std::vector<Cell>& row, const std::vector<bool>& numeric) {
  std::string html = "<tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    html += (numeric[c] ? "<td class=n>" : "<td>") + text::xml_text(cell_text(row[c]));
  return html + "\n";
}

}  // namespace

Cell cell(double value) { return std::isfinite(value) ? Cell(text::round12(value)) : Cell(); }
Cell cell(const std::optional<double>& value) { return value ? cell(*value) : Cell(); }

artifacts::Json cell_json(const Cell& value) {
  if (const auto* const count = std::get_if<std::uint64_t>(&value)) return *count;
  if (const auto* const number = std::get_if<double>(&value)) return artifacts::rounded_json(*number);
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

std::string cell_text(const Cell& value) {
  if (const auto* const count = std::get_if<std::uint64_t>(&value)) return std::to_string(*count);
  if (const auto* const number = std::get_if<double>(&value)) return text::shortest(*number);
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  return "";
}

std::string table_html(const DataTable& table) {
  std::vector<bool> numeric;
  for (std::size_t c = 0; c < table.columns.size(); ++c) numeric.push_back(is_numeric(table, c));
  std::string html =
      fmt::format("<table id=\"table-{}\"><caption>{}</caption>\n<thead><tr>", table.id, text::xml_text(table.caption));
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    html += (numeric[c] ? "<th scope=col class=n>" : "<th scope=col>") + text::xml_text(table.columns[c]);
  html += "\n<tbody>\n";
  for (const auto& row : table.rows) html += row_html(table, row, numeric);
  return html + "</table>\n";
}

artifacts::Json table_json(const DataTable& table) {
  artifacts::Json rows = artifacts::Json::array();
  for (const auto& row : table.rows) {
    artifacts::Json cells = artifacts::Json::array();
    for (const Cell& value : row) cells.push_back(cell_json(value));
    rows.push_back(std::move(cells));
  }
  return {{"id", table.id}, {"caption", table.caption}, {"columns", table.columns}, {"rows", std::move(rows)}};
}

}  // namespace seqpoint::io::views::html
