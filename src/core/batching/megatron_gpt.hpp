/// \file
/// Megatron-LM's GPTDataset: documents shuffled, laid end to end, cut into sequences, the sequences shuffled.
/// Several manifests give one data set each, and a blend of them (BlendedDataset).
#pragma once

#include <cstdint>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/batching/token_stream.hpp"

namespace seqpoint::batching {

class GptDataset {
 public:
  /// From the options --seq-length, --train-samples and --blend, and the seed. Throws ParameterError.
  GptDataset(const lengths::Lengths& lengths, const BatchPolicy& policy);

  std::uint32_t samples() const { return static_cast<std::uint32_t>(sequence_of_sample_.size()); }
  /// `samples`: a micro-batch whose rows are sample numbers. `sink` gets it with the dataset rows of their documents.
  void send_documents(const MicroBatch& samples, const MicroBatchSink& sink) const;

 private:
  std::uint64_t length_;
  TokenStream stream_;
  std::vector<std::uint32_t> sequence_of_sample_;  ///< by sample
};

}  // namespace seqpoint::batching
