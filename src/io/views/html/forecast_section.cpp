// What the batches tell, as `seqpoint forecast` prints it.
#include <fmt/core.h>

#include "io/views/html/overview.hpp"
#include "seqpoint/io/views/forecast.hpp"

namespace seqpoint::io::views::html {
namespace {

DataTable data_table_of(const std::string& id, const std::string& caption, const TextTable& table) {
  DataTable data{.id = id, .caption = caption, .columns = table.rows.front(), .rows = {}};
  for (std::size_t r = 1; r < table.rows.size(); ++r)
    data.rows.emplace_back(table.rows[r].begin(), table.rows[r].end());
  return data;
}

}  // namespace

std::vector<DataTable> forecast_tables(const report::Report& report) {
  if (!report.forecast) return {};
  const TextTable figures = forecast_table(*report.forecast);
  return {data_table_of("forecast", "of the run, before anything is measured", figures),
          data_table_of("largest", "the largest batches, by iteration", figures.below.front())};
}

std::string forecast_html(const report::Report& report) {
  std::string tables;
  for (const DataTable& table : forecast_tables(report)) tables += table_html(table);
  if (tables.empty()) return "";
  return fmt::format(
      "<div id=forecast class=scroll tabindex=0 role=region aria-label=\"What the batches tell\">\n"
      "<h2>What the batches tell</h2>\n{}</div>\n",
      tables);
}

}  // namespace seqpoint::io::views::html
