/// \file
/// Bin packing, one item at a time, in logarithmic time: the rules of choice that packers share.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <vector>

namespace seqpoint::batching {

/// Each item into the first bin that has room for it, else into a new one.
class FirstFit {
 public:
  /// A bin holds `most_items` at most. An item larger than `capacity` gets a bin to itself.
  explicit FirstFit(std::uint64_t capacity, std::uint64_t most_items = 0xFFFFFFFFU)
      : capacity_(capacity), most_items_(most_items) {}

  /// The number of the item's bin.
  std::uint32_t place(std::uint64_t size);
  std::size_t bins() const { return items_.size(); }

 private:
  std::uint32_t open_bin();
  void set_room(std::size_t bin, std::uint64_t room);

  std::uint64_t capacity_, most_items_;
  std::vector<std::uint64_t> items_;  ///< one per bin
  /// A heap-shaped tree of maxima over the bins; its second half has one place per bin: free space plus 1, or 0 where
  /// nothing more goes in.
  std::vector<std::uint64_t> room_ = {0, 0};
};

/// Each item into the bin with the least space that is enough; of equals into that which has had this space longest.
/// Full bins take no more, not even an empty item.
class BestFit {
 public:
  explicit BestFit(std::uint64_t capacity) : capacity_(capacity) {}

  /// The number of the item's bin. 0 < size <= capacity.
  std::uint32_t place(std::uint64_t size);
  std::size_t bins() const { return bins_; }

 private:
  std::uint64_t capacity_;
  std::uint64_t turn_ = 0;
  std::uint32_t bins_ = 0;
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> open_;  ///< space, since which turn, bin
};

/// Johnson and Garey's modified first fit decreasing as NeMo RL has it, with the items of each bin: one bin an item
/// above half the capacity, then the largest medium item (above a third) that fits, two small ones (above a sixth)
/// instead, and whatever else fits, largest first. What is left goes into the emptiest of the bins that are then
/// opened. 0 < size <= capacity.
std::vector<std::vector<std::uint32_t>> modified_first_fit_decreasing(std::span<const std::uint32_t> sizes,
                                                                      std::uint64_t capacity);

}  // namespace seqpoint::batching
