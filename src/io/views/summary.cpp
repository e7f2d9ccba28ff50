// A summary of a run, for a terminal.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/report/report.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::io::views {
namespace {

constexpr std::uint64_t kMaxBins = 12;

/// The id of the first point in the bin, with the number of other points there ("sp3 +2"); empty if there is none.
std::string points_in(const report::LengthBin& bin, trace::Dimension dimension, std::span<const select::Point> points) {
  std::string text;
  std::uint64_t here = 0;
  for (const select::Point& point : points) {
    if (point.shape[dimension] < bin.first || point.shape[dimension] > bin.last) continue;
    if (here++ == 0) text = point.id;
  }
  return here > 1 ? fmt::format("{} +{}", text, here - 1) : text;
}

/// A bar of `share` (0 to 1) of `columns`, rounded to whole columns, or to eighths of a column with blocks. At least
/// one of these if the share is above 0, else empty.
std::string bar(double share, std::size_t columns, Bars bars) {
  if (share <= 0) return "";
  if (bars == Bars::plain)
    return std::string(
        std::max<std::size_t>(1, static_cast<std::size_t>(std::round(share * static_cast<double>(columns)))), '#');
  constexpr std::size_t kEighths = 8;
  const auto eighths =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::round(share * static_cast<double>(columns * kEighths))));
  std::string text;
  for (std::size_t i = 0; i < eighths / kEighths; ++i) text += "\u2588";
  constexpr std::array kParts{"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
  return text + kParts.at(eighths % kEighths);
}

/// At most 12 bins of the dimension, a line each: its range, the points in it (if any were passed), the iterations, and
/// a bar in proportion to them. The longest bar ends at the last column.
std::string histogram_text(const trace::RunSummary& run, trace::Dimension dimension, Bars bars,
                           std::span<const select::Point> points, std::size_t all_columns) {
  const report::LengthHistogram histogram = report::length_histogram(run, dimension, kMaxBins);
  const std::size_t digits = std::to_string(histogram.bins.back().last).size();
  TextTable table{{{std::string(trace::name_of(dimension)), "points", "batches"}}, 2};
  std::uint64_t most = 0;
  for (const report::LengthBin& bin : histogram.bins) {
    const std::string range = histogram.width > 1 ? fmt::format("{:>{}} - {:>{}}", bin.first, digits, bin.last, digits)
                                                  : fmt::format("{:>{}}", bin.first, digits);
    table.rows.push_back({range, points_in(bin, dimension, points), grouped(bin.iterations)});
    most = std::max(most, bin.iterations);
  }
  if (points.empty())
    for (auto& row : table.rows) row.erase(row.begin() + 1);
  table.left_columns -= points.empty() ? 1 : 0;
  const std::string rows = as_text(table);
  // Rows end in a number aligned right: all of them are as long as the header.
  const std::size_t taken = rows.find('\n') + 2;
  const std::size_t columns = taken < all_columns ? all_columns - taken : 1;
  std::string text = rows.substr(0, rows.find('\n') + 1);
  std::size_t at = text.size();
  for (const report::LengthBin& bin : histogram.bins) {
    const std::size_t end = rows.find('\n', at);
    const std::string drawn = bar(static_cast<double>(bin.iterations) / static_cast<double>(most), columns, bars);
    text += rows.substr(at, end - at) + (drawn.empty() ? "" : "  " + drawn) + "\n";
    at = end + 1;
  }
  return text;
}

}  // namespace

std::string histograms_text(const trace::RunSummary& run, Bars bars, std::span<const select::Point> points,
                            std::size_t columns) {
  std::string text = histogram_text(run, trace::length_dimension(run.kind), bars, points, columns);
  if (run.kind == trace::ShapeKind::padded_pair)
    text += "\n" + histogram_text(run, trace::Dimension::tgt_len, bars, {}, columns);
  return text;
}

}  // namespace seqpoint::io::views
