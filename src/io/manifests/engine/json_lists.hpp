/// \file
/// An input that is one object of lists: one list per column, one element per row, as in `{"duration": [3.42,
/// 11.0]}`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// The keys of lists of numbers whose names imply one number per row (`asked`: as in names_one_number). None if the
/// input is not such an object, as far as its head shows.
std::vector<std::string> lists_of_lengths(std::string_view head, bool asked);

/// Reads its elements, each a row. The sink's columns are set already.
void read_lists(stream::Input& input, RowSink& sink, const std::string& src, const std::string& tgt);

}  // namespace seqpoint::io::manifests::engine
