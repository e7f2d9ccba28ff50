#include <algorithm>
#include <cstddef>

#include "core/trace/trace.hpp"

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

std::optional<std::uint64_t> PartialSignature::*PartialSignature::part(Dimension dimension) {
  constexpr std::array<std::optional<std::uint64_t> PartialSignature::*, kDimensions.size()> kParts{
      &PartialSignature::src_len, &PartialSignature::tgt_len, &PartialSignature::batch_size, &PartialSignature::tokens,
      &PartialSignature::sq_tokens};
  return kParts[static_cast<std::size_t>(dimension)];
}

PartialSignature PartialSignature::of(SignatureKind kind, const Signature& signature) {
  PartialSignature parts;
  for (const Dimension d : dimensions_of(kind)) parts[d] = signature[d];
  return parts;
}

std::optional<Signature> PartialSignature::whole(SignatureKind kind) const {
  PartialSignature own;
  for (const Dimension d : dimensions_of(kind)) {
    if (!(*this)[d]) return std::nullopt;
    own[d] = (*this)[d];
  }
  const auto length = [](const std::optional<std::uint64_t>& part) {
    return static_cast<std::uint32_t>(part.value_or(0));
  };
  return Signature{.src_len = length(own.src_len),
                   .tgt_len = length(own.tgt_len),
                   .batch_size = length(own.batch_size),
                   .tokens = length(own.tokens),
                   .sq_tokens = own.sq_tokens.value_or(0)};
}

bool PartialSignature::may_be(const Signature& s) const {
  return std::ranges::all_of(kDimensions, [&](Dimension d) { return (*this)[d].value_or(s[d]) == s[d]; });
}

std::string text_of(const PartialSignature& parts, std::string_view equals, std::string_view separator) {
  std::string text;
  for (const Dimension d : kDimensions) {
    if (!parts[d]) continue;
    if (!text.empty()) text += separator;
    text.append(name_of(d)).append(equals) += std::to_string(*parts[d]);
  }
  return text;
}

std::string text_of(SignatureKind kind, const Signature& signature, std::string_view equals,
                    std::string_view separator) {
  return text_of(PartialSignature::of(kind, signature), equals, separator);
}

}  // namespace seqpoint::trace
