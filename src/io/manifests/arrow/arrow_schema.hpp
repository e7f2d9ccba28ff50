/// \file
/// The columns of an Arrow schema (format/Schema.fbs), and where each one's part of a record batch is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/manifests/arrow/flat_table.hpp"

namespace seqpoint::io::manifests::arrow {

/// How the lengths of a column are stored; `none`: it has none.
enum class Storage { none, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, offsets32, offsets64 };

struct ArrowColumn {
  std::string name;
  std::string kind;  ///< what it holds, in the plural
  Storage storage = Storage::none;
  bool nested = false;               ///< lists of lists
  std::size_t node = 0, buffer = 0;  ///< its first in a batch; the first buffer says which values are null
  std::size_t views = 0;  ///< columns of views in front of it, which have as many more buffers as a batch says
  /// The dictionary that holds its values, where a batch has only their places in it, stored as `places`.
  std::optional<std::int64_t> dictionary = {};
  Storage places = Storage::none;
};

/// The fields of a table Schema, in order. Throws FlatBufferFault.
std::vector<ArrowColumn> arrow_columns(const FlatTable& schema);

}  // namespace seqpoint::io::manifests::arrow
