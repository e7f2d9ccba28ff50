#include "core/batching/bin_packing.hpp"

namespace seqpoint::batching {

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
