// Where the projected time goes: the largest rows, every configuration below each name.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

constexpr std::size_t kMostBars = 15;  // drawn; the table has more
constexpr std::size_t kMostTableRows = 500;
constexpr double kBar = 12, kName = 20, kGap = 10;

/// Names by the seconds of the configuration that spends most on them.
std::vector<std::string> largest_names(const project::Breakdown& breakdown) {
  std::vector<std::pair<double, std::string>> names;
  for (const project::ConfigurationBreakdown& configuration : breakdown.configurations)
    for (const project::BreakdownRow& row : configuration.rows) {
      const auto known =
          std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.second == row.name; });
      if (known == names.end())
        names.emplace_back(row.seconds, row.name);
      else
        known->first = std::max(known->first, row.seconds);
    }
  std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> largest;
  for (std::size_t n = 0; n < std::min(kMostBars, names.size()); ++n) largest.push_back(names[n].second);
  return largest;
}

const project::BreakdownRow* find_row(const project::ConfigurationBreakdown& configuration, const std::string& name) {
  for (const project::BreakdownRow& row : configuration.rows)
    if (row.name == name) return &row;
  return nullptr;
}

double most_seconds(const project::Breakdown& breakdown) {
  double most = 0;
  for (const project::ConfigurationBreakdown& configuration : breakdown.configurations)
    for (const project::BreakdownRow& row : configuration.rows) most = std::max(most, row.seconds);
  return most;
}

void draw_bars(Svg& svg, const project::Breakdown& breakdown, const std::string& name, const Scale& x, double y) {
  for (std::size_t c = 0; c < breakdown.configurations.size(); ++c, y += kBar) {
    const project::ConfigurationBreakdown& configuration = breakdown.configurations[c];
    const project::BreakdownRow* const row = find_row(configuration, name);
    if (row == nullptr) continue;
    const std::string figure = fmt::format("{}, {} %", duration_text(row->seconds), number_text(100 * row->share, 3));
    svg.open("g", {{"class", series_class(c)}});
    svg.rect(x.from(), y, std::max(0.5, x(row->seconds) - x.from()), kBar - 2, "fill",
             fmt::format("{}, {}: {}", configuration.name, name, figure));
    svg.close("g");
    svg.text(x(row->seconds) + 6, y + kBar - 3, Anchor::start, "tick", figure);
  }
}

void draw_key(Svg& svg, const project::Breakdown& breakdown) {
  double at = 0;
  for (std::size_t c = 0; c < breakdown.configurations.size(); ++c) {
    const std::string name = shortened(breakdown.configurations[c].name, 24);
    svg.open("g", {{"class", series_class(c)}});
    svg.rect(at, 2, 12, 12, "fill");
    svg.text(at + 18, 12, Anchor::start, "label", name);
    svg.close("g");
    at += 34 + text_width(name);
  }
}

std::string draw_breakdown(const project::Breakdown& breakdown) {
  const std::vector<std::string> names = largest_names(breakdown);
  const double each = kName + kBar * static_cast<double>(breakdown.configurations.size()) + kGap, head = 26;
  const double height = head + each * static_cast<double>(names.size());
  const Scale x(0, most_seconds(breakdown), 0, kFullWidth - 130);
  Svg svg(kFullWidth, height, "Where the time goes");
  draw_key(svg, breakdown);
  for (std::size_t n = 0; n < names.size(); ++n) {
    const double y = head + each * static_cast<double>(n);
    svg.text(0, y + 14, Anchor::start, "label", shortened(names[n], 130));
    draw_bars(svg, breakdown, names[n], x, y + kName);
  }
  return svg.finish();
}

DataTable breakdown_data(const project::Breakdown& breakdown) {
  DataTable table{.id = "breakdown",
                  .caption = "Seconds of the whole run, by " + std::string(project::name_of(breakdown.by)),
                  .columns = {"configuration", "name", "seconds", "share", "calls", "change"},
                  .rows = {}};
  for (const project::ConfigurationBreakdown& configuration : breakdown.configurations)
    for (std::size_t r = 0; r < std::min(kMostTableRows, configuration.rows.size()); ++r) {
      const project::BreakdownRow& row = configuration.rows[r];
      table.rows.push_back(
          {configuration.name, row.name, cell(row.seconds), cell(row.share), cell(row.count), cell(row.change)});
    }
  return table;
}

}  // namespace

std::vector<Figure> breakdown_figures(const report::Report& report) {
  if (report.source.projection == nullptr || !report.source.projection->breakdown) return {};
  const project::Breakdown& breakdown = *report.source.projection->breakdown;
  if (largest_names(breakdown).empty() || !(most_seconds(breakdown) > 0)) return {};
  std::string words = fmt::format("Time of the whole run by {}{}", project::name_of(breakdown.by),
                                  breakdown.kernels ? ", on the device." : ", on the host.");
  std::size_t most = 0;
  for (const project::ConfigurationBreakdown& configuration : breakdown.configurations)
    most = std::max(most, configuration.rows.size());
  if (most > kMostBars)
    words += fmt::format(" The {} largest; the table has up to {} a configuration.", kMostBars, kMostTableRows);
  return {{.id = "breakdown",
           .title = "Where the time goes",
           .words = words,
           .picture = draw_breakdown(breakdown),
           .tables = {breakdown_data(breakdown)},
           .half = false}};
}

}  // namespace seqpoint::io::views::html::charts
