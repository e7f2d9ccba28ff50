/// \file
/// Lengths at a key of JSON records, which may be dotted: a number, or an array whose elements are counted.
#pragma once

#include <string>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// Reads the records' values of `src` and, unless it is empty, `tgt`. The sink's columns are set already.
void read_json_fields(stream::Input& input, RowSink& sink, const std::string& src, const std::string& tgt);

/// The same for the fields that the user names, else for the first of the usual names in the first record.
void read_usual_json_fields(stream::Input& input, RowSink& sink);

/// The same for the fields that the user names, else for `usual`, the format's own.
void read_json_field(stream::Input& input, RowSink& sink, const std::string& usual);

}  // namespace seqpoint::io::manifests::engine
