#include "pairs.hpp"

#include <algorithm>
#include <iterator>

namespace seqpoint {
namespace {

/// The row of `tgt` for every row of `src`. Throws InputError for a key that only one of them has.
std::vector<std::uint64_t> matching_rows(const RowSink& src, const RowSink& tgt) {
  const auto require = [](const RowSink& one, const RowSink& other) {
    for (const std::string* const key : one.keys.in_order)
      if (!other.keys.places.contains(*key))
        throw InputError({one.source(), one.keys.places.at(*key).line}, "'" + *key + "' is not in " + other.source(),
                         "both sides must have the same keys");
  };
  require(src, tgt);
  require(tgt, src);
  std::vector<std::uint64_t> rows;
  for (const std::string* const key : src.keys.in_order) rows.push_back(tgt.keys.places.at(*key).row);
  return rows;
}

/// Puts the target's rows into the order of the source's keys, as ESPnet does with its shape files.
void align(RowSink& src, RowSink& tgt) {
  if (src.keys.in_order.empty() != tgt.keys.in_order.empty()) {
    const RowSink& keyed = src.keys.in_order.empty() ? tgt : src;
    const RowSink& plain = src.keys.in_order.empty() ? src : tgt;
    throw InputError({plain.source()}, "has rows without keys, " + keyed.source() + " has rows with keys",
                     "give two files with the same keys, or say what they are with --format");
  }
  if (src.keys.in_order.empty()) return;
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint64_t> bad;  // formats with keys have no marks
  src.target_rows = matching_rows(src, tgt);
  for (const std::uint64_t row : src.target_rows) {
    if (std::binary_search(tgt.bad_rows.begin(), tgt.bad_rows.end(), row)) bad.push_back(lengths.size());
    lengths.push_back(tgt.src_lengths[row]);
  }
  tgt.src_lengths = std::move(lengths);
  tgt.bad_rows = std::move(bad);
}

std::vector<std::uint64_t> united(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

}  // namespace

void join(RowSink& src, RowSink&& tgt) {
  align(src, tgt);
  if (src.rows() != tgt.rows()) {
    const bool target_longer = tgt.rows() > src.rows();
    const RowSink& shorter = target_longer ? src : tgt;
    const RowSink& longer = target_longer ? tgt : src;
    throw InputError({shorter.source(), shorter.rows()},
                     "ends here with " + std::to_string(shorter.rows()) + " rows, but " + longer.source() + " has " +
                         std::to_string(longer.rows()),
                     "the two sides must be parallel, row by row");
  }
  src.tgt_lengths = std::move(tgt.src_lengths);
  src.bad_rows = united(src.bad_rows, tgt.bad_rows);
  src.marked_rows = united(src.marked_rows, tgt.marked_rows);
}

}  // namespace seqpoint
