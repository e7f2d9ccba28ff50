/// \file
/// The first rows of a table or of JSON records, with all of their columns: for checks that need only a few rows.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace seqpoint::io::manifests {

/// The text of a column in one row, by the column's name or dotted key; empty if there is none. Valid during the call
/// that it is passed to.
using ColumnText = std::function<std::string(std::string_view column)>;

/// Calls `take` for every complete row in the first bytes of a file: JSON lines, an array of JSON records, else a CSV
/// (or a TSV, if the first line contains a tab) with a header. In a table the last row may lack the end of its last
/// field.
void for_each_first_row(std::string_view head, const std::function<void(const ColumnText&)>& take);

}  // namespace seqpoint::io::manifests
