/// \file
/// The rows of a manifest as values, a sample each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace seqpoint::io::manifests {

/// A row that is bad keeps its place, so that two sides stay parallel.
struct ManifestRows {
  std::vector<std::uint32_t> src, tgt;  ///< lengths; 0 in a bad row. `tgt` is empty unless rows are pairs
  std::vector<double> seconds;          ///< of the source side; empty unless asked for and known
  std::vector<std::uint64_t> unusable;  ///< which rows have no length that can be used; ascending
  std::vector<std::uint64_t>
      marked;  ///< which rows the manifest itself says are not to be used; ascending, none of them bad
  std::vector<std::uint64_t> target_rows;  ///< rows of the target's file, where the two were matched by key; else empty

  std::uint64_t size() const { return src.size(); }
  /// Makes room for so many rows in all: growing step by step copies them, and takes twice the memory meanwhile.
  void reserve(std::uint64_t rows, bool pairs);
  /// Keeps the memory.
  void clear();
  /// The rows that follow.
  void append(const ManifestRows& part);
};

/// What the user is told of once a file is read, counted by row.
struct RowCounts {
  std::uint64_t failed = 0;       ///< rows passed over because they are no samples: requests that failed
  std::uint64_t marked = 0;       ///< rows that the manifest marks as not to be used, and that are used
  std::uint64_t sharded = 0;      ///< rows of a tarred set
  std::uint64_t other_rates = 0;  ///< audio at another sample rate than the run's
  double other_rate = 0;          ///< of the first of these, Hz

  /// Those of the rows that follow.
  void append(const RowCounts& part);
};

/// Names that rows go by, where a format has such: no two rows have the same.
struct RowKeys {
  struct Place {
    std::uint64_t row = 0, line = 0;
  };
  std::unordered_map<std::string, Place> places;
  std::vector<const std::string*> in_order;  ///< keys of `places`

  /// Null; where the key is there already, its place.
  const Place* add(std::string_view key, Place place);
};

}  // namespace seqpoint::io::manifests
