#include "exact_kmeans.hpp"

#include <limits>

namespace seqpoint {

IntervalCost::IntervalCost(std::span<const ValueCount> values) : count_{0}, sum_{0}, square_{0} {
  for (const ValueCount& entry : values) {
    const Wide value = entry.value - values.front().value;
    count_.push_back(count_.back() + entry.count);
    sum_.push_back(sum_.back() + value * entry.count);
    square_.push_back(square_.back() + value * value * entry.count);
  }
}

double IntervalCost::operator()(std::size_t begin, std::size_t end) const {
  const Wide n = count_[end] - count_[begin], s = sum_[end] - sum_[begin], q = square_[end] - square_[begin];
  // sum (x - mean)^2 = q - s^2 / n, split so that nothing overflows 128 bits: s = n * whole + rest.
  const Wide whole = s / n, rest = s % n;
  const Wide integral = q - whole * s - whole * rest;
  return static_cast<double>(integral) - static_cast<double>(rest) * static_cast<double>(rest) / static_cast<double>(n);
}

ExactKmeans::ExactKmeans(std::span<const ValueCount> values) : cost_(values), best_(cost_.size() + 1) {
  for (std::size_t end = 1; end <= cost_.size(); ++end) best_[end] = cost_(0, end);
  begins_.push_back(std::vector<std::uint32_t>(cost_.size() + 1, 0));
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

void ExactKmeans::add_layer() {
  const std::size_t clusters = begins_.size() + 1;
  begins_.emplace_back(cost_.size() + 1, 0);
  std::vector<double> next(best_.size(), std::numeric_limits<double>::infinity());
  fill(next, clusters, cost_.size() + 1, clusters - 1, cost_.size());
  best_ = std::move(next);
}

/// Ends in [low, high), whose best beginnings lie in [from, to].
void ExactKmeans::fill(std::vector<double>& next, std::size_t low, std::size_t high, std::size_t from, std::size_t to) {
  if (low >= high) return;
  const std::size_t end = low + (high - low) / 2;
  std::size_t chosen = from;
  for (std::size_t begin = from; begin <= to && begin < end; ++begin) {
    const double total = best_[begin] + cost_(begin, end);
    if (total < next[end]) {
      next[end] = total;
      chosen = begin;
    }
  }
  begins_.back()[end] = static_cast<std::uint32_t>(chosen);
  fill(next, low, end, from, chosen);
  fill(next, end + 1, high, chosen, to);
}

}  // namespace seqpoint
