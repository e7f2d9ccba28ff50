// k-means in one dimension, computed a second time: small runs against every contiguous partition
// there is, in exact rational arithmetic; larger ones against the plain quadratic recurrence in
// long double.
//
// The clusters of a selection are read off its weights: clusters are contiguous and weights are
// their counts, so the cumulative weights say which lengths each one has. Ties between partitions
// are open; only their cost must be least.

#include "core/select/select.hpp"
#include "core/trace/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "property/draw.hpp"

namespace kmeans_oracle {
namespace {

using seqpoint::select::Point;
using seqpoint::select::Selection;
using seqpoint::select::Weight;
using seqpoint::testing::Draw;
using seqpoint::trace::Trace;
__extension__ using Int128 = __int128;

constexpr std::uint64_t kLongest = 0xFFFFFFFFU;

/// Unique lengths, ascending, as offsets from `base` (which no sum of squares depends on), and
/// their counts.
struct Histogram {
  std::uint64_t base = 0;
  std::vector<std::int64_t> offset, count;
  std::size_t size() const { return offset.size(); }
};

Histogram random_histogram(Draw& draw, std::uint64_t max_unique, std::uint64_t span, std::uint64_t max_count) {
  Histogram histogram;
  std::map<std::int64_t, std::int64_t> counts;
  const std::uint64_t unique = draw.between(1, max_unique);
  for (std::uint64_t i = 0; i < unique; ++i)
    counts[static_cast<std::int64_t>(draw.between(0, span))] = static_cast<std::int64_t>(draw.between(1, max_count));
  for (const auto& [offset, count] : counts) {
    histogram.offset.push_back(offset);
    histogram.count.push_back(count);
  }
  // At the top of the range, squares of lengths no longer fit a double.
  const std::uint64_t bases[] = {0, 37, kLongest - span};
  histogram.base = bases[draw.below(3)];
  return histogram;
}

Trace run_of(const Histogram& histogram) {
  Trace run;
  for (std::size_t i = 0; i < histogram.size(); ++i)
    for (std::int64_t n = 0; n < histogram.count[i]; ++n)
      run.shapes.push_back(
          {.src_len = static_cast<std::uint32_t>(histogram.base + static_cast<std::uint64_t>(histogram.offset[i])),
           .batch_size = 8});
  return run;
}

Selection kmeans(const Histogram& histogram, std::uint64_t k) {
  seqpoint::select::SelectParams params;
  params.method = "kmeans";
  params.points = k;
  return seqpoint::select::select(run_of(histogram), params);
}

/// Sums over the lengths [begin, end).
struct Moments {
  Int128 weight = 0, sum = 0, squares = 0;
};

Moments moments(const Histogram& histogram, std::size_t begin, std::size_t end) {
  Moments m;
  for (std::size_t i = begin; i < end; ++i) {
    const Int128 offset = histogram.offset[i], count = histogram.count[i];
    m.weight += count;
    m.sum += count * offset;
    m.squares += count * offset * offset;
  }
  return m;
}

Int128 gcd(Int128 a, Int128 b) { return b == 0 ? a : gcd(b, a % b); }

/// A fraction of 0 or more in lowest terms.
struct Fraction {
  Int128 numerator = 0, denominator = 1;

