/// \file
/// Bin packing, one item at a time, in logarithmic time: best fit.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace seqpoint::batching {

/// Puts each item into the bin with the least space that is enough; ties go to the bin that has had this space longest.
/// If no bin has enough, a new one is opened. Full bins take no more, not even an empty item.
class BestFit {
 public:
  explicit BestFit(std::uint64_t capacity) : capacity_(capacity) {}

  /// Places an item and returns the number of its bin, from 0 in the order of opening. 0 < size <= capacity.
  std::uint32_t place(std::uint64_t size);
  /// The number of bins opened so far.
  std::size_t bins() const { return bins_; }

 private:
  std::uint64_t capacity_;
  std::uint64_t turn_ = 0;
  std::uint32_t bins_ = 0;
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> open_;  ///< space, turn since which the bin has had
                                                                            ///< it, bin
};

}  // namespace seqpoint::batching
