/// \file
/// Lengths at a key of JSON records, which may be dotted: a number, or an array whose elements are counted.
#pragma once

#include <string>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// Sets the columns to the fields that the user names, else to the most likely of the usual names in the first record,
/// and reads these fields.
void read_usual_json_fields(stream::Input& input, RowSink& sink);

/// Sets the columns to the fields that the user names, the source's else to `usual`, the format's own, and reads these
/// fields.
void read_json_field(stream::Input& input, RowSink& sink, const std::string& usual);

}  // namespace seqpoint::io::manifests::engine
