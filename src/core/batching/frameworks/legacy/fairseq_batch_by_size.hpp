/// \file
/// fairseq's batch_by_size (fairseq/data/data_utils_fast.pyx and data_utils.py): where sorted rows are cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace seqpoint::batching::frameworks::legacy {

/// What a batch must not exceed, and what its size is a multiple of.
struct Limits {
  std::uint64_t max_tokens, max_sentences;  ///< 0: none
  std::uint64_t multiple;                   ///< >= 1
  bool keeps_last;                          ///< also a last batch that does not fit the multiple

  bool too_many_tokens(std::uint64_t rows, std::uint64_t longest) const {
    return max_tokens > 0 && rows * longest > max_tokens;
  }
  bool exceeded(std::uint64_t rows, std::uint64_t longest) const {
    return (max_sentences > 0 && rows > max_sentences) || too_many_tokens(rows, longest);
  }
  bool fits_multiple(std::uint64_t rows) const { return rows < multiple || rows % multiple == 0; }
};

/// batch_by_size. The rows since the last full batch are an open batch, whose size fits the multiple, and a tail, which
/// joins it as soon as both together fit the multiple. Where both together exceed the limits, the tail begins the next
/// batch.
class BatchBySize {
 public:
  explicit BatchBySize(const Limits& limits) : limits_(limits) {}

  void add(std::uint64_t tokens) {
    ++added_;
    tail_longest_ = std::max(tail_longest_, tokens);
    const std::uint64_t rows = added_ - start_, longest = std::max(batch_longest_, tail_longest_);
    if (limits_.exceeded(rows, longest))
      open_with_tail(tokens);
    else if (limits_.fits_multiple(rows))
      join_tail(longest);
  }

  /// Where each batch ends; nothing where none is left.
  std::vector<std::size_t> finish() && {
    if (ends_.back() != added_) ends_.push_back(added_);
    const std::size_t last = ends_.back() - (ends_.size() < 2 ? 0 : ends_[ends_.size() - 2]);
    if ((!limits_.keeps_last && last % limits_.multiple != 0) || added_ == 0) ends_.pop_back();
    return std::move(ends_);
  }

 private:
  void open_with_tail(std::uint64_t tokens) {
    // The tail with the new row exceeds the limit: without that row it is a batch, and the row begins a new tail.
    if (limits_.too_many_tokens(added_ - ends_.back(), tail_longest_)) {
      ends_.push_back(added_ - 1);
      tail_longest_ = tokens;
    }
    start_ = ends_.back();
    ends_.push_back(added_);
    join_tail(tail_longest_);
  }
  void join_tail(std::uint64_t longest) {
    ends_.back() = added_;
    batch_longest_ = longest;
    tail_longest_ = 0;
  }

  const Limits& limits_;
  std::vector<std::size_t> ends_{0};  ///< of the batches; the last is the open batch's, where the tail begins
  std::size_t added_ = 0, start_ = 0;
  std::uint64_t batch_longest_ = 0, tail_longest_ = 0;
};

}  // namespace seqpoint::batching::frameworks::legacy
