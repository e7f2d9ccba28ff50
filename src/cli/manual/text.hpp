/// \file
/// Small changes of text that completions and manual pages share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::cli::manual {

inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

inline std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) (text += text.empty() ? "" : between) += part;
  return text;
}

/// Puts a backslash before each of `special`.
inline std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace seqpoint::cli::manual
