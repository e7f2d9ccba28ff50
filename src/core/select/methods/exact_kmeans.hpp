/// \file
/// Weighted k-means in one dimension, exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/select/population.hpp"

namespace seqpoint::select::methods {

__extension__ using Wide = __int128;

/// A value and how often it occurs.
struct ValueCount {
  std::uint32_t value = 0;
  std::uint64_t count = 0;  ///< >= 1
};

/// Sum of squared distances to the mean of any interval of values, from prefix sums in exact integers, which lose no
/// digits by cancellation. Values are relative to the smallest, which keeps the sums small; 64 bits are enough for
/// nearly all runs, and are several times as fast.
class IntervalCost {
 public:
  /// `values` ascending and different, at least one.
  explicit IntervalCost(std::span<const ValueCount> values) : wide_(1) {
    for (const ValueCount& entry : values) {
      const Wide value = entry.value - values.front().value, count = static_cast<Wide>(entry.count);
      const Sums<Wide>& last = wide_.back();
      wide_.push_back({last.count + count, last.sum + value * count, last.square + value * value * count});
    }
    if (wide_.back().square + wide_.back().count < Wide{1} << 61) {
      for (const Sums<Wide>& sums : wide_)
        narrow_.push_back({static_cast<std::int64_t>(sums.count), static_cast<std::int64_t>(sums.sum),
                           static_cast<std::int64_t>(sums.square)});
      wide_.clear();
    }
  }

  /// The number of values.
  std::size_t size() const { return (narrow_.empty() ? wide_.size() : narrow_.size()) - 1; }
  /// The sum of squared distances of the values [begin, end), at least one, to their mean.
  double operator()(std::size_t begin, std::size_t end) const {
    return narrow_.empty() ? of(wide_[begin], wide_[end]) : of(narrow_[begin], narrow_[end]);
  }

 private:
  template <class Integer>
  struct Sums {
    Integer count = 0, sum = 0, square = 0;
  };
  /// sum (x - mean)^2 = q - s^2 / n, split so that nothing overflows: s = n * whole + rest holds exactly, whichever
  /// whole number next to s / n (below 2^32) the division by doubles gives.
  template <class Integer>
  static double of(const Sums<Integer>& before, const Sums<Integer>& until) {
    const Integer n = until.count - before.count, s = until.sum - before.sum, q = until.square - before.square;
    const double inverse = 1 / static_cast<double>(n);
    const Integer whole = static_cast<Integer>(static_cast<double>(s) * inverse), rest = s - whole * n;
    const Integer integral = q - whole * (s + rest);
    return static_cast<double>(integral) - static_cast<double>(rest) * static_cast<double>(rest) * inverse;
  }

  std::vector<Sums<Wide>> wide_;
  std::vector<Sums<std::int64_t>> narrow_;  ///< used instead if they fit
};

/// The best clusters are intervals, so dynamic programming over the beginning of the last interval finds them (Fisher
/// 1958; Wang and Song 2011). The best beginning never moves left as the end moves right, nor as clusters are added, so
/// each layer is filled by divide and conquer, O(n log n). Ties go to the leftmost beginning. No seeds and no restarts.
/// Memory: 4 k n bytes.
class ExactKmeans {
 public:
  /// `values` ascending and different, at least one.
  explicit ExactKmeans(std::span<const ValueCount> values) : cost_(values), best_(cost_.size() + 1) {
    for (std::size_t end = 1; end <= cost_.size(); ++end) best_[end] = cost_(0, end);
    begins_.emplace_back(cost_.size() + 1, 0);
  }

  /// k clusters of consecutive values, 1 <= k <= values. A later call with a larger k continues from the last layer.
  std::vector<Stratum> clusters(std::uint64_t k) {
    while (begins_.size() < k) add_layer();
    std::vector<Stratum> strata(k);
    std::size_t end = cost_.size();
    for (std::size_t layer = k; layer-- > 0;) {
      strata[layer] = {begins_[layer][end], end};
      end = begins_[layer][end];
    }
    return strata;
  }

 private:
  /// Solves all prefixes of the values with one more cluster.
  void add_layer() {
    const std::size_t clusters = begins_.size() + 1;
    begins_.emplace_back(cost_.size() + 1, 0);
    std::vector<double> next(best_.size(), std::numeric_limits<double>::infinity());
    fill(next, clusters, cost_.size() + 1, clusters - 1, cost_.size());
    best_ = std::move(next);
  }

  /// Solves the prefixes with ends in [low, high), whose best beginnings of the last cluster lie in [from, to]. `next`:
  /// their smallest costs, by end.
  void fill(std::vector<double>& next, std::size_t low, std::size_t high, std::size_t from, std::size_t to) {
    if (low >= high) return;
    const std::size_t end = low + (high - low) / 2;
    // With one cluster less, the last cluster began no further right. Also, best_ grows with `begin`: once it is above
    // the smallest total, no later beginning is better.
    std::size_t chosen = std::clamp<std::size_t>(begins_[begins_.size() - 2][end], from, std::min(to, end - 1));
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t begin = chosen; begin <= to && begin < end && best_[begin] <= least; ++begin) {
      const double total = best_[begin] + cost_(begin, end);
      if (!(total < least)) continue;
      least = total;
      chosen = begin;
    }
    next[end] = least;
    begins_.back()[end] = static_cast<std::uint32_t>(chosen);
    fill(next, low, end, from, chosen);
    fill(next, end + 1, high, chosen, to);
  }

  IntervalCost cost_;
  std::vector<double> best_;  ///< smallest costs of the previous layer, by end
  std::vector<std::vector<std::uint32_t>> begins_;
};

}  // namespace seqpoint::select::methods
