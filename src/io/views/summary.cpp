#include "seqpoint/io/views/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "seqpoint/error.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views {
namespace {

constexpr std::uint64_t kMostBins = 12;
constexpr std::size_t kColumns = 80;

/// Iterations with a length from `low` to `low` + the bins' width - 1.
struct Bin {
  std::uint64_t low = 0, iterations = 0;
  std::string points;
};

struct Histogram {
  std::uint64_t width = 1;
  std::vector<Bin> bins;  ///< ascending, without gaps
};

/// 1, 2 or 5 times a power of ten, so that there are no more than kMostBins.
std::uint64_t width_for(std::uint64_t least, std::uint64_t most) {
  for (std::uint64_t power = 1;; power *= 10)
    for (const std::uint64_t times : {1U, 2U, 5U})
      if (most / (times * power) - least / (times * power) < kMostBins) return times * power;
}

Histogram histogram_of(const trace::RunSummary& run, trace::Dimension dimension) {
  std::uint64_t least = UINT64_MAX, most = 0;
  for (const trace::SignatureCount& entry : run.histogram) {
    least = std::min(least, entry.signature[dimension]);
    most = std::max(most, entry.signature[dimension]);
  }
  Histogram histogram{width_for(least, most), {}};
  const std::uint64_t first = least / histogram.width;
  for (std::uint64_t b = first; b <= most / histogram.width; ++b)
    histogram.bins.push_back({b * histogram.width, 0, {}});
  for (const trace::SignatureCount& entry : run.histogram)
    histogram.bins[entry.signature[dimension] / histogram.width - first].iterations += entry.count;
  return histogram;
}

/// sp3, or of several the first and how many more.
void mark_points(Histogram& histogram, trace::Dimension dimension, std::span<const select::Point> points) {
  for (Bin& bin : histogram.bins) {
    std::uint64_t here = 0;
    for (const select::Point& point : points) {
      if (*point.key[dimension] < bin.low || *point.key[dimension] >= bin.low + histogram.width) continue;
      if (here++ == 0) bin.points = point.id;
    }
    if (here > 1) bin.points += " +" + std::to_string(here - 1);
  }
}

/// `share` of `columns`, never nothing where there is something.
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

TextTable rows_of(const Histogram& histogram, std::string_view name, bool with_points) {
  TextTable table{{{std::string(name), "points", "iterations"}}, with_points ? 2U : 1U};
  const std::size_t digits = std::to_string(histogram.bins.back().low + histogram.width - 1).size();
  const auto padded = [&](std::uint64_t n) {
    const std::string text = std::to_string(n);
    return std::string(digits - text.size(), ' ') + text;
  };
  for (const Bin& bin : histogram.bins)
    table.rows.push_back({padded(bin.low) + (histogram.width > 1 ? " - " + padded(bin.low + histogram.width - 1) : ""),
                          bin.points, std::to_string(bin.iterations)});
  if (!with_points)
    for (auto& row : table.rows) row.erase(row.begin() + 1);
  return table;
}

std::string histogram_text(const Histogram& histogram, std::string_view name, Bars bars, bool with_points) {
  const std::string rows = as_text(rows_of(histogram, name, with_points));
  std::uint64_t most = 0;
  for (const Bin& bin : histogram.bins) most = std::max(most, bin.iterations);
  // Rows end in a number aligned right: all of them are as long as the header.
  const std::size_t taken = rows.find('\n') + 2;
  const std::size_t columns = taken < kColumns ? kColumns - taken : 1;
  std::string text = rows.substr(0, rows.find('\n') + 1);
  std::size_t at = text.size();
  for (const Bin& bin : histogram.bins) {
    const std::size_t end = rows.find('\n', at);
    const std::string drawn = bar(static_cast<double>(bin.iterations) / static_cast<double>(most), columns, bars);
    text += rows.substr(at, end - at) + (drawn.empty() ? "" : "  " + drawn) + "\n";
    at = end + 1;
  }
  return text;
}

std::string padding_text(const trace::RunSummary& run) {
  if (run.kind == trace::SignatureKind::varlen) return "none: trained without it";
  if (!run.tokens || run.padded_tokens == 0) return "not known";
  const double waste = 1 - static_cast<double>(*run.tokens) / static_cast<double>(run.padded_tokens);
  return fmt::format("{} % of {}", number_text(100 * waste, 3), counted(run.padded_tokens, "token"));
}

/// Of the ranks for the one with the most work, as far as batches tell.
std::string waiting_text(const trace::RunSummary& run) {
  return fmt::format("{} % of the time of {}, if their time is in proportion to {}", number_text(100 * *run.waiting, 3),
                     run.ranks > 1 ? counted(run.ranks, "rank") : "the ranks",
                     run.kind == trace::SignatureKind::varlen ? "tokens" : "padded tokens");
}

}  // namespace

std::string summary_text(const trace::RunSummary& run, Bars bars, std::span<const select::Point> points) {
  TextTable known{
      {{"samples", std::to_string(run.samples)},
       {"iterations", std::to_string(run.iterations) + (run.epochs > 1 ? " in " + counted(run.epochs, "epoch") : "")},
       {"unique signatures", std::to_string(run.histogram.size())},
       {"padding", padding_text(run)}},
      2};
  if (run.waiting) known.rows.push_back({"waiting", waiting_text(run)});
  std::string text = as_text(known);
  if (run.histogram.empty()) return text;
  const trace::Dimension length = trace::length_dimension(run.kind), target = trace::Dimension::tgt_len;
  Histogram lengths = histogram_of(run, length);
  mark_points(lengths, length, points);
  text += "\n" + histogram_text(lengths, trace::name_of(length), bars, !points.empty());
  if (run.kind == trace::SignatureKind::padded_pair)
    text += "\n" + histogram_text(histogram_of(run, target), trace::name_of(target), bars, false);
  return text;
}

}  // namespace seqpoint::io::views
