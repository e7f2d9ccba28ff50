#include "core/batching/token_stream.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "seqpoint/error.hpp"

namespace seqpoint::batching {

std::uint64_t TokenStream::append(std::span<const std::uint32_t> documents, std::uint64_t length) {
  const std::uint64_t begin = (tokens() + length - 1) / length * length;
  documents_.insert(documents_.end(), documents.begin(), documents.end());
  ends_.reserve(documents_.size());
  std::uint64_t end = begin;
  for (const std::uint32_t document : documents) ends_.push_back(end += lengths_.src[document]);
  return begin;
}

std::uint64_t TokenStream::append_rows(std::uint64_t begin, const SequenceCut& cut,
                                       std::vector<std::uint32_t>& rows) const {
  const std::uint64_t end = begin + cut.length;
  std::uint64_t squares = 0;
  const auto first = std::upper_bound(ends_.begin(), ends_.end(), begin);
  for (auto d = static_cast<std::size_t>(first - ends_.begin()); d < ends_.size(); ++d) {
    const std::uint64_t starts = d == 0 ? 0 : ends_[d - 1];
    if (starts >= end + cut.overlap) break;
    if (ends_[d] > starts) rows.push_back(documents_[d]);
    const std::uint64_t piece = starts < end ? std::min(ends_[d], end) - std::max(starts, begin) : 0;
    squares += piece * piece;
  }
  return squares;
}

void SequencesToRows::add_rank(std::span<const std::uint32_t> sequences) {
  BatchShape shape;
  rows_.clear();
  shape.src_len = static_cast<std::uint32_t>(cut_.length);
  shape.sequences = static_cast<std::uint32_t>(sequences.size());
  for (const std::uint32_t sequence : sequences) {
    const std::uint64_t begin = sequence * cut_.length;
    const std::size_t joint = rows_.size();
    shape.sq_tokens += stream_.append_rows(begin, cut_, rows_);
    // A document that continues from one sequence into the next counts as one row.
    if (joint > 0 && joint < rows_.size() && rows_[joint] == rows_[joint - 1])
      rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(joint));
    shape.tokens += std::min(cut_.length, stream_.tokens() - begin);
  }
  builder_.add_rank(rows_, shape);
}

void SequencesToRows::operator()(const MicroBatch& sequences) {
  for (std::size_t r = 0; r < sequences.ranks(); ++r) add_rank(sequences.rows_of_rank(r));
  builder_.send(sequences.epoch);
}

std::uint64_t sequence_length(const lengths::Lengths& lengths, const BatchPolicy& policy) {
  const auto length = policy.options.count("seq-length");
  if (!length)
    throw ParameterError("sampler", policy.sampler + " needs the length of a sequence",
                         fmt::format("`sampler` {}:seq-length=N, in tokens", policy.sampler));
  if (*length == 0 || *length > 0xFFFFFFFFU)
    throw ParameterError("seq-length", "must be 1 or more, at most 4294967295");
  require_one_side(lengths, policy);
  return *length;
}

void require_one_side(const lengths::Lengths& lengths, const BatchPolicy& policy) {
  if (lengths.paired())
    throw ParameterError("sampler",
                         fmt::format("{} packs one length a sample; this data set has pairs", policy.sampler),
                         "leave out `tgt`");
}

}  // namespace seqpoint::batching
