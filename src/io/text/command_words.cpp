#include "io/text/command_words.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "io/text/escape.hpp"

namespace seqpoint::io::text {

namespace {

bool is_control_byte(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

/// A text in $'...', where a terminal and a message show every byte: control characters, and where the text is no UTF-8
/// all bytes beyond ASCII, as octal numbers.
std::string octal_word(std::string_view text) {
  const bool ascii_only = !is_utf8(text);
  std::string word = "$'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      word += "\\n";
    else if (c == '\t')
      word += "\\t";
    else if (is_control_byte(c) || (ascii_only && byte >= 0x80))
      word += fmt::format("\\{:03o}", byte);
    else
      word += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  }
  return word + "'";
}

}  // namespace

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string shell_words(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    const bool has_odd_bytes = std::ranges::any_of(word, is_control_byte) || !is_utf8(word);
    const bool plain = word.find_first_of(" '\"$`\\|&;<>()*?[]{}~#!") == std::string::npos && !word.empty();
    text += (text.empty() ? "" : " ") + (has_odd_bytes ? octal_word(word) : plain ? word : shell_word(word));
  }
  return text;
}

}  // namespace seqpoint::io::text
