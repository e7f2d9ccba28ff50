/// \file
/// Parallel data: one file for the source side, one for the target side.
#pragma once

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// Adds the lengths of `tgt` to `src` as its target side: matched by key if rows have keys, else in order. A pair is
/// unusable or marked if either side is. Throws InputError if keys or numbers of rows differ, or if only one side has
/// keys.
void join_sides(RowSink& src, RowSink&& tgt);

}  // namespace seqpoint::io::manifests::engine
