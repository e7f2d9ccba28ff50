/// \file
/// An input that is one object of lists: one list per column, one element per row, as in `{"duration": [3.42,
/// 11.0]}`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// The keys of lists of numbers whose names imply one number per row (`asked`: as in names_one_number()). None if the
/// input is not a single object, as far as its head shows. Only the first element of a list is looked at.
std::vector<std::string> lists_of_lengths(std::string_view head, bool asked);

/// Reads the list at the key `src` and, for pairs, the one at `tgt` (empty: none). Each element is a row; a null is a
/// missing length. Throws InputError if a list is missing, or if the two differ in size. The sink's columns are set
/// already.
void read_lists(stream::Input& input, RowSink& sink, const std::string& src, const std::string& tgt);

}  // namespace seqpoint::io::manifests::engine
