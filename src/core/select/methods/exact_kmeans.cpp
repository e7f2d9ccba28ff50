#include "core/select/methods/exact_kmeans.hpp"

#include <algorithm>
#include <limits>

namespace seqpoint::select::methods {

IntervalCost::IntervalCost(std::span<const ValueCount> values) : wide_(1) {
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

ExactKmeans::ExactKmeans(std::span<const ValueCount> values) : cost_(values), best_(cost_.size() + 1) {
  for (std::size_t end = 1; end <= cost_.size(); ++end) best_[end] = cost_(0, end);
  begins_.emplace_back(cost_.size() + 1, 0);
}

std::vector<Stratum> ExactKmeans::clusters(std::uint64_t k) {
  while (begins_.size() < k) add_layer();
  std::vector<Stratum> strata(k);
  std::size_t end = cost_.size();
  for (std::size_t layer = k; layer-- > 0;) {
    strata[layer] = {begins_[layer][end], end};
    end = begins_[layer][end];
  }
  return strata;
}

/// Solves all prefixes of the values with one more cluster.
void ExactKmeans::add_layer() {
  const std::size_t clusters = begins_.size() + 1;
  begins_.emplace_back(cost_.size() + 1, 0);
  std::vector<double> next(best_.size(), std::numeric_limits<double>::infinity());
  fill(next, clusters, cost_.size() + 1, clusters - 1, cost_.size());
  best_ = std::move(next);
}

/// Solves the prefixes with ends in [low, high), whose best beginnings of the last cluster lie in [from, to]. `next`:
/// their smallest costs, by end.
void ExactKmeans::fill(std::vector<double>& next, std::size_t low, std::size_t high, std::size_t from, std::size_t to) {
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

}  // namespace seqpoint::select::methods
