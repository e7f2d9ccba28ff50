// Weighted k-means of the unique lengths, exact in one dimension: the best clusters are intervals, so dynamic
// programming over where the last interval begins finds them (Fisher 1958; Wang and Song 2011). The best beginning never
// moves left as the end moves right, so each layer is filled by divide and conquer in O(n log n).
#include <limits>

#include "grow.hpp"
#include "methods.hpp"

namespace seqpoint {
namespace {

__extension__ using Wide = unsigned __int128;

/// Sum of squared distances to the mean of any interval of groups, from prefix sums in exact integers: what cancels in
/// floating point does not here. Lengths are taken from the shortest on, which keeps the sums small.
class IntervalCost {
 public:
  explicit IntervalCost(const Population& all) : count_{0}, sum_{0}, square_{0} {
    for (const LengthGroup& group : all.groups) {
      const Wide length = group.src_len - all.shortest();
      count_.push_back(count_.back() + group.count);
      sum_.push_back(sum_.back() + length * group.count);
      square_.push_back(square_.back() + length * length * group.count);
    }
  }
  std::size_t groups() const { return count_.size() - 1; }

  double operator()(std::size_t begin, std::size_t end) const {
    const Wide n = count_[end] - count_[begin], s = sum_[end] - sum_[begin], q = square_[end] - square_[begin];
    // sum (x - mean)^2 = q - s^2 / n, split so that nothing overflows 128 bits: s = n * whole + rest.
    const Wide whole = s / n, rest = s % n;
    const Wide integral = q - whole * s - whole * rest;
    return static_cast<double>(integral) - static_cast<double>(rest) * static_cast<double>(rest) / static_cast<double>(n);
  }

 private:
  std::vector<std::uint64_t> count_;
  std::vector<Wide> sum_, square_;
};

/// Layer k of the dynamic program: the least cost of the first `end` groups in k clusters, and where the last one begins
/// (the leftmost of equally good places).
class ExactKmeans {
 public:
  explicit ExactKmeans(const Population& all) : cost_(all), best_(cost_.groups() + 1) {
    for (std::size_t end = 1; end <= cost_.groups(); ++end) best_[end] = cost_(0, end);
    begins_.push_back(std::vector<std::uint32_t>(cost_.groups() + 1, 0));
  }

  /// k clusters, 1 <= k <= groups.
  std::vector<Stratum> clusters(std::uint64_t k) {
    while (begins_.size() < k) add_layer();
    std::vector<Stratum> strata(k);
    std::size_t end = cost_.groups();
    for (std::size_t layer = k; layer-- > 0;) {
      strata[layer] = {begins_[layer][end], end};
      end = begins_[layer][end];
    }
    return strata;
  }

 private:
  void add_layer() {
    const std::size_t clusters = begins_.size() + 1;
    begins_.emplace_back(cost_.groups() + 1, 0);
    std::vector<double> next(best_.size(), std::numeric_limits<double>::infinity());
    fill(next, clusters, cost_.groups() + 1, clusters - 1, cost_.groups());
    best_ = std::move(next);
  }

  /// Ends in [low, high), whose best beginnings lie in [from, to].
  void fill(std::vector<double>& next, std::size_t low, std::size_t high, std::size_t from, std::size_t to) {
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

  IntervalCost cost_;
  std::vector<double> best_;
  std::vector<std::vector<std::uint32_t>> begins_;
};

std::vector<Choice> choose_kmeans(const Population& all, const SelectParams& params, MethodRecord& record,
                                  std::vector<std::string>& notes) {
  ExactKmeans kmeans(all);
  const auto cut = [&](std::uint64_t k) { return kmeans.clusters(std::min<std::uint64_t>(k, all.groups.size())); };
  return choose_by_strata(all, params, cut, record, notes);
}

}  // namespace

const Method kKmeans{"kmeans",
                     "clusters of lengths with the least squared distance, exactly; in each, as bins",
                     "Fisher 1958; Wang and Song, R Journal 2011",
                     Method::Points::optional,
                     true,
                     true,
                     false,
                     false,
                     kGrowOptions,
                     choose_kmeans};

}  // namespace seqpoint
