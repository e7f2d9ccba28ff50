#include "core/batching/karmarkar_karp.hpp"

#include <algorithm>
#include <utility>

namespace seqpoint::batching {
namespace {

struct ItemSet {
  std::uint64_t sum = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> items;  ///< item, value, in the order in which they came

  friend bool operator>(const ItemSet& a, const ItemSet& b) {
    if (a.sum != b.sum) return a.sum > b.sum;
    if (a.items.size() != b.items.size()) return a.items.size() > b.items.size();
    return a.items > b.items;
  }
};

/// A partition of some of the items, sets by falling sum.
using Partition = std::vector<ItemSet>;

void sort_sets(Partition& partition) {
  std::stable_sort(partition.begin(), partition.end(), [](const ItemSet& a, const ItemSet& b) { return a > b; });
}

/// The largest set of each with the smallest of the other.
void merge(Partition& into, Partition&& other) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    ItemSet& from = other[other.size() - 1 - i];
    into[i].items.insert(into[i].items.end(), from.items.begin(), from.items.end());
    into[i].sum += from.sum;
  }
  sort_sets(into);
}

std::uint64_t spread(const Partition& partition) { return partition.front().sum - partition.back().sum; }

/// The partition with the larger spread is merged first; of equals that with the larger first set.
struct MergedLater {
  bool operator()(const Partition& a, const Partition& b) const {
    if (spread(a) != spread(b)) return spread(a) < spread(b);
    return b.front() > a.front();
  }
};

/// The items in ascending order of value, `together` of them in a partition of their own.
std::vector<Partition> first_partitions(std::span<const std::uint64_t> values, std::size_t sets, std::size_t together) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted;
  for (std::uint32_t item = 0; item < values.size(); ++item) sorted.emplace_back(values[item], item);
  std::sort(sorted.begin(), sorted.end());
  std::vector<Partition> partitions;
  for (std::size_t begin = 0; begin < sorted.size(); begin += together) {
    Partition& partition = partitions.emplace_back(sets);
    for (std::size_t i = 0; i < together; ++i) {
      const auto [value, item] = sorted[begin + i];
      partition[i] = {value, {{item, value}}};
    }
    sort_sets(partition);
  }
  return partitions;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> balanced_partitions(std::span<const std::uint64_t> values, std::size_t sets,
                                                            bool equal_size) {
  // A heap of our own, because priority_queue does not let its top be moved from.
  std::vector<Partition> heap = first_partitions(values, sets, equal_size ? sets : 1);
  const MergedLater later;
  std::make_heap(heap.begin(), heap.end(), later);
  const auto pop = [&] {
    std::pop_heap(heap.begin(), heap.end(), later);
    Partition top = std::move(heap.back());
    heap.pop_back();
    return top;
  };
  while (heap.size() > 1) {
    Partition largest = pop();
    merge(largest, pop());
    heap.push_back(std::move(largest));
    std::push_heap(heap.begin(), heap.end(), later);
  }
  std::vector<std::vector<std::uint32_t>> parts;
  for (const ItemSet& set : heap.front()) {
    std::vector<std::uint32_t>& part = parts.emplace_back();
    for (const auto& [item, value] : set.items) part.push_back(item);
    std::sort(part.begin(), part.end());
  }
  return parts;
}

}  // namespace seqpoint::batching
