#include "core/trace/shapes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/lengths/sorted_positions.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::trace {
namespace {

constexpr std::array<std::string_view, kDimensions.size()> kNames{"src_len", "tgt_len", "batch_size", "tokens",
                                                                  "sq_tokens"};

/// Aliases of fields, in names of steps and in headers of tables.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kAliases{
    {{"seqlen", "src_len"}, {"seq_len", "src_len"}, {"SL", "src_len"}, {"sl", "src_len"}, {"iter", "iteration"}}};

using enum Dimension;
constexpr std::array kOfPadded{src_len, batch_size};
constexpr std::array kOfPaddedPair{src_len, tgt_len, batch_size};
constexpr std::array kOfVarlen{tokens, sq_tokens};

/// In the order of ShapeKind.
constexpr std::array<KindProperties, 3> kKinds{{{BatchLayout::padded, "one length", kOfPadded},
                                                {BatchLayout::padded, "two lengths", kOfPaddedPair},
                                                {BatchLayout::varlen, "no padding", kOfVarlen}}};

}  // namespace

std::string_view name_of(Dimension dimension) { return kNames[static_cast<std::size_t>(dimension)]; }

std::optional<Dimension> dimension(std::string_view name) {
  for (const Dimension known : kDimensions)
    if (name_of(known) == name) return known;
  return std::nullopt;
}

std::string_view canonical_field(std::string_view field) {
  for (const auto& [alias, name] : kAliases)
    if (alias == field) return name;
  return field;
}

std::uint64_t largest_value(Dimension dimension) { return dimension == sq_tokens ? UINT64_MAX : UINT32_MAX; }

const KindProperties& properties_of(ShapeKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

ShapeKind kind_of(BatchLayout layout, bool paired) {
  if (layout == BatchLayout::varlen) return ShapeKind::varlen;
  return paired ? ShapeKind::padded_pair : ShapeKind::padded;
}

PartialShape PartialShape::of(ShapeKind kind, const Shape& shape) {
  PartialShape parts;
  for (const Dimension d : dimensions_of(kind)) parts[d] = shape[d];
  return parts;
}

std::optional<Shape> PartialShape::whole(ShapeKind kind) const {
  PartialShape own;
  for (const Dimension d : dimensions_of(kind)) {
    if (!(*this)[d]) return std::nullopt;
    own[d] = (*this)[d];
  }
  const auto length = [](const std::optional<std::uint64_t>& part) {
    return static_cast<std::uint32_t>(part.value_or(0));
  };
  return Shape{.src_len = length(own.src_len),
               .tgt_len = length(own.tgt_len),
               .batch_size = length(own.batch_size),
               .tokens = length(own.tokens),
               .sq_tokens = own.sq_tokens.value_or(0)};
}

bool PartialShape::may_be(const Shape& s) const {
  return std::ranges::all_of(kDimensions, [&](Dimension d) { return (*this)[d].value_or(s[d]) == s[d]; });
}

std::string text_of(const PartialShape& parts, std::string_view equals, std::string_view separator) {
  std::string text;
  for (const Dimension d : kDimensions) {
    if (!parts[d]) continue;
    if (!text.empty()) text += separator;
    text.append(name_of(d)).append(equals) += std::to_string(*parts[d]);
  }
  return text;
}

std::string text_of(ShapeKind kind, const Shape& shape, std::string_view equals, std::string_view separator) {
  return text_of(PartialShape::of(kind, shape), equals, separator);
}

// --- The iterations of a run, sorted by shape

namespace {

/// Bits `shift` to `shift` + 31 of that dimension of every shape.
std::vector<std::uint32_t> column_of(const Trace& run, Dimension dimension, unsigned shift) {
  std::vector<std::uint32_t> bits;
  bits.reserve(run.size());
  for (const Shape& s : run.shapes) bits.push_back(static_cast<std::uint32_t>(s[dimension] >> shift));
  return bits;
}

}  // namespace

std::vector<std::size_t> positions_by_shape(const Trace& run) {
  std::vector<std::vector<std::uint32_t>> columns;
  for (const Dimension d : dimensions_of(run.kind)) {
    if (largest_value(d) > UINT32_MAX) columns.push_back(column_of(run, d, 32));
    columns.push_back(column_of(run, d, 0));
  }
  return lengths::sorted_positions(columns);
}

std::vector<std::size_t> positions_by_length(const Trace& run) {
  const std::array columns{column_of(run, length_dimension(run.kind), 0)};
  return lengths::sorted_positions(columns);
}

// --- Distance between two shapes

double relative_distance(const Shape& a, const Shape& b) {
  double sum = 0;
  for (const Dimension d : kDimensions) {
    const std::uint64_t less = std::min(a[d], b[d]), more = std::max(a[d], b[d]);
    if (less < more) sum += static_cast<double>(more - less) / static_cast<double>(more);
  }
  return sum;
}

// --- The shapes that each rank of a run meets

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
