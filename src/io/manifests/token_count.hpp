/// \file
/// How many tokens a text has, for formats that hold text and not lengths.
#pragma once

#include <cstdint>
#include <string_view>

#include "io/text/tokenizer.hpp"
#include "seqpoint/io/files.hpp"

namespace seqpoint::io::manifests {

/// Tokens of UTF-8 text, which has no line end.
std::uint64_t count_tokens(std::string_view text, TextSplit split);

/// Counts tokens as the options say: pieces of a tokenizer, or words between blanks.
class TokenCounter {
 public:
  /// `options` outlives the counter; `tokenizer`, too, which may be null.
  TokenCounter(const ReadOptions& options, const text::Tokenizer* tokenizer)
      : options_(options), tokenizer_(tokenizer) {}

  bool has_tokenizer() const { return tokenizer_ != nullptr; }
  /// Tokens of a text and the special symbols of its side.
  std::uint64_t count(std::string_view text, bool target_side);
  /// Without them: for samples of several texts.
  std::uint64_t pieces(std::string_view text);
  /// Special symbols of a side.
  std::uint64_t symbols(bool target_side) const;
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
  const text::Tokenizer* tokenizer_;
  bool used_ = false;
  std::uint64_t unspaced_ = 0;
};

}  // namespace seqpoint::io::manifests
