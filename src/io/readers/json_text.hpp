/// \file
/// Valid JSON as text: where its parts begin and end, so that they can be copied byte for byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "records.hpp"

namespace seqpoint {

/// The rest of an input that is one JSON text. Throws InputError unless it is valid throughout: readers look only at what they need.
std::string read_valid_json(Input& input);
/// Behind the value that begins at `at`: at the comma or bracket that ends it, or at the end of the text.
std::size_t behind_json_value(std::string_view text, std::size_t at);
/// Where the value of a key of the outermost object begins (blanks before it included); npos where there is none.
std::size_t find_json_key(std::string_view text, std::string_view key);
/// Calls `take` for every element of the array that opens at `open`; returns where that closes.
std::size_t for_each_json_element(std::string_view text, std::size_t open, const TakeRecord& take);

}  // namespace seqpoint
