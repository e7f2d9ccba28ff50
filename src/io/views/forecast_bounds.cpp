#include "io/views/forecast_bounds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/text/shortest_number.hpp"

namespace seqpoint::io::views {
namespace {

using forecast::Bounds;
using forecast::BoundsComparison;
using forecast::Padded;

/// "samples", or "batches, src_len": batches with the dimension that is padded.
std::string what_is_padded(const BoundsComparison& bounds) {
  return bounds.padded == Padded::samples ? "samples"
                                          : std::string("batches, ") + std::string(name_of(bounds.dimension));
}

/// Cells: what is padded, the way to choose bounds, the number of bounds, and the padded tokens in addition to
/// `from.tokens` (without bounds), in percent of these.
std::vector<std::string> bounds_row(const BoundsComparison& from, std::string way, const Bounds& bounds) {
  const double extra = static_cast<double>(bounds.tokens) / static_cast<double>(from.tokens) - 1;
  return {what_is_padded(from), std::move(way), std::to_string(bounds.upper.size()), percent_text(extra)};
}

template <class Numbers>
/// The numbers or texts, separated by ", ".
std::string list_of(const Numbers& numbers) {
  std::string text;
  for (const auto& number : numbers) text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
  return text;
}

/// The bounds in seconds without the last, because the last bucket of Lhotse has no upper bound. Lhotse finds the
/// bucket of a duration with bisect_left: bounds are inclusive.
std::string duration_bins(const BoundsComparison& bounds) {
  std::vector<std::string> bins;
  for (std::size_t b = 0; b + 1 < bounds.seconds.size(); ++b) bins.push_back(text::shortest(bounds.seconds[b]));
  return list_of(bins);
}

/// The bounds plus one: those of bucket_by_sequence_length are exclusive, and it pads to one less.
std::string exclusive(const Bounds& bounds) {
  std::vector<std::uint64_t> above = bounds.upper;
  for (std::uint64_t& bound : above) ++bound;
  return list_of(above);
}

/// Adds a row for each framework with the setting of the best bounds: PyTorch if batches are padded; else tf.data,
/// Lhotse and NeMo. Without durations one row explains that Lhotse and NeMo have none.
void add_settings(TextTable& table, const BoundsComparison& bounds) {
  const std::string what = what_is_padded(bounds);
  const auto add = [&](std::string framework, std::string setting) {
    table.rows.push_back({what, std::move(framework), std::move(setting)});
  };
  if (bounds.padded == Padded::batches) {
    const char* const length = bounds.dimension == trace::Dimension::tokens ? "tokens" : "longest";
    add("PyTorch", fmt::format("bounds = torch.tensor([{0}]); {1} = bounds[torch.bucketize({1}, bounds)]",
                               list_of(bounds.best.upper), length));
    return;
  }
  add("tf.data", fmt::format("bucket_by_sequence_length(bucket_boundaries=[{}], pad_to_bucket_boundary=True)",
                             exclusive(bounds.best)));
  if (bounds.seconds.empty()) {
    add("Lhotse, NeMo", "none: they take seconds, and the manifest has no durations");
    return;
  }
  add("Lhotse", fmt::format("DynamicBucketingSampler(duration_bins=[{}])", duration_bins(bounds)));
  add("NeMo", fmt::format("num_buckets={} bucket_duration_bins=[{}]", bounds.seconds.size(), duration_bins(bounds)));
}

}  // namespace

TextTable bounds_table(const forecast::Forecast& forecast) {
  TextTable table{{{"padded up", "to", "lengths", "extra padding"}}, 2};
  TextTable settings{{{"padded up", "in", "setting"}}, 3};
  for (const BoundsComparison& bounds : forecast.bounds) {
    table.rows.push_back(bounds_row(bounds, "fewest tokens", bounds.best));
    table.rows.push_back(bounds_row(bounds, "powers of two", bounds.powers_of_two));
    table.rows.push_back(bounds_row(bounds, "multiples of 64", bounds.multiples_of_64));
    add_settings(settings, bounds);
  }
  table.below.push_back(std::move(settings));
  return table;
}

void append_bounds_rows(DataTable& figures, const forecast::Forecast& forecast) {
  for (const BoundsComparison& bounds : forecast.bounds) {
    const std::string of = bounds.padded == Padded::samples ? "samples" : std::string(name_of(bounds.dimension));
    const auto add = [&](const char* way, const Bounds& found) {
      figures.rows.push_back({fmt::format("{}_padded_to_{}", of, way), found.tokens});
      figures.rows.push_back({fmt::format("{}_{}", of, way), found.upper.size()});
    };
    add("best_bounds", bounds.best);
    add("powers_of_two", bounds.powers_of_two);
    add("multiples_of_64", bounds.multiples_of_64);
  }
}

}  // namespace seqpoint::io::views
