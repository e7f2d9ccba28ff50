/// \file
/// The first rows of a table or of JSON records, with all of their columns: for checks that need only a few rows.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace seqpoint::io::manifests {

/// The text of a column in one row; empty if there is none.
using ColumnText = std::function<std::string(std::string_view column)>;

/// Calls `take` for every complete row in the first bytes of a file: a CSV or TSV with a header, JSON lines, an array
/// of JSON records. Never for other files.
void for_each_first_row(std::string_view head, const std::function<void(const ColumnText&)>& take);

}  // namespace seqpoint::io::manifests
