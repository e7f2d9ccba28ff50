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

std::string what_is_padded(const BoundsComparison& bounds) {
  return bounds.padded == Padded::samples ? "samples"
                                          : std::string("batches, ") + std::string(name_of(bounds.dimension));
}

std::vector<std::string> bounds_row(const BoundsComparison& from, std::string way, const Bounds& bounds) {
  const double extra = static_cast<double>(bounds.tokens) / static_cast<double>(from.tokens) - 1;
  return {what_is_padded(from), std::move(way), std::to_string(bounds.upper.size()), percent_text(extra)};
}

template <class Numbers>
std::string list_of(const Numbers& numbers) {
  std::string text;
  for (const auto& number : numbers) text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
  return text;
}

/// Lhotse asks in which bucket a duration belongs with bisect_left. The last bucket has no upper bound but where each
/// bucket has a batch size.
std::string duration_bins(const BoundsComparison& bounds) {
  std::vector<std::string> bins;
  for (std::size_t b = 0; b + (bounds.largest.empty() ? 1 : 0) < bounds.seconds.size(); ++b)
    bins.push_back(text::shortest(bounds.seconds[b]));
  return list_of(bins);
}

/// The bounds of bucket_by_sequence_length are exclusive, and what it pads to is one less.
std::string exclusive(const Bounds& bounds) {
  std::vector<std::uint64_t> above = bounds.upper;
  for (std::uint64_t& bound : above) ++bound;
  return list_of(above);
}

std::string batch_sizes(const BoundsComparison& bounds) {
  std::vector<std::uint64_t> sizes;
  for (const forecast::LargestBatch& batch : bounds.largest) sizes.push_back(batch.size);
  return list_of(sizes);
}

void add_settings_of_batches(const BoundsComparison& bounds, const auto& add) {
  if (std::ranges::any_of(bounds.largest, [](const auto& batch) { return batch.size == 0; }))
    return add("any", "none: not even one of the longest samples fits");
  const std::string sizes = batch_sizes(bounds), bins = duration_bins(bounds);
  // One more for what is longer than the last bound, of which there is nothing.
  add("tf.data", fmt::format("bucket_by_sequence_length(bucket_boundaries=[{}], bucket_batch_sizes=[{}, 1], "
                             "pad_to_bucket_boundary=True)",
                             exclusive(bounds.best), sizes));
  if (bounds.seconds.empty()) return;
  add("Lhotse", fmt::format("DynamicBucketingSampler(duration_bins=[{0}], constraint=FixedBucketBatchSizeConstraint("
                            "max_seq_len_buckets=[{0}], batch_sizes=[{1}]))",
                            bins, sizes));
  add("NeMo", fmt::format("bucket_duration_bins=[{}] bucket_batch_size=[{}]", bins, sizes));
}

void add_settings(TextTable& table, const BoundsComparison& bounds) {
  const std::string what = what_is_padded(bounds);
  const auto add = [&](std::string framework, std::string setting) {
    table.rows.push_back({what, std::move(framework), std::move(setting)});
  };
  if (bounds.padded == Padded::batches) {
    add("PyTorch", fmt::format("bounds = torch.tensor([{}]); longest = bounds[torch.bucketize(longest, bounds)]",
                               list_of(bounds.fastest.value_or(bounds.best).upper)));
    return;
  }
  if (!bounds.largest.empty()) return add_settings_of_batches(bounds, add);
  add("tf.data", fmt::format("bucket_by_sequence_length(bucket_boundaries=[{}], pad_to_bucket_boundary=True)",
                             exclusive(bounds.best)));
  if (bounds.seconds.empty()) {
    add("Lhotse, NeMo", "none: they take seconds, and the manifest has no durations");
    return;
  }
  add("Lhotse", fmt::format("DynamicBucketingSampler(duration_bins=[{}])", duration_bins(bounds)));
  add("NeMo", fmt::format("num_buckets={} bucket_duration_bins=[{}]", bounds.seconds.size(), duration_bins(bounds)));
}

TextTable largest_table(const BoundsComparison& bounds) {
  TextTable table{{{"samples up to", "largest batch", "as predicted", "GiB", "± (95 %)", "beyond measured"}}, 0};
  for (std::size_t b = 0; b < bounds.largest.size(); ++b) {
    const forecast::LargestBatch& batch = bounds.largest[b];
    table.rows.push_back({std::to_string(bounds.best.upper[b]), std::to_string(batch.size),
                          std::to_string(batch.likely), number_text(batch.needed / 0x1p30),
                          percent_text(batch.half_width / batch.needed, 2), percent_text(batch.beyond)});
  }
  return table;
}

}  // namespace

TextTable bounds_table(const forecast::Forecast& forecast) {
  TextTable table{{{"padded up", "to", "lengths", "extra padding"}}, 2};
  TextTable settings{{{"padded up", "in", "setting"}}, 3};
  for (const BoundsComparison& bounds : forecast.bounds) {
    if (bounds.fastest) table.rows.push_back(bounds_row(bounds, "fastest", *bounds.fastest));
    table.rows.push_back(bounds_row(bounds, "fewest tokens", bounds.best));
    table.rows.push_back(bounds_row(bounds, "powers of two", bounds.powers_of_two));
    table.rows.push_back(bounds_row(bounds, "multiples of 64", bounds.multiples_of_64));
    add_settings(settings, bounds);
  }
  for (const BoundsComparison& bounds : forecast.bounds)
    if (!bounds.largest.empty()) table.below.push_back(largest_table(bounds));
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
    if (bounds.fastest) add("fastest_bounds", *bounds.fastest);
    add("best_bounds", bounds.best);
    add("powers_of_two", bounds.powers_of_two);
    add("multiples_of_64", bounds.multiples_of_64);
    for (std::size_t b = 0; b < bounds.largest.size(); ++b) {
      const forecast::LargestBatch& batch = bounds.largest[b];
      const auto add_largest = [&](const char* what, Cell value) {
        figures.rows.push_back({fmt::format("{}_up_to_{}", what, bounds.best.upper[b]), std::move(value)});
      };
      add_largest("largest_batch", batch.size);
      add_largest("likely_batch", batch.likely);
      add_largest("bytes", batch.needed);
      add_largest("bytes_half_width", batch.half_width);
      add_largest("beyond_measured", batch.beyond);
    }
  }
}

}  // namespace seqpoint::io::views
