/// \file
/// Reads CSV and TSV files with a header.
#pragma once

#include <string_view>

#include "io/manifests/row_sink.hpp"
#include "io/text/csv.hpp"

namespace seqpoint::io::manifests::engine {

/// Which columns a format uses.
struct ColumnRules {
  std::string_view length_column =
      {};  ///< holds the lengths, unless the user names another; empty: the first of the usual names
  std::string_view success_column = {};  ///< rows with a 0 here are not samples; empty: all rows are
};

void read_delimited(stream::Input& input, RowSink& sink, text::Dialect dialect, const ColumnRules& rules = {});

}  // namespace seqpoint::io::manifests::engine
