/// \file
/// Reads CSV and TSV files with a header.
#pragma once

#include "io/manifests/row_sink.hpp"
#include "io/text/csv.hpp"

namespace seqpoint::io::manifests::engine {

/// Reads the columns that choose_columns() picks from the header. A list of numbers in a cell counts as its number of
/// elements, unless the column's name implies one number per row. Blank lines are skipped; a record of another width
/// than the header is a problem. Throws InputError for an empty file or a faulty header.
void read_delimited(stream::Input& input, RowSink& sink, text::Dialect dialect);

}  // namespace seqpoint::io::manifests::engine
