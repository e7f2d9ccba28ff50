/// \file
/// Lists of batches, and of packed sequences: items in one array, with an end position for every group.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace seqpoint::batching {

/// Groups in order, none of them empty. Items go to the open group until it is closed.
template <class T>
class Groups {
 public:
  Groups() = default;
  /// `ends` ascend from above 0; items after the last end are an open group.
  Groups(std::vector<T> items, std::vector<std::size_t> ends) : items_(std::move(items)), ends_(std::move(ends)) {}

  /// The number of closed groups.
  std::size_t size() const { return ends_.size(); }
  /// The items of a closed group, 0 <= group < size().
  std::span<const T> operator[](std::size_t group) const {
    const std::size_t begin = group == 0 ? 0 : ends_[group - 1];
    return std::span(items_).subspan(begin, ends_[group] - begin);
  }

  void add(T item) { items_.push_back(item); }
  /// Ends the open group; does nothing if it is empty.
  void close() {
    if (items_.size() > closed_items()) ends_.push_back(items_.size());
  }
  /// Adds items to the open group, and closes it.
  void add_group(std::span<const T> items) {
    items_.insert(items_.end(), items.begin(), items.end());
    close();
  }
  /// The number of items in the open group.
  std::size_t open_size() const { return items_.size() - closed_items(); }

 protected:
  std::size_t closed_items() const { return ends_.empty() ? 0 : ends_.back(); }

  std::vector<T> items_;
  std::vector<std::size_t> ends_;
};

using Rows = std::vector<std::uint32_t>;  ///< of the data set
using Batches = Groups<std::uint32_t>;    ///< of rows

}  // namespace seqpoint::batching
