// Tables of break-downs of the projected time.
#include <fmt/core.h>

#include <algorithm>

#include "io/views/amounts.hpp"
#include "io/views/cells.hpp"

namespace seqpoint::io::views {
namespace {

/// "+12.3 %" for a ratio of 1.123 to the baseline's time. Empty if the ratio is missing or exactly 1, as for the
/// baseline itself.
std::string change_text(const std::optional<double>& change) {
  if (!change || *change == 1) return "";
  const double percent = 100 * (*change - 1);
  return fmt::format("{}{} %", percent >= 0 ? "+" : "", number_text(percent, 3));
}

}  // namespace

std::string profiler_text(const project::Breakdown& breakdown) {
  const bool several = breakdown.configurations.size() > 1;
  std::string factors;
  for (const project::ConfigurationBreakdown& c : breakdown.configurations)
    if (c.slowdown)
      factors +=
          fmt::format("{}{:.2f} times{}", factors.empty() ? "" : ", ", *c.slowdown, several ? " (" + c.name + ")" : "");
  if (factors.empty()) return "";
  return fmt::format("under it a batch takes {} as long: seconds by {} are of profiled batches", factors,
                     project::name_of(breakdown.by));
}

TextTable breakdown_table(const project::Breakdown& breakdown) {
  constexpr std::size_t kMaxRows = 25, kLongestName = 60;
  TextTable table{{{"build", std::string(project::name_of(breakdown.by)), breakdown.kernels ? "gpu sum" : "host",
                    "share", "calls", "change"}},
                  2};
  for (const project::ConfigurationBreakdown& c : breakdown.configurations) {
    double rest = 0, calls = 0, share = 0;
    const Amounts amounts(c.rows.empty() ? 0 : c.rows.front().seconds);
    for (std::size_t r = 0; r < c.rows.size(); ++r) {
      const project::BreakdownRow& row = c.rows[r];
      const std::string name = row.name.size() > kLongestName ? row.name.substr(0, kLongestName - 3) + "..." : row.name;
      if (r < kMaxRows)
        table.rows.push_back({c.name, name, amounts.text(row.seconds), tenth_percent(row.share), number_text(row.count),
                              change_text(row.change)});
      else
        rest += row.seconds, calls += row.count, share += row.share;
    }
    if (c.rows.size() > kMaxRows)
      table.rows.push_back({c.name, fmt::format("({} more)", c.rows.size() - kMaxRows), amounts.text(rest),
                            tenth_percent(share), number_text(calls), ""});
  }
  return table;
}

void append_breakdown_rows(DataTable& projection, const project::Breakdown& breakdown) {
  for (const project::ConfigurationBreakdown& c : breakdown.configurations)
    for (const project::BreakdownRow& row : c.rows)
      append_row(projection, {{"configuration", c.name},
                              {"metric", fmt::format("{}:{}", project::name_of(breakdown.by), row.name)},
                              {"kind", "total"},
                              {"value", row.seconds},
                              {"speedup", row.change && *row.change > 0 ? Cell(1 / *row.change) : Cell()},
                              {"measured_weight", c.measured_weight}});
}

}  // namespace seqpoint::io::views
