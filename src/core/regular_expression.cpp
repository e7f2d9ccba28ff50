#include "core/regular_expression.hpp"

#include <re2/re2.h>

#include <stdexcept>

namespace seqpoint {
namespace {

/// Longer expressions are refused: with thousands of groups a match can take a second.
constexpr std::size_t kMostCharacters = 4096;

}  // namespace

std::unique_ptr<const re2::RE2> regular_expression(const std::string& text, LetterCase letter_case) {
  if (text.size() > kMostCharacters)
    throw std::invalid_argument("longer than " + std::to_string(kMostCharacters) + " characters");
  RE2::Options options(RE2::Quiet);
  options.set_case_sensitive(letter_case == LetterCase::matters);
  auto expression = std::make_unique<const RE2>(text, options);
  if (!expression->ok()) throw std::invalid_argument(expression->error());
  return expression;
}

}  // namespace seqpoint
