#include "core/forecast/forecast.hpp"

#include <algorithm>
#include <bit>

namespace seqpoint::forecast {
namespace {

/// Adds sequences of a length that is not below the last one in `counts`.
void add(LengthCounts& counts, std::uint32_t length, std::uint64_t sequences) {
  if (counts.empty() || counts.back().length != length) counts.push_back({length, 0});
  counts.back().sequences += sequences;
}

/// The values that `up`, a monotone rule, rounds some length to, and the tokens of all lengths rounded so.
template <class Rounding>
Bounds rounded_up(std::span<const LengthCount> lengths, Rounding up) {
  Bounds bounds;
  for (const LengthCount& l : lengths) {
    const std::uint64_t bound = up(std::uint64_t{l.length});
    if (bounds.upper.empty() || bounds.upper.back() != bound) bounds.upper.push_back(bound);
    bounds.tokens += bound * l.sequences;
  }
  return bounds;
}

/// The bounds with the fewest tokens, by dynamic programming over prefixes of the lengths and the number of bounds.
class FewestTokens {
 public:
  /// For a number of bounds from 1 to the number of lengths.
  FewestTokens(std::span<const LengthCount> lengths, std::size_t bounds) : lengths_(lengths), before_{0} {
    for (const LengthCount& l : lengths) before_.push_back(before_.back() + l.sequences);
    fewest_.resize(lengths.size() + 1);
    for (std::size_t end = 1; end <= lengths.size(); ++end) fewest_[end] = tokens(0, end);
    while (starts_.size() + 1 < bounds) add_bound();
  }

  /// Positions of the lengths that are bounds, ascending.
  std::vector<std::size_t> bounds() const {
    std::vector<std::size_t> found{lengths_.size() - 1};
    for (std::size_t b = starts_.size(); b-- > 0;) found.push_back(starts_[b][found.back() + 1] - 1);
    std::reverse(found.begin(), found.end());
    return found;
  }
  /// The tokens with all lengths padded to these bounds.
  std::uint64_t total() const { return fewest_.back(); }

 private:
  /// Tokens of the lengths [begin, end), padded to the longest of them.
  std::uint64_t tokens(std::size_t begin, std::size_t end) const {
    return lengths_[end - 1].length * (before_[end] - before_[begin]);
  }

  /// Solves all prefixes with one more bound.
  void add_bound() {
    const std::size_t bounds = starts_.size() + 2;  // each bound is the length of at least one sequence
    std::vector<std::uint64_t> with_one_more(fewest_.size());
    starts_.emplace_back(fewest_.size());
    fill(with_one_more, {bounds, lengths_.size() + 1}, {bounds - 1, lengths_.size()});
    fewest_ = std::move(with_one_more);
  }

  struct Range {
    std::size_t begin = 0, end = 0;
  };
  /// Solves the prefixes of length `ends`, whose last bound's first length is among `starts` (divide and conquer). Both
  /// ranges exclude their end. Ties go to the smallest start.
  void fill(std::vector<std::uint64_t>& with_one_more, Range ends, Range starts) {
    if (ends.begin >= ends.end) return;
    const std::size_t end = ends.begin + (ends.end - ends.begin) / 2;
    std::size_t best = starts.begin;
    const auto with = [&](std::size_t start) { return fewest_[start] + tokens(start, end); };
    for (std::size_t start = starts.begin + 1; start < std::min(starts.end, end); ++start)
      if (with(start) < with(best)) best = start;
    with_one_more[end] = with(best);
    starts_.back()[end] = static_cast<std::uint32_t>(best);
    fill(with_one_more, {ends.begin, end}, {starts.begin, best + 1});
    fill(with_one_more, {end + 1, ends.end}, {best, starts.end});
  }

