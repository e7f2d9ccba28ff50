/// \file
/// Detects numbers that can hardly be the lengths that their column's name implies: a wrong unit, running totals.
/// They are rejected unless the user confirms the unit.
#pragma once

#include <string_view>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests {

/// Throws InputError if a side's numbers are running totals, or if the source side's unit of time is unlikely. `head`:
/// the file's first bytes, which may contain text or sizes to compare with. No check if the user has named the unit, or
/// if text was counted.
void refuse_doubtful_lengths(const RowSink&, std::string_view head);

}  // namespace seqpoint::io::manifests
