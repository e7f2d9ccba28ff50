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
  /// From the options seq-length, train-samples and blend, and the seed. Without train-samples: one epoch of
  /// the documents. Throws ParameterError, also for paired data.
  GptDataset(const lengths::Lengths& lengths, const BatchPolicy& policy);

  /// The number of sequences that were built; can be more than train-samples.
  std::uint32_t samples() const { return static_cast<std::uint32_t>(sequence_of_sample_.size()); }
  /// Sends a micro-batch whose rows are sample numbers, from 0, as one with the dataset rows of the samples' documents
  /// and with their shapes.
  void send_documents(const MicroBatch& samples, const MicroBatchSink& sink) const;

 private:
  std::uint64_t length_;
  TokenStream stream_;
  std::vector<std::uint32_t> sequence_of_sample_;  ///< by sample
};

}  // namespace seqpoint::batching