  friend Fraction operator+(const Fraction& a, const Fraction& b) {
    const Int128 n = a.numerator * b.denominator + b.numerator * a.denominator, d = a.denominator * b.denominator;
    const Int128 common = gcd(n, d);
    return {n / common, d / common};
  }
  friend bool operator<(const Fraction& a, const Fraction& b) {
    return a.numerator * b.denominator < b.numerator * a.denominator;
  }
  friend bool operator==(const Fraction&, const Fraction&) = default;
  double as_double() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

/// Sum of squared distances from the mean: squares - sum^2 / weight.
Fraction exact_cost(const Histogram& histogram, std::size_t begin, std::size_t end) {
  const Moments m = moments(histogram, begin, end);
  return Fraction{} + Fraction{m.squares * m.weight - m.sum * m.sum, m.weight};
}

long double long_cost(const Histogram& histogram, std::size_t begin, std::size_t end) {
  const Moments m = moments(histogram, begin, end);
  return static_cast<long double>(m.squares * m.weight - m.sum * m.sum) / static_cast<long double>(m.weight);
}

/// Where clusters end, ascending; the last end is the number of lengths.
using Ends = std::vector<std::size_t>;

template <class Cost>
auto total_cost(const Histogram& histogram, const Ends& ends, Cost cost) {
  auto total = cost(histogram, 0, ends.front());
  for (std::size_t c = 1; c < ends.size(); ++c) total = total + cost(histogram, ends[c - 1], ends[c]);
  return total;
}

/// The least cost over every way to cut the lengths into `k` contiguous clusters. A set bit i cuts
/// after length i.
Fraction least_by_enumeration(const Histogram& histogram, std::size_t k) {
  Fraction least{std::numeric_limits<std::int64_t>::max(), 1};
  for (std::uint32_t cuts = 0; cuts < 1U << (histogram.size() - 1); ++cuts) {
    Ends ends;
    for (std::size_t i = 0; i + 1 < histogram.size(); ++i)
      if ((cuts >> i & 1U) != 0) ends.push_back(i + 1);
    ends.push_back(histogram.size());
    if (ends.size() == k) least = std::min(least, total_cost(histogram, ends, exact_cost));
  }
  return least;
}

/// best[n]: least cost of the first n lengths in as many clusters as rounds so far.
long double least_by_recurrence(const Histogram& histogram, std::size_t k) {
  const std::size_t n = histogram.size();
  std::map<std::pair<std::size_t, std::size_t>, long double> cost;
  for (std::size_t begin = 0; begin < n; ++begin)
    for (std::size_t end = begin + 1; end <= n; ++end) cost[{begin, end}] = long_cost(histogram, begin, end);
  std::vector<long double> best(n + 1, std::numeric_limits<long double>::infinity());
  best[0] = 0;
  for (std::size_t cluster = 0; cluster < k; ++cluster) {
    std::vector<long double> next(n + 1, std::numeric_limits<long double>::infinity());
    for (std::size_t end = 1; end <= n; ++end)
      for (std::size_t begin = 0; begin < end; ++begin)
        next[end] = std::min(next[end], best[begin] + cost[{begin, end}]);
    best = next;
  }
  return best[n];
}

/// The ends of the clusters of a selection. Fails the test where its weights are not the counts of
/// contiguous clusters.
Ends clusters_of(const Selection& selection, const Histogram& histogram) {
  Ends ends;
  std::size_t end = 0;
  for (const Point& point : selection.points) {
    std::int64_t left = point.weight.millionths;
    while (left > 0 && end < histogram.size()) left -= histogram.count[end++] * Weight::kUnit;
    EXPECT_EQ(left, 0) << point.id << ": its weight is not the count of whole lengths";
    ends.push_back(end);
  }
  EXPECT_EQ(end, histogram.size());
  return ends;
}

/// The offset in [begin, end) nearest to the weighted mean. Distances that differ by less than 1e-9 of the mean are a
/// tie, which goes to the shorter. Both sides times the weight, so that all of it is in integers.
std::int64_t nearest_to_mean(const Histogram& histogram, std::size_t begin, std::size_t end) {
  const Moments m = moments(histogram, begin, end);
  const auto distance = [&](std::size_t i) {
    const Int128 d = histogram.offset[i] * m.weight - m.sum;
    return d < 0 ? -d : d;
  };
  Int128 least = distance(begin);
  for (std::size_t i = begin; i < end; ++i) least = std::min(least, distance(i));
  const Int128 mean = m.sum + static_cast<Int128>(histogram.base) * m.weight;
  std::size_t best = begin;
  while (distance(best) != least && (distance(best) - least) * 1'000'000'000 >= mean) ++best;
  return histogram.offset[best];
}

void expect_representatives_nearest_to_means(const Selection& selection, const Histogram& histogram, const Ends& ends) {
  std::size_t begin = 0;
  for (std::size_t c = 0; c < ends.size(); begin = ends[c++]) {
    const auto offset = static_cast<std::uint64_t>(nearest_to_mean(histogram, begin, ends[c]));
    EXPECT_EQ(selection.points[c].length_group, histogram.base + offset) << selection.points[c].id;
  }
}

TEST(KmeansOracle, CostsWhatTheBestOfAllPartitionsCosts) {
  for (std::uint32_t seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    // Small spans make equal distances, and so ties.
    const Histogram histogram = random_histogram(draw, 10, draw.below(2) == 0 ? 12 : 999, 12);
    const std::uint64_t k = draw.between(1, histogram.size());
    const Selection selection = kmeans(histogram, k);
    ASSERT_EQ(selection.points.size(), k);
    const Ends ends = clusters_of(selection, histogram);
    if (HasFailure()) return;
    const Fraction cost = total_cost(histogram, ends, exact_cost), least = least_by_enumeration(histogram, k);
    EXPECT_EQ(cost, least) << cost.as_double() << " instead of " << least.as_double();
    expect_representatives_nearest_to_means(selection, histogram, ends);
  }
}

TEST(KmeansOracle, CostsWhatTheQuadraticRecurrenceFindsOnLargerRuns) {
  for (std::uint32_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed + 1'000'000);
    const Histogram histogram = random_histogram(draw, 300, draw.below(2) == 0 ? 400 : 1'000'000, 40);
    const std::uint64_t k = std::min<std::uint64_t>(draw.between(1, 20), histogram.size());
    const Selection selection = kmeans(histogram, k);
    ASSERT_EQ(selection.points.size(), k);
    const Ends ends = clusters_of(selection, histogram);
    if (HasFailure()) return;
    const long double cost = total_cost(histogram, ends, long_cost), least = least_by_recurrence(histogram, k);
    EXPECT_LE(cost, least * (1 + 1e-12L));
    expect_representatives_nearest_to_means(selection, histogram, ends);
  }
}

TEST(KmeansOracle, TakesEveryLengthWhereThereAreNoMoreLengthsThanPoints) {
  for (std::uint32_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed + 2'000'000);
    const Histogram histogram = random_histogram(draw, 30, 500, 9);
    const Selection selection = kmeans(histogram, histogram.size() + draw.below(3));
    ASSERT_EQ(selection.points.size(), histogram.size());
    Ends every(histogram.size());
    std::iota(every.begin(), every.end(), std::size_t{1});
    EXPECT_EQ(clusters_of(selection, histogram), every);
  }
}

// 0, 1 and 2, once each, in two clusters: {0} {1 2} and {0 1} {2} cost the same. In either, both
// ends of the pair are equally near to its mean.
TEST(KmeansOracle, TakesTheShorterOfTwoLengthsEquallyNearToTheMean) {
  const Selection selection = kmeans({100, {0, 1, 2}, {1, 1, 1}}, 2);
  ASSERT_EQ(selection.points.size(), 2U);
  EXPECT_EQ(selection.points[0].length_group, 100U);
  EXPECT_EQ(selection.points[1].length_group, selection.points[0].weight.millionths == Weight::kUnit ? 101U : 102U);
}

}  // namespace
}  // namespace kmeans_oracle
