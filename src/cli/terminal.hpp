/// \file
/// The width of a terminal, and text that fits into it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace seqpoint::cli {

/// Columns of the terminal that the descriptor is; nothing if it is none, or does not know them.
std::optional<std::size_t> columns_of_terminal(int file_descriptor);

/// The indent of folded() that is the width of a line's first column, which two blanks or more end; 2 if it has none.
inline constexpr std::size_t kAfterLabel = std::string_view::npos;

/// The text in lines of at most `columns`, broken between words; further lines of a line begin with `indent` blanks. A
/// longer word has a line of its own. Line ends of the text stay.
std::string folded(std::string_view text, std::size_t columns, std::size_t indent = 0);

}  // namespace seqpoint::cli
