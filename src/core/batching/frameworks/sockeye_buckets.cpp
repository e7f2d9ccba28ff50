// define_parallel_buckets, get_parallel_bucket and define_bucket_batch_sizes of sockeye/data_io.py.
#include "core/batching/frameworks/sockeye_buckets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks::sockeye {
namespace {

constexpr std::array<std::string_view, 3> kSockeyeBatchTypes{"sentence", "word", "max-word"};
constexpr std::uint32_t kSpecialSymbols = 1;  // --max-seq-len does not count </s> and <s>

/// Welford's mean, value after value, as utils.OnlineMeanAndVariance has it.
void update_mean(double& mean, std::uint64_t count, double value) {
  mean += (value - mean) / static_cast<double>(count);
}

/// One length stands for both sides.
std::uint32_t target_length(const lengths::Lengths& lengths, std::size_t row) {
  return lengths.paired() ? lengths.tgt[row] : lengths.src[row];
}

/// A pair with an empty side is skipped.
bool fits(const lengths::Lengths& lengths, std::size_t row, Bound bound) {
  const std::uint32_t src = lengths.src[row], tgt = target_length(lengths, row);
  return src > 0 && tgt > 0 && src <= bound.src && tgt <= bound.tgt;
}

Bound longest_allowed(const BatchPolicy& policy) {
  const std::string_view text = policy.options.text("max-seq-len").value_or("95");
  const auto number = [&](std::string_view part) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size() || value == 0 || value > 1U << 24U)
      throw ParameterError("max-seq-len", fmt::format(": '{}' is not a length", text), "X, or SOURCE:TARGET");
    return value + kSpecialSymbols;
  };
  const std::size_t colon = text.find(':');
  return {number(text.substr(0, colon)), number(colon == std::string_view::npos ? text : text.substr(colon + 1))};
}

double mean_length_ratio(const lengths::Lengths& lengths, Bound longest) {
  double mean = 0;
  std::uint64_t count = 0;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    if (!fits(lengths, row, longest)) continue;
    update_mean(mean, ++count,
                static_cast<double>(target_length(lengths, row)) / static_cast<double>(lengths.src[row]));
  }
  if (count == 0) throw ParameterError("max-seq-len", ": no sentence pair fits", "a larger one");
  return mean;
}

/// Every `width` tokens up to the longest.
std::vector<std::uint32_t> bounds_of_side(std::uint32_t longest, std::uint32_t width) {
  std::vector<std::uint32_t> bounds;
  for (std::uint32_t bound = width; bound < longest + width; bound += width) bounds.push_back(bound);
  bounds.back() = longest;
  return bounds;
}

std::vector<Bound> bounds_of_buckets(const lengths::Lengths& lengths, const BatchPolicy& policy) {
  const Bound longest = longest_allowed(policy);
  const double ratio = mean_length_ratio(lengths, longest);
  if (policy.options.has("no-bucketing")) return {longest};
  const std::uint64_t width = policy.options.count_or("bucket-width", 8);
  if (width == 0 || width > 1U << 24U) throw ParameterError("bucket-width", "must be between 1 and 16777216");
  // The longer side has the full width. Python's round: half to even.
  const auto scaled = [&](double exact) { return static_cast<std::uint32_t>(std::max(1.0, std::nearbyint(exact))); };
  const auto full = static_cast<double>(width);
  const bool scaling = policy.options.has("bucket-scaling");
  auto src = bounds_of_side(longest.src, scaled(scaling && ratio >= 1 ? full / ratio : full));
  auto tgt = bounds_of_side(longest.tgt, scaled(scaling && ratio < 1 ? full * ratio : full));
  src.resize(std::max(src.size(), tgt.size()), src.back());
  tgt.resize(src.size(), tgt.back());
  std::vector<Bound> bounds;
  for (std::size_t i = 0; i < src.size(); ++i) {
    const Bound bound{std::max(2U, src[i]), std::max(2U, tgt[i])};
    if (bounds.empty() || bound.src != bounds.back().src || bound.tgt != bounds.back().tgt) bounds.push_back(bound);
  }
  return bounds;
}

[[noreturn]] void refuse_batch_size(const BatchPolicy& policy, Bound bound) {
  throw ParameterError(
      "batch_size",
      fmt::format("{} words cannot hold a target of {} tokens in the wanted multiple of sentences", policy.batch_size,
                  bound.tgt),
      "a larger `batch_size`, a smaller `max-seq-len` or `batch-sentences-multiple-of`, or `batch-type` sentence");
}

std::size_t batch_size_of(const Bucket& bucket, const BatchPolicy& policy) {
  const std::string_view type = policy.options.one_of("batch-type", kSockeyeBatchTypes);
  const std::uint64_t multiple = policy.options.count_or("batch-sentences-multiple-of", 8);
  if (type == "sentence") return policy.batch_size;
  if (multiple == 0) throw ParameterError("batch-sentences-multiple-of", "must be 1 or more");
  if (bucket.bound.tgt > policy.batch_size) refuse_batch_size(policy, bucket.bound);
  if (type == "max-word") {
    const std::uint64_t rounds = policy.batch_size / bucket.bound.tgt / multiple;
    if (rounds == 0) refuse_batch_size(policy, bucket.bound);
    return rounds * multiple;
  }
  const double mean = bucket.rows.empty() ? static_cast<double>(bucket.bound.tgt) : bucket.mean_target;
  const double rounds = std::nearbyint(static_cast<double>(policy.batch_size) / mean / static_cast<double>(multiple));
  return multiple * static_cast<std::uint64_t>(std::max(1.0, rounds));
}

}  // namespace

std::vector<Bucket> make_buckets(const lengths::Lengths& lengths, const BatchPolicy& policy) {
  std::vector<Bucket> buckets;
  for (const Bound bound : bounds_of_buckets(lengths, policy)) buckets.push_back({.bound = bound, .rows = {}});
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const auto bucket =
        std::find_if(buckets.begin(), buckets.end(), [&](const Bucket& b) { return fits(lengths, row, b.bound); });
    if (bucket == buckets.end()) continue;
    bucket->rows.push_back(static_cast<std::uint32_t>(row));
    update_mean(bucket->mean_target, bucket->rows.size(), target_length(lengths, row));
  }
  for (Bucket& bucket : buckets) bucket.batch_size = batch_size_of(bucket, policy);
  return buckets;
}

}  // namespace seqpoint::batching::frameworks::sockeye
