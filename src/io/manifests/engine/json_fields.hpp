/// \file
/// Lengths that JSON records state: a number, an array whose elements count, or text where there is a tokenizer, under
/// a key that may be dotted.
#pragma once

#include <string>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// Reads the records' values of `src` and, unless it is empty, `tgt`. The sink's columns are set already.
void read_json_fields(stream::Input& input, RowSink& sink, const std::string& src, const std::string& tgt);

/// The same for the fields that the user asked for, else the usual ones that the first record has.
void read_usual_json_fields(stream::Input& input, RowSink& sink);

/// The same for the fields that the user asked for, else `usual`: the one that the format keeps lengths in.
void read_json_field(stream::Input& input, RowSink& sink, const std::string& usual);

}  // namespace seqpoint::io::manifests::engine
