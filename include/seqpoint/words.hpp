/// \file
/// Vocabularies: the words of an enumeration are one table, by which they are read, written, listed and completed.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

namespace seqpoint {

/// One word of a vocabulary, of the type of its values.
template <class Value>
struct Word {
  std::string_view name;          ///< as it is written everywhere
  Value value;                    ///< what it means
  std::string_view summary = {};  ///< the same for people, in a few words; may be empty
};

/// What a word of a table means; nothing where the table does not have it.
template <class Words>
auto value_of(const Words& words, std::string_view name) -> std::optional<decltype(std::begin(words)->value)> {
  for (const auto& word : words)
    if (word.name == name) return word.value;
  return std::nullopt;
}

/// The word for a value; "" where the table has none.
template <class Words, class Value>
std::string_view name_in(const Words& words, Value value) {
  for (const auto& word : words)
    if (word.value == value) return word.name;
  return "";
}

}  // namespace seqpoint
