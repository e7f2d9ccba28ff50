/// \file
/// Megatron-LM's GPTDataset: documents shuffled, laid end to end, cut into sequences, the sequences shuffled.
/// Several manifests give one data set each, and a blend of them (BlendedDataset).
#pragma once

#include <cstdint>
#include <functional>

#include "core/batching/batches.hpp"

namespace seqpoint::batching {

/// Sends micro-batches of sample numbers, which are below `samples`.
using SampleLoader = std::function<void(std::uint32_t samples, const MicroBatchSink&)>;

/// Builds the data set, and calls `load` with the number of its samples, each a sequence; can be more than
/// train-samples. The micro-batches of `load` reach `sink` with the dataset rows of the samples' documents and with
/// their shapes. The data set is from the options seq-length, train-samples and blend, and the seed; without
/// train-samples it is one epoch of the documents. Throws ParameterError, also for paired data.
void load_gpt_dataset(const lengths::Lengths& lengths, const BatchPolicy& policy, const SampleLoader& load,
                      const MicroBatchSink& sink);

}  // namespace seqpoint::batching
