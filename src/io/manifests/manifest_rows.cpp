#include "io/manifests/manifest_rows.hpp"

namespace seqpoint::io::manifests {
namespace {

template <class T>
void append_to(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

}  // namespace

void ManifestRows::reserve(std::uint64_t rows, bool pairs) {
  src.reserve(rows);
  if (pairs) tgt.reserve(rows);
  if (!seconds.empty()) seconds.reserve(rows);
}

void ManifestRows::clear() {
  for (auto* const lengths : {&src, &tgt}) lengths->clear();
  for (auto* const rows : {&unusable, &marked}) rows->clear();
  seconds.clear();
}

void ManifestRows::append(const ManifestRows& part) {
  for (const std::uint64_t row : part.unusable) unusable.push_back(size() + row);
  for (const std::uint64_t row : part.marked) marked.push_back(size() + row);
  append_to(src, part.src);
  append_to(tgt, part.tgt);
  append_to(seconds, part.seconds);
}

void RowCounts::append(const RowCounts& part) {
  marked += part.marked;
  sharded += part.sharded;
}

const RowKeys::Place* RowKeys::add(std::string_view key, Place place) {
  const auto [entry, added] = places.try_emplace(std::string(key), place);
  if (!added) return &entry->second;
  in_order.push_back(&entry->first);
  return nullptr;
}

}  // namespace seqpoint::io::manifests
