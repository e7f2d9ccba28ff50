/// \file
/// The number of tokens of a text, for formats that contain text instead of lengths.
#pragma once

#include <cstdint>
#include <string_view>

#include "io/manifests/dataset.hpp"

namespace seqpoint::io::manifests {

/// Counts words as tokens of text, split as the options set.
class TokenCounter {
 public:
  /// `options` outlives the counter.
  explicit TokenCounter(const ReadOptions& options) : options_(options) {}

  /// The number of tokens of UTF-8 text without a line end, and of the special symbols of its side (add_tgt if
  /// `target_side`, else add_src).
  std::uint64_t count(std::string_view text, bool target_side);
  /// Whether any text was counted; if not, options about text have no effect.
  bool was_used() const { return used_; }
  /// Number of texts of one word in a script without spaces between words.
  std::uint64_t unspaced() const { return unspaced_; }
  /// Adds the counter of a part of the same file.
  void append(const TokenCounter& part) {
    used_ = used_ || part.used_;
    unspaced_ += part.unspaced_;
  }
  void clear() {
    used_ = false;
    unspaced_ = 0;
  }

 private:
  const ReadOptions& options_;
  bool used_ = false;
  std::uint64_t unspaced_ = 0;
};

}  // namespace seqpoint::io::manifests
