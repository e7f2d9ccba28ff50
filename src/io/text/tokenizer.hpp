/// \file
/// How many pieces a SentencePiece model cuts a text into.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "seqpoint/io/files.hpp"

namespace seqpoint::io::text {

/// A SentencePiece model.
class Tokenizer {
 public:
  /// Throws InputError for what is no model, UsageError where seqpoint was built without libsentencepiece.
  explicit Tokenizer(stream::Input& model);
  Tokenizer(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// Pieces of a text, without the begin and end that a framework may add.
  std::uint64_t count(std::string_view text) const;
  std::uint64_t vocabulary() const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace seqpoint::io::text
