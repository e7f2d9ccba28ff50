// How the error falls with the number of points, and where the method stopped.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

/// Null for fewer than two numbers of points, as where the user asked for one: that is no curve.
const std::vector<select::NumberOfPointsRecord>* tried_numbers_of_points(const report::Report& report) {
  if (report.source.selection == nullptr || report.source.selection->method.numbers_of_points.size() < 2)
    return nullptr;
  return &report.source.selection->method.numbers_of_points;
}

/// Those whose error is known: of a single point it is not.
std::vector<select::NumberOfPointsRecord> numbers_with_known_error(const report::Report& report) {
  std::vector<select::NumberOfPointsRecord> known;
  for (const select::NumberOfPointsRecord& size : *tried_numbers_of_points(report))
    if (std::isfinite(size.expected.total())) known.push_back(size);
  return known;
}

/// Logarithmic where the errors differ by more than a factor of ten and none is zero.
Scale error_scale(const std::vector<select::NumberOfPointsRecord>& sizes, const Area& area) {
  double low = 100 * sizes.front().expected.total(), high = low;
  for (const select::NumberOfPointsRecord& size : sizes) {
    low = std::min(low, 100 * size.expected.total());
    high = std::max(high, 100 * size.expected.total());
  }
  if (low > 0 && high > 10 * low) return {low / 1.3, high * 1.3, area.bottom, area.top, Scale::Kind::logarithmic};
  return {0, high, area.bottom, area.top};
}

/// Every phase of a run has its own number of points.
bool is_chosen(const report::Report& report, const select::NumberOfPointsRecord& size) {
  const std::vector<select::Point>& points = report.source.selection->points;
  return size.points ==
         static_cast<std::uint64_t>(std::count_if(points.begin(), points.end(),
                                                  [&](const select::Point& p) { return p.phase == size.phase; }));
}

std::uint64_t most_points(const std::vector<select::NumberOfPointsRecord>& sizes) {
  std::uint64_t most = 0;
  for (const select::NumberOfPointsRecord& size : sizes) most = std::max(most, size.points);
  return most;
}

/// A line a phase.
std::string error_lines(const std::vector<select::NumberOfPointsRecord>& sizes, const Scale& x, const Scale& y) {
  std::string d;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    d += (i == 0 || sizes[i].phase != sizes[i - 1].phase ? "M" : "L") +
         pixels(x(static_cast<double>(sizes[i].points))) + " " + pixels(y(100 * sizes[i].expected.total()));
  return d;
}

/// What labels must not cover: the steps, and the lines between them, a small box every few pixels.
std::vector<Box> marks_of(const std::vector<select::NumberOfPointsRecord>& sizes, const Scale& x, const Scale& y) {
  constexpr double kStep = 3;
  std::vector<Box> marks;
  double from_x = 0, from_y = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double to_x = x(static_cast<double>(sizes[i].points)), to_y = y(100 * sizes[i].expected.total());
    marks.push_back(box_around(to_x, to_y, 4));
    if (i > 0 && sizes[i].phase == sizes[i - 1].phase) {
      const double pieces = std::ceil(std::hypot(to_x - from_x, to_y - from_y) / kStep);
      for (double part = 1; part < pieces; ++part)
        marks.push_back(
            box_around(from_x + (to_x - from_x) * part / pieces, from_y + (to_y - from_y) * part / pieces, 2));
    }
    from_x = to_x, from_y = to_y;
  }
  return marks;
}

std::string draw_numbers_of_points(const report::Report& report) {
  const std::vector<select::NumberOfPointsRecord> sizes = numbers_with_known_error(report);
  constexpr double kHeight = 300;
  const Area area(kHalfWidth, kHeight, {});
  const Scale y = error_scale(sizes, area);
  const Scale x(0, static_cast<double>(most_points(sizes)) + 1, area.left, area.right);
  Svg svg(kHalfWidth, kHeight, "Expected error by number of points");
  draw_y_axis(svg, area, y, "expected error, %");
  draw_x_axis(svg, area, x, "points", 8);
  svg.path("sizes", error_lines(sizes, x, y));
  std::vector<Box> taken = marks_of(sizes, x, y);
  const Box inside{area.left, 0, kHalfWidth, area.bottom};
  for (const select::NumberOfPointsRecord& size : sizes) {
    const bool chosen = is_chosen(report, size);
    const double at = x(static_cast<double>(size.points)), height = y(100 * size.expected.total());
    svg.open_focusable(chosen ? "point" : "size",
                       fmt::format("{}: expected error {} %{}", count_text(size.points, "point"),
                                   number_text(100 * size.expected.total(), 3), chosen ? ", the choice" : ""));
    svg.mark(
        "circle",
        {{"class", chosen ? "disc" : "step"}, {"cx", pixels(at)}, {"cy", pixels(height)}, {"r", chosen ? "6" : "3"}});
    if (chosen) {
      const std::string label =
          fmt::format("{}, {} %", count_text(size.points, "point"), number_text(100 * size.expected.total(), 3));
      if (const auto place = free_place(places_around(at, height, 6), label, taken, inside)) {
        svg.text(place->x, place->y, place->anchor, "label", label);
        taken.push_back(box_of(*place, label));
      }
    }
    svg.close("g");
  }
  return svg.finish();
}

DataTable numbers_of_points_data(const report::Report& report) {
  DataTable table{.id = "sizes",
                  .caption = "Expected error by number of points",
                  .columns = {"points", "expected_error_pct", "noise_pct", "representation_pct", "n_eff", "chosen"},
                  .rows = {}};
  const bool phases = tried_numbers_of_points(report)->back().phase > 0;
  if (phases) table.columns.emplace_back("phase");
  const auto percent = [](double share) { return std::isfinite(share) ? cell(100 * share) : Cell(); };
  for (const select::NumberOfPointsRecord& size : *tried_numbers_of_points(report)) {
    table.rows.push_back({size.points, percent(size.expected.total()), percent(size.expected.noise),
                          percent(size.expected.representation), cell(size.effective_sample_size),
                          std::string(is_chosen(report, size) ? "yes" : "")});
    if (phases) table.rows.back().emplace_back(size.phase);
  }
  return table;
}

}  // namespace

std::vector<Figure> numbers_of_points_figures(const report::Report& report) {
  if (tried_numbers_of_points(report) == nullptr || numbers_with_known_error(report).size() < 2) return {};
  return {{.id = "sizes",
           .title = "How many points",
           .words =
               "The expected error of a projected total by the number of points, each measured as often as is advised: "
               "what measurements are off by, and what so few points cannot represent. The large disc is the choice.",
           .picture = draw_numbers_of_points(report),
           .tables = {numbers_of_points_data(report)},
           .half = true}};
}

}  // namespace seqpoint::io::views::html::charts
