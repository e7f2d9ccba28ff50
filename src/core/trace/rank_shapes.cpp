#include "core/trace/rank_shapes.hpp"

#include <algorithm>
#include <utility>

namespace seqpoint::trace {

Shape sizes_of(Shape shape) {
  shape.sq_tokens = 0;
  return shape;
}

void RankShapeCounter::add(std::uint64_t iteration, std::span<const Shape> ranks) {
  seen_.resize(ranks.size());
  shapes_.of_each.resize(ranks.size());
  bool any_new = false;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto [found, added] = numbers_.try_emplace(sizes_of(ranks[r]), numbers_.size());
    if (added) shapes_.first_seen.push_back(iteration);
    std::vector<bool>& seen = seen_[r];
    if (seen.size() < numbers_.size()) seen.resize(numbers_.size());
    if (seen[found->second]) continue;
    seen[found->second] = any_new = true;
    ++shapes_.of_each[r];
  }
  shapes_.iterations_with_new += any_new ? 1 : 0;
}

RankShapes RankShapeCounter::finish() && { return std::move(shapes_); }

RankShapeCounts counts_of(const RankShapes& shapes) {
  const auto [fewest, most] = std::ranges::minmax(shapes.of_each);
  return {.fewest = fewest,
          .most = most,
          .all = shapes.first_seen.size(),
          .iterations_with_new = shapes.iterations_with_new};
}

}  // namespace seqpoint::trace
