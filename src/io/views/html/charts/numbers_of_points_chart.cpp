// The error by number of points, and the number that the method chose.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

using Sizes = std::vector<select::NumberOfPointsRecord>;

/// The expected error in percent.
double percent_of(const select::NumberOfPointsRecord& size) { return 100 * size.expected.total(); }

/// Removes numbers of points whose error is not known, such as 1.
Sizes with_known_error(Sizes sizes) {
  std::erase_if(sizes, [](const auto& size) { return !std::isfinite(size.expected.total()); });
  return sizes;
}

/// Whether the selection has this number of points in the phase of the record.
bool is_chosen(const report::Report& report, const select::NumberOfPointsRecord& size) {
  const auto in_phase = [&](const select::Point& point) { return point.phase == size.phase; };
  return static_cast<std::int64_t>(size.points) == std::ranges::count_if(report.source.selection->points, in_phase);
}

/// Logarithmic if the errors differ by more than a factor of ten and none is zero.
Axis error_axis(const Sizes& sizes) {
  const auto [least, most] = std::ranges::minmax(sizes, {}, percent_of);
  Axis axis{.name = "expected error, %", .low = 0, .high = percent_of(most), .least_step = 0};
  if (percent_of(least) > 0 && percent_of(most) > 10 * percent_of(least)) {
    axis.low = percent_of(least) / 1.3, axis.high *= 1.3;
    axis.kind = Scale::Kind::logarithmic;
  }
  return axis;
}

/// One line per phase through the expected errors; large, labelled discs are the chosen numbers.
std::string draw_numbers_of_points(const report::Report& report, const Sizes& sizes) {
  constexpr double kBottom = 260;
  Svg svg(kPictureWidth, kBottom + Plot::kFoot, "Expected error by number of points");
  const std::uint64_t most = std::ranges::max(sizes, {}, &select::NumberOfPointsRecord::points).points;
  Plot plot(svg, Plot::kHead, kBottom, {.name = "points", .low = 0, .high = static_cast<double>(most) + 1},
            error_axis(sizes));
  for (auto begin = sizes.begin(); begin != sizes.end();) {
    const auto end = std::find_if(begin, sizes.end(), [&](const auto& size) { return size.phase != begin->phase; });
    std::vector<std::pair<double, double>> line;
    for (; begin != end; ++begin) line.emplace_back(static_cast<double>(begin->points), percent_of(*begin));
    plot.line("sizes", line);
  }
  for (const select::NumberOfPointsRecord& size : sizes) {
    const bool chosen = is_chosen(report, size);
    const std::string points = counted(size.points, "point"), error = number_text(percent_of(size), 3);
    plot.add({.x = static_cast<double>(size.points),
              .y = percent_of(size),
              .label = chosen ? fmt::format("{}, {} %", points, error) : "",
              .tip = fmt::format("{}: expected error {} %{}", points, error, chosen ? ", the choice" : ""),
              .css_class = chosen ? "disc" : "step",
              .radius = chosen ? 6.0 : 3.0});
  }
  plot.finish();
  return svg.finish();
}

DataTable numbers_of_points_data(const report::Report& report) {
  const Sizes& sizes = report.source.selection->method.numbers_of_points;
  DataTable table{.columns = {"points", "expected_error_pct", "noise_pct", "representation_pct", "n_eff", "chosen"},
                  .id = "sizes",
                  .caption = "Expected error by number of points"};
  const bool phases = sizes.back().phase > 0;
  if (phases) table.columns.emplace_back("phase");
  for (const select::NumberOfPointsRecord& size : sizes) {
    table.rows.push_back({size.points, percent_of(size), 100 * size.expected.noise, 100 * size.expected.representation,
                          size.effective_sample_size, is_chosen(report, size) ? "yes" : ""});
    if (phases) table.rows.back().emplace_back(size.phase);
  }
  return table;
}

}  // namespace

std::vector<Figure> numbers_of_points_figures(const report::Report& report) {
  if (report.source.selection == nullptr) return {};
  const Sizes sizes = with_known_error(report.source.selection->method.numbers_of_points);
  if (sizes.size() < 2) return {};  // no curve, for example if the user gave one number
  return {{.id = "sizes",
           .title = "How many points",
           .words =
               "The expected error of a projected total by the number of points, each measured as often as is advised: "
               "measurement noise plus interpolation error. The large disc is the choice.",
           .picture = draw_numbers_of_points(report, sizes),
           .tables = {numbers_of_points_data(report)}}};
}

}  // namespace seqpoint::io::views::html::charts
