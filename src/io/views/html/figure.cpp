#include "io/views/html/figure.hpp"

#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>

#include "io/text/escape.hpp"

namespace seqpoint::io::views::html {
namespace {

/// Whether the first cell of the column that is not empty is a number. False if all are empty.
bool is_numeric(const DataTable& table, std::size_t column) {
  for (const std::vector<Cell>& row : table.rows)
    if (!std::holds_alternative<std::monostate>(row[column].value()))
      return !std::holds_alternative<std::string>(row[column].value());
  return false;
}

/// The text of a cell; a number that is not whole with five significant digits, because the page's JSON has all.
std::string rounded(const Cell& cell) {
  const auto* const number = std::get_if<double>(&cell.value());
  return number == nullptr ? cell.text() : number_text(*number, 5);
}

std::string table_html(const DataTable& table) {
  std::vector<const char*> classes;
  for (std::size_t c = 0; c < table.columns.size(); ++c) classes.push_back(is_numeric(table, c) ? " class=n" : "");
  std::string html =
      fmt::format("<table id=\"table-{}\"><caption>{}</caption>\n<thead><tr>", table.id, text::xml_text(table.caption));
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    html += fmt::format("<th scope=col{}>{}", classes[c], text::xml_text(table.columns[c]));
  html += "\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      html += fmt::format("<td{}>{}", classes[c], text::xml_text(rounded(row[c])));
    html += "\n";
  }
  return html + "</table>\n";
}

}  // namespace

std::vector<Figure> figures_of(const report::Report& report) {
  constexpr std::array kFigures{methods_figures,   costs_figures,   differences_figures,       totals_figures,
                                breakdown_figures, lengths_figures, numbers_of_points_figures, variance_figures};
  std::vector<Figure> figures;
  for (const auto of : kFigures)
    for (Figure& figure : of(report)) figures.push_back(std::move(figure));
  return figures;
}

std::string figure_html(const Figure& figure) {
  const std::string title = text::xml_text(figure.title);
  std::string tables;
  for (const DataTable& table : figure.tables) tables += table_html(table);
  return fmt::format(
      "<figure id=\"{}\">\n<figcaption><h2>{}</h2><p>{}</p></figcaption>\n<div class=plot></div>\n"
      "<details><summary>Data: {}</summary><div class=scroll tabindex=0 role=region aria-label=\"{}\">\n{}</div>"
      "</details>\n</figure>\n",
      figure.id, title, text::xml_text(figure.words), title, title, tables);
}

nlohmann::ordered_json figure_json(const Figure& figure) {
  return {{"id", figure.id},
          {"chart", figure.chart},
          {"title", figure.title},
          {"metric", figure.metric},
          {"is_time", trace::is_time_metric(figure.metric)}};
}

nlohmann::ordered_json table_json(const DataTable& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const std::vector<Cell>& row : table.rows) {
    nlohmann::ordered_json& cells = rows.emplace_back(nlohmann::ordered_json::array());
    for (const Cell& cell : row)
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_same_v<decltype(value), const std::monostate&>)
              cells.push_back(nullptr);
            else
              cells.push_back(value);
          },
          cell.value());
  }
  return {{"id", table.id}, {"caption", table.caption}, {"columns", table.columns}, {"rows", std::move(rows)}};
}

std::string axis_name(report::LengthAxis axis) {
  switch (axis) {
    case report::LengthAxis::source: return "source length";
    case report::LengthAxis::both: return "source + target length";
    case report::LengthAxis::tokens: return "number of tokens";
    case report::LengthAxis::length: break;
  }
  return "sequence length";
}

}  // namespace seqpoint::io::views::html
