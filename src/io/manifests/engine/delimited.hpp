/// \file
/// CSV and TSV with a header, for the formats that are one with columns of their own.
#pragma once

#include <string_view>

#include "io/manifests/row_sink.hpp"
#include "io/text/csv.hpp"

namespace seqpoint::io::manifests::engine {

/// What a format says about its columns.
struct ColumnRules {
  std::string_view length_column =
      {};  ///< the column that holds the lengths, unless the user names one; empty: of the usual names
  std::string_view success_column = {};  ///< rows with a 0 in this column are no samples; empty: all are
};

void read_delimited(stream::Input& input, RowSink& sink, text::Dialect dialect, const ColumnRules& rules = {});

}  // namespace seqpoint::io::manifests::engine
