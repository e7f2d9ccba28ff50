/// \file
/// Numbers that can hardly be the lengths that the name of their column says: a unit that is off by a factor, running
/// totals. They are refused unless the user says what they are.
#pragma once

#include <string_view>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests {

/// Throws InputError. `head`: the file's first bytes, in which text or sizes may stand beside the lengths. Where the
/// user has named the unit, and of lengths that a reader counted, nothing is in doubt.
void refuse_doubtful_lengths(const RowSink&, std::string_view head);

}  // namespace seqpoint::io::manifests
