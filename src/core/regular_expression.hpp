/// \file
/// Regular expressions that users write, in the syntax of RE2: matching takes time linear in the text and little
/// memory, whatever the expression. There are neither back-references nor look-around.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace seqpoint {

enum class LetterCase { matters, ignored };

/// Throws std::invalid_argument with the reason where `text` is no expression.
std::unique_ptr<const re2::RE2> regular_expression(const std::string& text,
                                                   LetterCase letter_case = LetterCase::matters);

/// Rewrites `(?<name>` in RE2's syntax, `(?P<name>`. Look-behind, `(?<=` and `(?<!`, stays, and RE2 refuses it.
std::string in_re2_syntax(std::string_view expression);

}  // namespace seqpoint
