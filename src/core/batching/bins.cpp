#include "core/batching/bins.hpp"

#include <algorithm>

namespace seqpoint::batching {

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
