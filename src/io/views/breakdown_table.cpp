// Where the projected time goes, as tables.
#include <fmt/core.h>

#include "io/text/shortest_number.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views {
namespace {

std::string all_digits(double value) { return text::shortest(text::round12(value)); }

/// "+12.3 %" of the baseline's time; empty where it is the same, as the baseline's own is.
std::string change_text(const std::optional<double>& change) {
  if (!change || *change == 1) return "";
  const double percent = 100 * (*change - 1);
  return fmt::format("{}{} %", percent >= 0 ? "+" : "", number_text(percent, 3));
}

}  // namespace

TextTable breakdown_table(const project::Breakdown& breakdown) {
  constexpr std::size_t kMostRows = 25, kLongestName = 60;
  TextTable table{{{"configuration", std::string(project::name_of(breakdown.by)),
                    breakdown.kernels ? "gpu sum" : "host", "share", "calls", "change"}},
                  2};
  for (const project::ConfigurationBreakdown& c : breakdown.configurations) {
    double rest = 0, calls = 0, share = 0;
    for (std::size_t r = 0; r < c.rows.size(); ++r) {
      const project::BreakdownRow& row = c.rows[r];
      const std::string name = row.name.size() > kLongestName ? row.name.substr(0, kLongestName - 3) + "..." : row.name;
      if (r < kMostRows)
        table.rows.push_back({c.name, name, duration_text(row.seconds), number_text(100 * row.share, 3) + " %",
                              number_text(row.count), change_text(row.change)});
      else
        rest += row.seconds, calls += row.count, share += row.share;
    }
    if (c.rows.size() > kMostRows)
      table.rows.push_back({c.name, fmt::format("({} more)", c.rows.size() - kMostRows), duration_text(rest),
                            number_text(100 * share, 3) + " %", number_text(calls), ""});
  }
  return table;
}

void append_breakdown_rows(TextTable& projection, const project::Breakdown& breakdown) {
  for (const project::ConfigurationBreakdown& c : breakdown.configurations)
    for (const project::BreakdownRow& row : c.rows) {
      std::vector<std::string> cells(projection.rows.front().size());
      const auto set = [&](std::string_view column, const std::string& value) {
        for (std::size_t i = 0; i < cells.size(); ++i)
          if (projection.rows.front()[i] == column) cells[i] = value;
      };
      set("configuration", c.name);
      set("metric", fmt::format("{}:{}", project::name_of(breakdown.by), row.name));
      set("kind", "total");
      set("value", all_digits(row.seconds));
      set("speedup", row.change && *row.change > 0 ? all_digits(1 / *row.change) : "");
      set("coverage", all_digits(c.coverage));
      projection.rows.push_back(std::move(cells));
    }
}

}  // namespace seqpoint::io::views
