#include "core/batching/bin_packing.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace seqpoint::batching {
namespace {

/// Sizes with the items that have them, ascending; of equal sizes the one that is taken first stands last.
using Pool = std::set<std::pair<std::uint64_t, std::uint32_t>>;

constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();

/// The bins of modified first fit decreasing, phase by phase.
class ModifiedFirstFit {
 public:
  ModifiedFirstFit(std::span<const std::uint32_t> sizes, std::uint64_t capacity) : sizes_(sizes), capacity_(capacity) {
    Pool large;
    for (std::uint32_t item = 0; item < sizes.size(); ++item) {
      const std::uint64_t size = sizes[item];
      if (2 * size > capacity)
        large.emplace(size, kLast - item);
      else if (3 * size > capacity)
        medium_.emplace(size, kLast - item);
      else if (6 * size > capacity)
        small_.emplace(size, item);
      else
        rest_.emplace(size, kLast - item);
    }
    for (auto item = std::rbegin(large); item != std::rend(large); ++item) open_bin(kLast - item->second);
  }

  std::vector<std::vector<std::uint32_t>> pack() {
    for (std::size_t bin = 0; bin < bins_.size(); ++bin) add_largest(bin, medium_);
    for (std::size_t bin = bins_.size(); bin-- > 0;) add_pair(bin);
    rest_.merge(medium_);
    for (const auto& [size, item] : small_) rest_.emplace(size, kLast - item);
    for (std::size_t bin = 0; bin < bins_.size(); ++bin)
      while (add_largest(bin, rest_)) continue;
    spread_rest();
    return std::move(bins_);
  }

 private:
  std::size_t open_bin(std::uint32_t item) {
    bins_.emplace_back();
    room_.push_back(capacity_);
    add(bins_.size() - 1, item);
    return bins_.size() - 1;
  }

  void add(std::size_t bin, std::uint32_t item) {
    bins_[bin].push_back(item);
    room_[bin] -= sizes_[item];
  }

  /// Adds the largest of `pool`, whose items are counted from the end; false where none fits.
  bool add_largest(std::size_t bin, Pool& pool) {
    auto found = pool.upper_bound({room_[bin], kLast});
    if (found == pool.begin()) return false;
    add(bin, kLast - (--found)->second);
    pool.erase(found);
    return true;
  }

  /// The smallest small item, and the largest that fits beside it, where the bin has no medium one and two fit.
  void add_pair(std::size_t bin) {
    if (bins_[bin].size() > 1 || small_.size() < 2) return;
    if (small_.begin()->first + std::next(small_.begin())->first > room_[bin]) return;
    add(bin, small_.begin()->second);
    small_.erase(small_.begin());
    const auto second = std::prev(small_.upper_bound({room_[bin], kLast}));
    add(bin, second->second);
    small_.erase(second);
  }

  /// Into bins of their own, which come out by how full they are; of equals the one that got there first.
  void spread_rest() {
    const std::size_t before = bins_.size();
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::size_t>> by_load;  // load, turn, bin
    std::uint64_t turn = 0;
    for (auto item = std::rbegin(rest_); item != std::rend(rest_); ++item) {
      const bool fits = !by_load.empty() && item->first <= capacity_ - std::get<0>(*by_load.begin());
      std::size_t bin = 0;
      if (fits) {
        bin = std::get<2>(*by_load.begin());
        by_load.erase(by_load.begin());
        add(bin, kLast - item->second);
      } else {
        bin = open_bin(kLast - item->second);
      }
      by_load.emplace(capacity_ - room_[bin], turn++, bin);
    }
    std::vector<std::vector<std::uint32_t>> ordered;
    for (const auto& place : by_load) ordered.push_back(std::move(bins_[std::get<2>(place)]));
    std::move(ordered.begin(), ordered.end(), bins_.begin() + static_cast<std::ptrdiff_t>(before));
  }

  std::span<const std::uint32_t> sizes_;
  std::uint64_t capacity_;
  Pool medium_, small_, rest_;
  std::vector<std::vector<std::uint32_t>> bins_;
  std::vector<std::uint64_t> room_;  ///< one per bin
};

}  // namespace

std::vector<std::vector<std::uint32_t>> modified_first_fit_decreasing(std::span<const std::uint32_t> sizes,
                                                                      std::uint64_t capacity) {
  return ModifiedFirstFit(sizes, capacity).pack();
}

std::uint32_t FirstFit::place(std::uint64_t size) {
  std::size_t at = 1;
  const std::size_t places = room_.size() / 2;
  while (room_[at] > size && at < places) at = 2 * at + (room_[2 * at] > size ? 0 : 1);
  const std::uint32_t bin = room_[at] > size ? static_cast<std::uint32_t>(at - places) : open_bin();
  const std::uint64_t room = room_[room_.size() / 2 + bin];
  set_room(bin, ++items_[bin] < most_items_ && room > size ? room - size : 0);
  return bin;
}

std::uint32_t FirstFit::open_bin() {
  const std::size_t bin = items_.size(), places = room_.size() / 2;
  if (bin == places) {
    std::vector<std::uint64_t> wider(4 * places, 0);
    std::copy_n(room_.begin() + static_cast<std::ptrdiff_t>(places), places,
                wider.begin() + 2 * static_cast<std::ptrdiff_t>(places));
    for (std::size_t at = 2 * places; at-- > 1;) wider[at] = std::max(wider[2 * at], wider[2 * at + 1]);
    room_ = std::move(wider);
  }
  items_.push_back(0);
  set_room(bin, capacity_ + 1);
  return static_cast<std::uint32_t>(bin);
}

void FirstFit::set_room(std::size_t bin, std::uint64_t room) {
  std::size_t at = room_.size() / 2 + bin;
  room_[at] = room;
  while ((at /= 2) > 0) room_[at] = std::max(room_[2 * at], room_[2 * at + 1]);
}

std::uint32_t BestFit::place(std::uint64_t size) {
  std::uint64_t space = capacity_;
  std::uint32_t bin = bins_;
  if (const auto found = open_.lower_bound({size, 0, 0}); found != open_.end()) {
    space = std::get<0>(*found);
    bin = std::get<2>(*found);
    open_.erase(found);
  } else {
    ++bins_;
  }
  if (space > size) open_.insert({space - size, turn_++, bin});
  return bin;
}

}  // namespace seqpoint::batching
