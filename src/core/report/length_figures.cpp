// Counts by length. Bins have readable widths: 1, 2 or 5 times a power of ten.
#include <algorithm>

#include "core/report/report.hpp"

namespace seqpoint::report {
namespace {

/// The multiple of `width` at or below `value`.
std::uint64_t floor_to(std::uint64_t value, std::uint64_t width) { return value - value % width; }

/// The histogram of a run's iterations by length_of(shape), in at most `most_bins` bins; no bins for an empty run.
template <class LengthOf>
LengthHistogram histogram_of(const trace::RunSummary& run, std::uint64_t most_bins, LengthOf length_of) {
  LengthHistogram histogram;
  if (run.histogram.empty()) return histogram;
  const auto length = [&](const trace::ShapeCount& entry) -> std::uint64_t { return length_of(entry.shape); };
  const auto [shortest, longest] = std::ranges::minmax(run.histogram, {}, length);
  const std::uint64_t width = histogram.width = bin_width(length(shortest), length(longest), most_bins);
  const std::uint64_t start = floor_to(length(shortest), width), end = length(longest);
  for (std::uint64_t at = start; at <= end; at += width) histogram.bins.push_back({at, at + width - 1});
  for (const trace::ShapeCount& entry : run.histogram)
    histogram.bins[(length(entry) - start) / width].iterations += entry.count;
  return histogram;
}

}  // namespace

LengthAxis length_axis(const trace::RunSummary& run, std::span<const select::Point> points) {
  if (run.kind == trace::ShapeKind::varlen) return LengthAxis::tokens;
  if (run.kind == trace::ShapeKind::padded) return LengthAxis::length;
  const bool groups = std::ranges::any_of(points, [](const select::Point& p) { return p.length_group.has_value(); });
  return groups ? LengthAxis::source : LengthAxis::both;
}

std::uint64_t length_on(LengthAxis axis, const trace::Shape& s) {
  if (axis == LengthAxis::tokens) return s.tokens;
  return axis == LengthAxis::both ? std::uint64_t{s.src_len} + s.tgt_len : s.src_len;
}

std::uint64_t bin_width(std::uint64_t low, std::uint64_t high, std::uint64_t most) {
  for (std::uint64_t decade = 1;; decade *= 10)
    for (const std::uint64_t digit : {1U, 2U, 5U})
      if (const std::uint64_t width = decade * digit; high / width - low / width < most) return width;
}

LengthHistogram length_histogram(const trace::RunSummary& run, LengthAxis axis) {
  return histogram_of(run, LengthHistogram::kMaxBins, [axis](const trace::Shape& s) { return length_on(axis, s); });
}

LengthHistogram length_histogram(const trace::RunSummary& run, trace::Dimension dimension, std::uint64_t most_bins) {
  return histogram_of(run, most_bins, [dimension](const trace::Shape& s) { return s[dimension]; });
}

}  // namespace seqpoint::report
