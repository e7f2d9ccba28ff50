#include "io/manifests/engine/lines.hpp"

namespace seqpoint::io::manifests::engine {

std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest = text::trim(rest.substr(word.size()));
  return word;
}

}  // namespace seqpoint::io::manifests::engine
