#include "io/manifests/engine/pairs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace seqpoint::io::manifests::engine {
namespace {

/// The row of `tgt` with the same key, for every row of `src`. Throws InputError for a key that only one of them has.
std::vector<std::uint64_t> matching_rows(const RowSink& src, const RowSink& tgt) {
  const auto require = [](const RowSink& one, const RowSink& other) {
    for (const std::string* const key : one.keys.in_order)
      if (!other.keys.places.contains(*key))
        throw InputError({one.file.path(), one.keys.places.at(*key).line},
                         fmt::format("'{}' is not in {}", *key, other.file.path()),
                         "both sides must have the same keys");
  };
  require(src, tgt);
  require(tgt, src);
  std::vector<std::uint64_t> rows;
  for (const std::string* const key : src.keys.in_order) rows.push_back(tgt.keys.places.at(*key).row);
  return rows;
}

/// Puts the target's rows into the order of the source's keys, as ESPnet does with its shape files. Does
/// nothing if neither side has keys; throws InputError if one has.
void align_by_key(RowSink& src, RowSink& tgt) {
  if (src.keys.in_order.empty() != tgt.keys.in_order.empty()) {
    const RowSink& keyed = src.keys.in_order.empty() ? tgt : src;
    const RowSink& plain = src.keys.in_order.empty() ? src : tgt;
    throw InputError({plain.file.path()},
                     fmt::format("has rows without keys, {} has rows with keys", keyed.file.path()),
                     "give two files with the same keys, or say what they are with --format");
  }
  if (src.keys.in_order.empty()) return;
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint64_t> bad;  // formats with keys have no marked rows
  for (const std::uint64_t row : matching_rows(src, tgt)) {
    if (std::binary_search(tgt.rows.unusable.begin(), tgt.rows.unusable.end(), row)) bad.push_back(lengths.size());
    lengths.push_back(tgt.rows.src[row]);
  }
  tgt.rows.src = std::move(lengths);
  tgt.rows.unusable = std::move(bad);
}

/// The numbers that are in either of two ascending lists, each once, ascending.
std::vector<std::uint64_t> sorted_union(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

}  // namespace

void join_sides(RowSink& src, RowSink&& tgt) {
  align_by_key(src, tgt);
  if (src.rows.size() != tgt.rows.size()) {
    const bool target_longer = tgt.rows.size() > src.rows.size();
    const RowSink& shorter = target_longer ? src : tgt;
    const RowSink& longer = target_longer ? tgt : src;
    throw InputError({shorter.file.path(), shorter.rows.size()},
                     fmt::format("ends here with {} rows, but {} has {}", shorter.rows.size(), longer.file.path(),
                                 longer.rows.size()),
                     "the two sides must be parallel, row by row");
  }
  src.rows.tgt = std::move(tgt.rows.src);
  src.rows.unusable = sorted_union(src.rows.unusable, tgt.rows.unusable);
  src.rows.marked = sorted_union(src.rows.marked, tgt.rows.marked);
}

}  // namespace seqpoint::io::manifests::engine
