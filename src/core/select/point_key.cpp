#include "seqpoint/select.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace seqpoint::select {

std::optional<std::uint64_t> PointKey::*PointKey::part(trace::Dimension dimension) {
  constexpr std::array<std::optional<std::uint64_t> PointKey::*, trace::kDimensions.size()> kParts{
      &PointKey::src_len, &PointKey::tgt_len, &PointKey::batch_size, &PointKey::tokens, &PointKey::sq_tokens};
  return kParts[static_cast<std::size_t>(dimension)];
}

bool PointKey::matches(const trace::Signature& s) const {
  return std::ranges::all_of(trace::kDimensions, [&](trace::Dimension d) { return (*this)[d].value_or(s[d]) == s[d]; });
}

PointKey full_key(trace::SignatureKind kind, const trace::Signature& signature) {
  PointKey key;
  for (const trace::Dimension d : trace::dimensions_of(kind)) key[d] = signature[d];
  return key;
}

PointKey length_key(trace::SignatureKind kind, std::uint64_t length) {
  PointKey key;
  key[trace::length_dimension(kind)] = length;
  return key;
}

bool is_open(trace::SignatureKind kind, const PointKey& key) {
  return !std::ranges::all_of(trace::dimensions_of(kind), [&](trace::Dimension d) { return key[d].has_value(); });
}

std::string text_of(const PointKey& key, std::string_view equals, std::string_view separator) {
  std::string text;
  for (const trace::Dimension d : trace::kDimensions) {
    if (!key[d]) continue;
    if (!text.empty()) text += separator;
    text.append(trace::name_of(d)).append(equals) += std::to_string(*key[d]);
  }
  return text;
}

trace::Signature signature_of(const PointKey& key) {
  const auto length = [](const std::optional<std::uint64_t>& part, std::uint32_t open) {
    return part ? static_cast<std::uint32_t>(*part) : open;
  };
  return {.src_len = length(key.src_len, 0),
          .tgt_len = length(key.tgt_len, 0),
          .batch_size = length(key.batch_size, key.src_len ? 1 : 0),
          .tokens = length(key.tokens, 0),
          .sq_tokens = key.sq_tokens.value_or(0)};
}

}  // namespace seqpoint::select
