/// \file
/// Splitting text. Not with streams: std::getline hides an allocation failure as the end of the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::cli {

/// The parts between separators; no empty part after a separator at the end.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return pieces;
}

}  // namespace seqpoint::cli
