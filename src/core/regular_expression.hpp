/// \file
/// Regular expressions that users write, in the syntax of RE2: matching takes time linear in the text and little
/// memory, for any expression. There are no back-references and no look-around.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace seqpoint {

enum class LetterCase { matters, ignored };

/// Compiles an expression; never null. Throws std::invalid_argument with the reason if `text` is not an expression or
/// is longer than 4096 characters.
std::shared_ptr<const re2::RE2> regular_expression(const std::string& text,
                                                   LetterCase letter_case = LetterCase::matters);

/// Rewrites `(?<name>` in RE2's syntax, `(?P<name>`, except in character classes and after a backslash. Look-behind,
/// `(?<=` and `(?<!`, is kept, and RE2 rejects it.
std::string in_re2_syntax(std::string_view expression);

}  // namespace seqpoint
