#include "seqpoint/trace.hpp"

#include <cstddef>

namespace seqpoint::trace {
namespace {

constexpr std::array<std::string_view, kDimensions.size()> kNames{"src_len", "tgt_len", "batch_size", "tokens",
                                                                  "sq_tokens"};

using enum Dimension;
constexpr std::array kOfPadded{src_len, batch_size};
constexpr std::array kOfPaddedPair{src_len, tgt_len, batch_size};
constexpr std::array kOfVarlen{tokens, sq_tokens};

/// In the order of SignatureKind.
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

std::uint64_t largest_value(Dimension dimension) { return dimension == sq_tokens ? UINT64_MAX : UINT32_MAX; }

const KindProperties& properties_of(SignatureKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

SignatureKind kind_of(BatchLayout layout, bool paired) {
  if (layout == BatchLayout::varlen) return SignatureKind::varlen;
  return paired ? SignatureKind::padded_pair : SignatureKind::padded;
}

}  // namespace seqpoint::trace
