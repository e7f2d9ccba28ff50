#include "io/manifests/token_count.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace seqpoint::io::manifests {
namespace {

using namespace std::string_view_literals;

bool is_ascii_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }

/// The size in bytes of the white space character at the start of `text`; 0 if there is none. White space as in
/// Python's str.split(): Unicode's white space and U+001C to U+001F.
std::size_t blank_size(std::string_view text) {
  if (static_cast<unsigned char>(text.front()) < 0x80U) return is_ascii_blank(text.front()) ? 1 : 0;
  if (text.starts_with("\xc2\x85"sv) || text.starts_with("\xc2\xa0"sv)) return 2;          // next line, no-break space
  if (text.starts_with("\xe1\x9a\x80"sv) || text.starts_with("\xe3\x80\x80"sv)) return 3;  // Ogham, ideographic
  if (text.starts_with("\xe2\x81\x9f"sv)) return 3;                                        // mathematical
  if (text.size() < 3 || !text.starts_with("\xe2\x80"sv)) return 0;
  const auto third = static_cast<unsigned char>(text[2]);
  return third <= 0x8aU || third == 0xa8U || third == 0xa9U || third == 0xafU ? 3 : 0;  // U+2000-200A, 2028, 2029, 202F
}

/// Words between runs of white space, as Python's str.split() returns.
std::uint64_t count_words(std::string_view text) {
  std::uint64_t words = 0;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t blank = blank_size(text);
    words += blank == 0 && !inside ? 1U : 0U;
    inside = blank == 0;
    text.remove_prefix(std::max<std::size_t>(blank, 1));
  }
  return words;
}

/// Words between runs of the space character; other white space is part of a word.
std::uint64_t count_between_spaces(std::string_view text) {
  std::uint64_t words = 0;
  char previous = ' ';
  for (const char c : text) {
    words += c != ' ' && previous == ' ' ? 1U : 0U;
    previous = c;
  }
  return words;
}

/// Whether a text has at least two characters of scripts without spaces between words: Thai to Tibetan, Chinese and
/// Japanese (but not Korean, which has spaces). Only the first bytes of characters are looked at.
bool is_of_unspaced_script(std::string_view text) {
  unsigned characters = 0;
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]), second = static_cast<unsigned char>(text[i + 1]);
    const bool thai = first == 0xe0 && second >= 0xb8 && second <= 0xbf;
    characters += thai || (first >= 0xe3 && first <= 0xe9) ? 1U : 0U;
  }
  return characters > 1;
}

/// The number of tokens of UTF-8 text without a line end. An empty text has none, with TextSplit::each_space one.
std::uint64_t count_tokens(std::string_view text, TextSplit split) {
  switch (split) {
    case TextSplit::spaces: return count_between_spaces(text);
    case TextSplit::each_space: return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), ' ')) + 1;
    case TextSplit::whitespace: break;
  }
  return count_words(text);
}

}  // namespace

std::uint64_t TokenCounter::count(std::string_view text, bool target_side) {
  used_ = true;
  const std::uint64_t words = count_tokens(text, options_.split);
  if (words == 1 && is_of_unspaced_script(text)) ++unspaced_;
  return words + (target_side ? options_.add_tgt : options_.add_src);
}

}  // namespace seqpoint::io::manifests
