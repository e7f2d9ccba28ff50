#include "io/text/shell_words.hpp"

namespace seqpoint::io::text {

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string shell_words(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = word.find_first_of(" \t\n'\"$`\\|&;<>()*?[]{}~#!") == std::string::npos && !word.empty();
    text += (text.empty() ? "" : " ") + (plain ? word : shell_word(word));
  }
  return text;
}

}  // namespace seqpoint::io::text