  std::span<const LengthCount> lengths_;
  std::vector<std::uint64_t> before_;               ///< number of sequences in each prefix of the lengths
  std::vector<std::uint64_t> fewest_;               ///< fewest tokens of each prefix, with the current number of bounds
  std::vector<std::vector<std::uint32_t>> starts_;  ///< for each bound but the first, by prefix: where its lengths
                                                    ///< begin
};

/// The best `most` bounds, powers of two and multiples of 64 for these lengths; what is padded is left at its default.
BoundsComparison comparison_of(const LengthCounts& lengths, std::uint64_t most) {
  return {.tokens = tokens_of(lengths),
          .best = best_bounds(lengths, most),
          .powers_of_two = powers_of_two(lengths),
          .multiples_of_64 = multiples_of(64, lengths),
          .seconds = {}};
}

/// For each bound, the longest duration of the samples that are padded to it, in seconds: a sample within a bound by
/// length also has to be within its duration. `bounds` ascend to the longest length or above.
std::vector<double> longest_seconds(const lengths::Lengths& lengths, std::span<const std::uint64_t> bounds) {
  std::vector<double> longest(bounds.size(), 0);
  for (std::size_t i = 0; i < lengths.seconds.size(); ++i) {
    const auto within = std::lower_bound(bounds.begin(), bounds.end(), lengths.src[i]) - bounds.begin();
    double& most = longest[static_cast<std::size_t>(within)];
    most = std::max(most, lengths.seconds[i]);
  }
  return longest;
}

/// For single samples, each with the length of its longer side; with durations if they are known and samples have one
/// side.
BoundsComparison comparison_of_samples(const lengths::Lengths& lengths, std::uint64_t most) {
  std::vector<std::uint32_t> longer = lengths.src;
  for (std::size_t i = 0; i < lengths.tgt.size(); ++i) longer[i] = std::max(longer[i], lengths.tgt[i]);
  BoundsComparison comparison = comparison_of(lengths_of_samples(longer), most);
  comparison.padded = Padded::samples;
  if (!lengths.seconds.empty() && !lengths.paired())
    comparison.seconds = longest_seconds(lengths, comparison.best.upper);
  return comparison;
}

}  // namespace

LengthCounts lengths_of_batches(const trace::RunSummary& run, trace::Dimension dimension) {
  std::vector<LengthCount> all;
  for (const auto& [shape, count] : run.histogram)
    all.push_back({static_cast<std::uint32_t>(shape[dimension]),
                   dimension == trace::Dimension::tokens ? count : count * shape.batch_size});
  std::sort(all.begin(), all.end(), [](const LengthCount& a, const LengthCount& b) { return a.length < b.length; });
  LengthCounts counts;
  for (const LengthCount& l : all)
    if (l.sequences > 0) add(counts, l.length, l.sequences);
  return counts;
}

LengthCounts lengths_of_samples(std::span<const std::uint32_t> lengths) {
  std::vector<std::uint32_t> sorted(lengths.begin(), lengths.end());
  std::sort(sorted.begin(), sorted.end());
  LengthCounts counts;
  for (const std::uint32_t length : sorted) add(counts, length, 1);
  return counts;
}

std::uint64_t tokens_of(std::span<const LengthCount> lengths) {
  std::uint64_t tokens = 0;
  for (const LengthCount& l : lengths) tokens += l.length * l.sequences;
  return tokens;
}

Bounds best_bounds(std::span<const LengthCount> lengths, std::uint64_t most) {
  Bounds bounds;
  if (lengths.empty()) return bounds;
  const FewestTokens fewest(lengths, std::min<std::uint64_t>(most, lengths.size()));
  for (const std::size_t at : fewest.bounds()) bounds.upper.push_back(lengths[at].length);
  bounds.tokens = fewest.total();
  return bounds;
}

Bounds powers_of_two(std::span<const LengthCount> lengths) {
  return rounded_up(lengths, [](std::uint64_t length) { return std::bit_ceil(length); });
}

Bounds multiples_of(std::uint64_t m, std::span<const LengthCount> lengths) {
  return rounded_up(lengths, [m](std::uint64_t length) { return (length + m - 1) / m * m; });
}

std::vector<BoundsComparison> compare_bounds(const trace::RunSummary& run, const lengths::Lengths* lengths,
                                             std::uint64_t most) {
  std::vector<BoundsComparison> comparisons;
  for (const trace::Dimension d : {trace::Dimension::src_len, trace::Dimension::tgt_len, trace::Dimension::tokens}) {
    if (std::ranges::count(trace::dimensions_of(run.kind), d) == 0) continue;
    comparisons.push_back(comparison_of(lengths_of_batches(run, d), most));
    comparisons.back().dimension = d;
  }
  if (lengths != nullptr && run.kind != trace::ShapeKind::varlen)
    comparisons.push_back(comparison_of_samples(*lengths, most));
  return comparisons;
}

}  // namespace seqpoint::forecast
