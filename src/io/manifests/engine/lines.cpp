#include "io/manifests/engine/lines.hpp"

#include <fmt/core.h>

#include <cmath>

namespace seqpoint::io::manifests::engine {

std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest = text::trim(rest.substr(word.size()));
  return word;
}

void KeyedNumbers::add(const std::string& source, std::uint64_t line, std::string_view key, std::string_view number) {
  const text::Number parsed = text::parse_number(number);
  if (parsed.fault != text::NumberFault::none)
    throw InputError({source, line}, fmt::format("the length of '{}' {}", key, text::describe(parsed.fault, number)));
  if (!(parsed.value >= 0) || std::isinf(parsed.value))
    throw InputError({source, line}, fmt::format("the length of '{}' is {}", key, text::trim(number)));
  if (!values_.emplace(key, parsed.value).second)
    throw InputError({source, line}, fmt::format("'{}' is there already", key), "leave one of the lines");
}

const double* KeyedNumbers::find(std::string_view key) const {
  const auto found = values_.find(std::string(key));
  return found == values_.end() ? nullptr : &found->second;
}

}  // namespace seqpoint::io::manifests::engine
