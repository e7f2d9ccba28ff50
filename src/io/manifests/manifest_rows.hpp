/// \file
/// The rows of a manifest as values, one sample each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace seqpoint::io::manifests {

/// Unusable rows keep their index, so that two sides stay parallel.
struct ManifestRows {
  std::vector<std::uint32_t> src, tgt;  ///< lengths; 0 in an unusable row. `tgt` is empty unless rows are pairs
  std::vector<double> seconds;          ///< seconds of the source side; empty unless asked for and known
  std::vector<std::uint64_t> unusable;  ///< indices of rows without a usable length; ascending
  std::vector<std::uint64_t>
      marked;  ///< indices of rows that the manifest itself excludes; ascending, none of them unusable

  std::uint64_t size() const { return src.size(); }
  /// Reserves memory for `rows` rows in total, because growing copies and temporarily takes twice the memory. `pairs`:
  /// also for `tgt`.
  void reserve(std::uint64_t rows, bool pairs) {
    src.reserve(rows);
    if (pairs) tgt.reserve(rows);
    if (!seconds.empty()) seconds.reserve(rows);
  }
  /// Removes the rows, and keeps the memory.
  void clear() {
    for (auto* const lengths : {&src, &tgt}) lengths->clear();
    for (auto* const rows : {&unusable, &marked}) rows->clear();
    seconds.clear();
  }
  /// Appends the following rows; their indices count on from the present rows.
  void append(const ManifestRows& part) {
    for (const std::uint64_t row : part.unusable) unusable.push_back(size() + row);
    for (const std::uint64_t row : part.marked) marked.push_back(size() + row);
    src.insert(src.end(), part.src.begin(), part.src.end());
    tgt.insert(tgt.end(), part.tgt.begin(), part.tgt.end());
    seconds.insert(seconds.end(), part.seconds.begin(), part.seconds.end());
  }
};

/// Counts for notes that are added once a file is read.
struct RowCounts {
  std::uint64_t marked = 0;   ///< rows that the manifest marks as unusable, but that are used
  std::uint64_t sharded = 0;  ///< rows of a tarred set

  /// Adds the counts of the following rows.
  void append(const RowCounts& part) {
    marked += part.marked;
    sharded += part.sharded;
  }
};

/// Keys of rows, if a format has keys; each is unique.
struct RowKeys {
  struct Place {
    std::uint64_t row = 0, line = 0;
  };
  std::unordered_map<std::string, Place> places;
  std::vector<const std::string*> in_order;  ///< keys of `places`

  /// Adds a key with its position. If the key was added before, changes nothing and returns the earlier position; else
  /// returns null.
  const Place* add(std::string_view key, Place place) {
    const auto [entry, added] = places.try_emplace(std::string(key), place);
    if (!added) return &entry->second;
    in_order.push_back(&entry->first);
    return nullptr;
  }
};

}  // namespace seqpoint::io::manifests
