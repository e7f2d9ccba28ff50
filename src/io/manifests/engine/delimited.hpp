/// \file
/// Reads CSV and TSV files with a header.
#pragma once

#include "io/manifests/row_sink.hpp"
#include "io/text/csv.hpp"

namespace seqpoint::io::manifests::engine {

void read_delimited(stream::Input& input, RowSink& sink, text::Dialect dialect);

}  // namespace seqpoint::io::manifests::engine
