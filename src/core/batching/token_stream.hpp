/// \file
/// Samples concatenated and cut into sequences of one length, as Megatron-LM's GPT data set does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/batching/micro_batch_builder.hpp"

namespace seqpoint::batching {

/// In tokens. Sequence b contains the `length` tokens from b x length on, and reads `overlap` more, with which the next
/// sequence begins.
struct SequenceCut {
  std::uint64_t length = 0;
  std::uint64_t overlap = 0;
};

/// Concatenated tokens of documents: dataset rows, which may repeat.
class TokenStream {
 public:
  explicit TokenStream(const lengths::Lengths& lengths) : lengths_(lengths) {}

  /// Appends documents, the first of which begins at the next multiple of `length`: a gap before it may remain. Returns
  /// the position of its first token.
  std::uint64_t append(std::span<const std::uint32_t> documents, std::uint64_t length);
  /// The length of the stream, including gaps.
  std::uint64_t tokens() const { return ends_.empty() ? 0 : ends_.back(); }
  /// Appends to `rows` the dataset rows of the tokens that the sequence at position `begin` reads, with its overlap;
  /// rows without a token are left out. Returns the sum of squares of the pieces of documents that the sequence
  /// contains (without the overlap), each of which attends to itself.
  std::uint64_t append_rows(std::uint64_t begin, const SequenceCut& cut, std::vector<std::uint32_t>& rows) const;

 private:
  const lengths::Lengths& lengths_;
  std::vector<std::uint32_t> documents_;
  std::vector<std::uint64_t> ends_;  ///< one per document: the number of tokens up to its end
};

/// Turns micro-batches whose rows are sequence numbers into micro-batches of dataset rows.
class SequencesToRows {
 public:
  SequencesToRows(const TokenStream& stream, SequenceCut cut, const MicroBatchSink& sink)
      : stream_(stream), cut_(cut), builder_(sink) {}
  /// Sends the micro-batch with dataset rows and shapes. Every sequence counts as padded to `cut.length`.
  void operator()(const MicroBatch& sequences);

 private:
  /// Adds one rank's batch, given by sequence numbers, with its shape in tokens. A document that continues from one
  /// sequence into the next counts as one row.
  void add_rank(std::span<const std::uint32_t> sequences);

  const TokenStream& stream_;
  SequenceCut cut_;
  MicroBatchBuilder builder_;
  std::vector<std::uint32_t> rows_;
};

/// The option seq-length: the length of a sequence, in tokens. Throws ParameterError if it is missing, 0 or above
/// 4294967295, and for paired data, which are not packed in this way.
std::uint64_t sequence_length(const lengths::Lengths& lengths, const BatchPolicy& policy);

/// Throws ParameterError if samples are pairs of a source and a target.
void require_one_side(const lengths::Lengths& lengths, const BatchPolicy& policy);

}  // namespace seqpoint::batching
