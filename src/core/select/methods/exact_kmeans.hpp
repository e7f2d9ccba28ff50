/// \file
/// Weighted k-means in one dimension, exactly.
#pragma once

#include <cstdint>
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
  explicit IntervalCost(std::span<const ValueCount> values);
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
  explicit ExactKmeans(std::span<const ValueCount> values);
  /// k clusters of consecutive values, 1 <= k <= values. A later call with a larger k continues from the last layer.
  std::vector<Stratum> clusters(std::uint64_t k);

 private:
  void add_layer();
  void fill(std::vector<double>& next, std::size_t low, std::size_t high, std::size_t from, std::size_t to);

  IntervalCost cost_;
  std::vector<double> best_;  ///< smallest costs of the previous layer, by end
  std::vector<std::vector<std::uint32_t>> begins_;
};

}  // namespace seqpoint::select::methods
