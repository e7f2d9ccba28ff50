/// \file
/// Detects numbers that can hardly be the lengths that their column's name implies: a wrong unit, running totals.
/// They are rejected unless the user confirms the unit.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests {

// --- The first rows of a table or of JSON records, with all of their columns

/// The text of a column in one row, by the column's name or dotted key; empty if there is none. Valid during the call
/// that it is passed to.
using ColumnText = std::function<std::string(std::string_view column)>;

/// Calls `take` for every complete row in the first bytes of a file: JSON lines, an array of JSON records, else a CSV
/// (or a TSV, if the first line contains a tab) with a header. In a table the last row may lack the end of its last
/// field.
void for_each_first_row(std::string_view head, const std::function<void(const ColumnText&)>& take);

/// Throws InputError if a side's numbers are running totals, or if the source side's unit of time is unlikely. `head`:
/// the file's first bytes, which may contain text or sizes to compare with. No check if the user has named the unit, or
/// if text was counted.
void refuse_doubtful_lengths(const RowSink&, std::string_view head);

}  // namespace seqpoint::io::manifests
