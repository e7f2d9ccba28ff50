/// \file
/// What a point fixes of a signature, and how the two become each other.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "seqpoint/trace/signature.hpp"

namespace seqpoint::select {

/// The parts of a signature that are fixed, or known. A part without a value matches anything. Of a point always the
/// length of its kind (src_len or tokens) has one.
struct PointKey {
  std::optional<std::uint64_t> src_len{},  ///< Signature::src_len
      tgt_len{},                           ///< Signature::tgt_len
      batch_size{},                        ///< Signature::batch_size
      tokens{},                            ///< Signature::tokens
      sq_tokens{};                         ///< Signature::sq_tokens

  /// The part of a dimension.
  std::optional<std::uint64_t>& operator[](trace::Dimension d) { return this->*part(d); }
  /// The part of a dimension.
  const std::optional<std::uint64_t>& operator[](trace::Dimension d) const { return this->*part(d); }
  /// Whether a signature has all the values that the key fixes.
  bool matches(const trace::Signature&) const;
  /// Part by part, in the order of trace::kDimensions; an open part comes first.
  friend auto operator<=>(const PointKey&, const PointKey&) = default;

 private:
  static std::optional<std::uint64_t> PointKey::*part(trace::Dimension);
};

/// A key that fixes every dimension of the kind.
PointKey full_key(trace::SignatureKind, const trace::Signature&);
/// A key that fixes the length alone.
PointKey length_key(trace::SignatureKind, std::uint64_t length);
/// Whether the key leaves a dimension of the kind open.
bool is_open(trace::SignatureKind, const PointKey&);

/// Names and values of what the key fixes: "src_len 213, batch_size 64" with `equals` " " and `separator` ", ". Empty
/// where it fixes nothing.
std::string text_of(const PointKey&, std::string_view equals, std::string_view separator);

/// The signature that a key describes. What the key leaves open is 0, but for the batch size of padded lengths: it
/// is 1. Parts are at most trace::largest_value.
trace::Signature signature_of(const PointKey&);

}  // namespace seqpoint::select
