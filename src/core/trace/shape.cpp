#include <algorithm>
#include <cstddef>
#include <utility>

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

}  // namespace seqpoint::trace
