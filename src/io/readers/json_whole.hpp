/// \file
/// JSON inputs that are one value, read as a whole.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>

#include "seqpoint/io/input.hpp"

namespace seqpoint {

/// Whether there is nothing behind what was walked.
bool at_end(simdjson::ondemand::document& document);

/// The value and the lines that its parts begin on.
class WholeJson {
 public:
  /// Reads all of `input`.
  explicit WholeJson(Input& input);
  WholeJson(const WholeJson&) = delete;
  WholeJson& operator=(const WholeJson&) = delete;

  /// What is wrong with the text, by `walk(document)` or behind the value.
  template <class Walk>
  simdjson::error_code walk(Walk walk) {
    simdjson::ondemand::document document;
    if (const auto error = parser_.iterate(text_.data(), size_, text_.size()).get(document)) return error;
    if (const auto error = walk(document)) return error;
    return at_end(document) ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
  }

  /// To be asked in the order of the text, before the value is walked.
  std::uint64_t line_of(simdjson::ondemand::value& value);
  /// That of the last value asked for.
  std::uint64_t line() const { return line_; }

 private:
  std::string text_;  ///< with padding
  std::size_t size_ = 0;
  simdjson::ondemand::parser parser_;
  const char* counted_ = nullptr;  ///< lines are counted up to here
  std::uint64_t line_ = 1;
};

}  // namespace seqpoint
