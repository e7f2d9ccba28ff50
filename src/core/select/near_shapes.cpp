#include "core/select/near_shapes.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "core/trace/relative_distance.hpp"

namespace seqpoint::select {

NearShapes::NearShapes(std::vector<trace::Signature> shapes) : shapes_(std::move(shapes)) {
  std::ranges::sort(shapes_, {}, [](const trace::Signature& s) { return std::pair(s.length(), s); });
}

const trace::Signature* NearShapes::nearest_to(const trace::Signature& to) const {
  const trace::Signature* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  // Lengths alone differ more, the farther the search goes to either side; false: by more than the nearest in all.
  const auto look_at = [&](const trace::Signature& shape) {
    const double less = std::min(shape.length(), to.length()), more = std::max(shape.length(), to.length());
    if (more > 0 && (more - less) / more > least) return false;
    const double distance = trace::relative_distance(to, shape);
    if (distance < least || (distance == least && shape < *nearest)) {
      least = distance;
      nearest = &shape;
    }
    return true;
  };
  const auto middle = std::ranges::lower_bound(shapes_, to.length(), {}, &trace::Signature::length);
  for (auto at = middle; at != shapes_.end() && look_at(*at);) ++at;
  for (auto at = middle; at != shapes_.begin() && look_at(*std::prev(at));) --at;
  return nearest;
}

NearShapes others_of(const trace::RunSummary& run, const std::vector<trace::Signature>& points) {
  const std::set<trace::Signature> own(points.begin(), points.end());
  std::set<std::uint64_t> sizes;
  for (const trace::Signature& point : points) sizes.insert(point.batch_size);
  std::vector<trace::Signature> others;
  for (const trace::SignatureCount& entry : run.histogram)
    if (sizes.contains(entry.signature.batch_size) && !own.contains(entry.signature)) others.push_back(entry.signature);
  return NearShapes(std::move(others));
}

std::vector<std::optional<trace::Signature>> nearest_others(const Selection& selection) {
  std::vector<trace::Signature> points;
  for (const Point& point : selection.points) points.push_back(point.signature);
  const NearShapes others = others_of(selection.run, points);
  std::vector<std::optional<trace::Signature>> found(points.size());
  for (std::size_t p = 0; p < points.size(); ++p)
    if (const auto* const near = others.nearest_to(points[p])) found[p] = *near;
  return found;
}

}  // namespace seqpoint::select
