/// \file
/// How many tokens a text has, for formats that hold text and not lengths.
#pragma once

#include <cstdint>
#include <string_view>

#include "io/files.hpp"

namespace seqpoint::io::manifests {

/// Tokens of UTF-8 text, which has no line end.
std::uint64_t count_tokens(std::string_view text, TextSplit split);

/// Counts words, which are the tokens of text, apart as the options say.
class TokenCounter {
 public:
  /// `options` outlives the counter.
  explicit TokenCounter(const ReadOptions& options) : options_(options) {}

  /// Tokens of a text and the special symbols of its side.
  std::uint64_t count(std::string_view text, bool target_side);
  /// Whether any text was counted; if not, options about text have no effect.
  bool was_used() const { return used_; }
  /// Texts of one word in a script that has no spaces between words.
  std::uint64_t unspaced() const { return unspaced_; }
  /// Adds the counter of a part of the same file.
  void append(const TokenCounter& part) {
    used_ = used_ || part.used_;
    unspaced_ += part.unspaced_;
  }

 private:
  const ReadOptions& options_;
  bool used_ = false;
  std::uint64_t unspaced_ = 0;
};

}  // namespace seqpoint::io::manifests
