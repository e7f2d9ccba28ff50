#include "io/views/html/figure.hpp"

#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>

#include "io/text/escape.hpp"
#include "io/views/forecast_text.hpp"
#include "io/views/html/charts/charts.hpp"
#include "io/views/html/scale.hpp"

namespace seqpoint::io::views::html {
namespace {

/// The tables of `seqpoint scan --summary`; none without a forecast.
std::vector<Figure> forecast_figures(const report::Report& report) {
  if (!report.forecast) return {};
  const auto data_of = [](std::string id, std::string caption, const TextTable& table) {
    DataTable data{.columns = table.rows.front(), .id = std::move(id), .caption = std::move(caption)};
    for (std::size_t r = 1; r < table.rows.size(); ++r)
      data.rows.emplace_back(table.rows[r].begin(), table.rows[r].end());
    return data;
  };
  const TextTable figures = forecast_table(*report.forecast);
  return {{.id = "forecast",
           .title = "Batches of the run",
           .words = "",
           .picture = "",
           .tables = {data_of("forecast", "of the run, before anything is measured", figures),
                      data_of("largest", "the largest batches, by iteration", figures.below.front())}}};
}

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
  constexpr std::array kCharts{charts::methods_figures,           charts::configurations_figures,
                               charts::variance_figures,          charts::costs_figures,
                               charts::differences_figures,       charts::breakdown_figures,
                               charts::lengths_figures,           charts::pairs_figures,
                               charts::numbers_of_points_figures, forecast_figures};
  std::vector<Figure> figures;
  for (const auto chart : kCharts)
    for (Figure& figure : chart(report)) figures.push_back(std::move(figure));
  return figures;
}

std::string figure_html(const Figure& figure) {
  const std::string title = text::xml_text(figure.title);
  const auto collapsed = [&](std::string_view what, const std::string& html) {
    return fmt::format("<details><summary>{}: {}</summary>{}</details>\n", what, title, html);
  };
  std::string body = figure.picture.empty() ? "" : fmt::format("<div class=plot>{}</div>\n", figure.picture);
  if (!figure.tables.empty()) {
    std::string tables = fmt::format("<div class=scroll tabindex=0 role=region aria-label=\"{}\">\n", title);
    for (const DataTable& table : figure.tables) tables += table_html(table);
    tables += "</div>";
    body += figure.picture.empty() ? tables + "\n" : collapsed("Data", tables);
  }
  const std::string words = figure.words.empty() ? "" : fmt::format("<p>{}</p>", text::xml_text(figure.words));
  return fmt::format("<figure id=\"{}\">\n<figcaption><h2>{}</h2>{}</figcaption>\n{}</figure>\n", figure.id, title,
                     words, figure.folded ? collapsed("Show", body) : body);
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

std::string range_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

std::string confidence_text(double share) { return full_precision(100 * share) + " %"; }

std::string weight_text(const select::Weight& weight) { return number_text(weight.iterations()); }

}  // namespace seqpoint::io::views::html
