/// \file
/// What decides an iteration's cost: the three kinds of signatures, and the names of their dimensions.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "seqpoint/words.hpp"

namespace seqpoint::trace {

/// How the sequences of a batch are put together.
enum class BatchLayout {
  padded,  ///< every sequence padded to the longest
  varlen   ///< no padding: sequences packed end to end, attention of variable length
};

/// The words of layouts.
inline constexpr std::array<Word<BatchLayout>, 2> kBatchLayouts{
    {{"padded", BatchLayout::padded, "lengths padded to the longest"},
     {"varlen", BatchLayout::varlen, "training without padding"}}};

/// A part of a signature: a padded source or target length, the sequences of a batch, its unpadded tokens, the sum of
/// its squared unpadded lengths.
enum class Dimension : std::uint8_t { src_len, tgt_len, batch_size, tokens, sq_tokens };

/// All dimensions, in the order in which signatures are compared and artefacts list them.
inline constexpr std::array kDimensions{Dimension::src_len, Dimension::tgt_len, Dimension::batch_size,
                                        Dimension::tokens, Dimension::sq_tokens};

/// The one name of a dimension in artefacts, tables, messages and names of steps: `src_len`.
std::string_view name_of(Dimension);
/// The dimension of that name; nothing for any other word.
std::optional<Dimension> dimension(std::string_view name);
/// The most that a signature holds of a dimension: 2^32 - 1; of sq_tokens 2^64 - 1.
std::uint64_t largest_value(Dimension);

/// Which dimensions the signatures of a run have. All of one run are of one kind.
enum class SignatureKind {
  padded,       ///< one length
  padded_pair,  ///< source and target lengths
  varlen        ///< without padding
};

/// A row of the table of kinds. Lives as long as the program.
struct KindProperties {
  BatchLayout layout;                     ///< whether batches of the kind are padded
  std::string_view lengths;               ///< what tells its lengths in a message: "one length"
  std::span<const Dimension> dimensions;  ///< in the order of kDimensions; the first is the length
};

/// The row of a kind.
const KindProperties& properties_of(SignatureKind);
/// The kind of a layout; `paired`: whether samples have a source and a target side, which varlen does not tell apart.
SignatureKind kind_of(BatchLayout, bool paired);

/// The dimensions of a kind, in the order of kDimensions; the first is the length.
inline std::span<const Dimension> dimensions_of(SignatureKind kind) { return properties_of(kind).dimensions; }
/// What methods of one length go by, and figures are drawn over: src_len, or tokens without padding.
inline Dimension length_dimension(SignatureKind kind) { return dimensions_of(kind).front(); }

/// What decides an iteration's cost: with padding the lengths and the batch size, without it tokens and sq_tokens.
/// Dimensions that its kind does not have are 0.
///
/// With several ranks it is that of the rank with the most work, because a synchronous step waits for the slowest: the
/// most padded tokens (without padding: tokens, then sq_tokens), then the longer source, then the first of the ranks.
struct Signature {
  std::uint32_t src_len = 0,     ///< padded length of the source side, or the only one; tokens or frames
      tgt_len = 0;               ///< the same of the target side; 0 in a run of one length
  std::uint32_t batch_size = 0;  ///< sequences of a padded batch
  std::uint32_t tokens = 0;      ///< of a batch without padding, both sides: linear layers grow with them
  /// Sum over a batch's sequences of the squared length, both sides: attention grows with it, each sequence attends to
  /// itself.
  std::uint64_t sq_tokens = 0;

  /// The value of a dimension; 0 where the kind does not have it.
  std::uint64_t operator[](Dimension dimension) const {
    constexpr std::array kLengths{&Signature::src_len, &Signature::tgt_len, &Signature::batch_size, &Signature::tokens};
    const auto at = static_cast<std::size_t>(dimension);
    return at < kLengths.size() ? this->*kLengths[at] : sq_tokens;
  }
  /// Tokens of the whole batch, both sides, with its padding; without padding: its tokens.
  std::uint64_t padded_tokens() const {
    return tokens + std::uint64_t{batch_size} * (std::uint64_t{src_len} + tgt_len);
  }
  /// Dimension by dimension, in the order of kDimensions.
  friend auto operator<=>(const Signature&, const Signature&) = default;
};

}  // namespace seqpoint::trace
