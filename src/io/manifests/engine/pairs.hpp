/// \file
/// Parallel data: one file for the source side, one for the target side.
#pragma once

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// Adds the lengths of `tgt` to `src` as its target side: matched by key if rows have keys, else in order. Throws
/// InputError if the two do not match.
void join_sides(RowSink& src, RowSink&& tgt);

}  // namespace seqpoint::io::manifests::engine
