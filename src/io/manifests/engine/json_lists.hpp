/// \file
/// An object of lists that is the whole input: a list a column, an element a row, as `{"duration": [3.42, 11.0]}`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// The keys of lists of numbers whose names are those of one number a row (`asked`: as names_one_number). None where
/// the input is no such object, as far as its head shows.
std::vector<std::string> lists_of_lengths(std::string_view head, bool asked);

/// Reads its elements, each a row. The sink's columns are set already.
void read_lists(stream::Input& input, RowSink& sink, const std::string& src, const std::string& tgt);

}  // namespace seqpoint::io::manifests::engine
