#include "core/regular_expression.hpp"

#include <re2/re2.h>

#include <stdexcept>

namespace seqpoint {
namespace {

/// Longer expressions are rejected: with thousands of groups a match can take a second.
constexpr std::size_t kMaxCharacters = 4096;

}  // namespace

std::shared_ptr<const re2::RE2> regular_expression(const std::string& text, LetterCase letter_case) {
  if (text.size() > kMaxCharacters)
    throw std::invalid_argument("longer than " + std::to_string(kMaxCharacters) + " characters");
  RE2::Options options(RE2::Quiet);
  options.set_case_sensitive(letter_case == LetterCase::matters);
  auto expression = std::make_shared<const RE2>(text, options);
  if (!expression->ok()) throw std::invalid_argument(expression->error());
  return expression;
}

std::string in_re2_syntax(std::string_view expression) {
  std::string text;
  bool in_class = false;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    text += c;
    if (c == '\\' && i + 1 < expression.size()) {
      text += expression[++i];
      continue;
    }
    const std::string_view group = expression.substr(i, 4);
    if (!in_class && group.size() == 4 && group.starts_with("(?<") && group[3] != '=' && group[3] != '!') {
      text += "?P<";
      i += 2;
    }
    in_class = in_class ? c != ']' : c == '[';
  }
  return text;
}

}  // namespace seqpoint
