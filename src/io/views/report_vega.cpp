// The charts' figures as one Vega-Lite specification, for those who draw their own.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/views/html/figure.hpp"
#include "seqpoint/io/views/report_page.hpp"

namespace seqpoint::io::views {
namespace html {
namespace {

/// Names are told apart, numbers measured.
const char* type_of(const DataTable& table, std::size_t column) {
  for (const auto& row : table.rows)
    if (!std::holds_alternative<std::monostate>(row[column]))
      return std::holds_alternative<std::string>(row[column]) ? "nominal" : "quantitative";
  return "quantitative";
}

std::size_t index_of(const DataTable& table, const std::string& column) {
  return static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), column) -
                                  table.columns.begin());
}

bool is_end(const std::string& channel) { return channel == "x2" || channel == "y2"; }

/// Of whole numbers the last of a range is in it: what is drawn ends before the next.
bool is_inclusive_end(const DataTable& table, const std::string& channel, const std::string& column) {
  return is_end(channel) && !table.rows.empty() &&
         std::holds_alternative<std::uint64_t>(table.rows.front()[index_of(table, column)]);
}

std::string exclusive_end_column(const std::string& column) { return "behind_" + column; }

/// Columns that only drawing needs.
artifacts::Json transforms_json(const Figure& figure) {
  artifacts::Json transforms = artifacts::Json::array();
  for (const auto& [channel, column] : figure.vega.channels)
    if (is_inclusive_end(figure.tables.front(), channel, column))
      transforms.push_back({{"calculate", fmt::format("datum.{} + 1", column)}, {"as", exclusive_end_column(column)}});
  return transforms;
}

artifacts::Json channel_json(const DataTable& table, const std::string& channel, const std::string& column) {
  artifacts::Json json{{"field", is_inclusive_end(table, channel, column) ? exclusive_end_column(column) : column}};
  if (is_end(channel)) return json;  // they are of the type of x and y
  json["type"] = type_of(table, index_of(table, column));
  if (channel == "x" || channel == "y") json["title"] = column;  // else Vega-Lite would name the end of a range too
  if ((channel == "x" || channel == "y") && json["type"] == "nominal") json["sort"] = nullptr;
  return json;
}

artifacts::Json values_json(const DataTable& table) {
  artifacts::Json values = artifacts::Json::array();
  for (const auto& row : table.rows) {
    artifacts::Json value = artifacts::Json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c) value[table.columns[c]] = cell_json(row[c]);
    values.push_back(std::move(value));
  }
  return values;
}

artifacts::Json view_json(const Figure& figure) {
  const DataTable& table = figure.tables.front();
  artifacts::Json encoding = artifacts::Json::object();
  for (const auto& [channel, column] : figure.vega.channels) encoding[channel] = channel_json(table, channel, column);
  return {{"title", figure.title},
          {"width", 720},
          {"data", {{"values", values_json(table)}}},
          {"transform", transforms_json(figure)},
          {"mark", {{"type", figure.vega.mark}, {"tooltip", true}}},
          {"encoding", std::move(encoding)}};
}

}  // namespace
}  // namespace html

std::string report_vega(const report::Report& report) {
  artifacts::Json views = artifacts::Json::array();
  for (const html::Figure& figure : html::figures_of(report))
    if (!figure.tables.empty()) views.push_back(html::view_json(figure));
  return artifacts::json_text({{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
                               {"title", report.source.title},
                               {"vconcat", std::move(views)}});
}

}  // namespace seqpoint::io::views
