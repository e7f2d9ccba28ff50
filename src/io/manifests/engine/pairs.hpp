/// \file
/// Parallel data: two files, a side each.
#pragma once

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// Gives `src` the lengths of `tgt` as its target side: by key where the rows have keys, else row by row. Throws
/// InputError where the two do not match.
void join_sides(RowSink& src, RowSink&& tgt);

}  // namespace seqpoint::io::manifests::engine
