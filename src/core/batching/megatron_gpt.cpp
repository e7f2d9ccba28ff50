// megatron/core/datasets/gpt_dataset.py. One RandomState(seed) shuffles first the documents of all epochs together,
// then the sequences. Where the last epoch is needed for less than 80 % of its sequences, it is shuffled apart, behind
// the rest. A sequence reads one token more than its length, the label of its last; the next sequence begins with that.
#include "core/batching/megatron_gpt.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "core/batching/distribute.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/rng/rng.hpp"

namespace seqpoint::batching {
namespace {

constexpr std::uint64_t kLabel = 1;        // token that a sequence reads beyond its length
constexpr double kLeastShareToMix = 0.80;  // of the last epoch's sequences, for one shuffle of all epochs

/// How many epochs of the documents are used, and whether the last one is shuffled separately.
struct Passes {
  std::uint64_t epochs = 1;
  std::uint64_t sequences = 0;  ///< in all
  std::optional<std::uint64_t> before_last_epoch =
      {};  ///< sequences before the last epoch; nothing: it is not shuffled separately
};

std::uint64_t sequences_of(std::uint64_t tokens, std::uint64_t length) {
  return tokens < kLabel ? 0 : (tokens - kLabel) / length;
}

Passes passes_of(std::uint64_t tokens_an_epoch, std::uint64_t length, std::optional<std::uint64_t> wanted) {
  Passes passes;
  if (wanted)
    passes.epochs = std::max<std::uint64_t>(1, (*wanted * length + kLabel + tokens_an_epoch - 1) / tokens_an_epoch);
  passes.sequences = sequences_of(passes.epochs * tokens_an_epoch, length);
  if (passes.epochs == 1) return passes;
  const std::uint64_t before = sequences_of((passes.epochs - 1) * tokens_an_epoch, length);
  const auto threshold =
      static_cast<std::uint64_t>(kLeastShareToMix * static_cast<double>(sequences_of(tokens_an_epoch, length)));
  if (*wanted - before < threshold) passes.before_last_epoch = before;
  return passes;
}

/// `first` items shuffled among themselves, then the others.
void shuffle_in_two_parts(rng::NumpyRandom& random, std::span<std::uint32_t> items, std::size_t first) {
  random.shuffle(items.first(first));
  random.shuffle(items.subspan(first));
}

Passes checked_passes(const lengths::Lengths& lengths, const BatchPolicy& policy) {
  const std::uint64_t length = sequence_length(lengths, policy);
  std::uint64_t tokens = 0;
  for (const std::uint32_t document : lengths.src) tokens += document;
  const auto wanted = policy.options.count("train-samples");
  if (sequences_of(tokens, length) == 0)
    throw UsageError(fmt::format("--seq-length {}: the samples hold {} tokens, less than one sequence and its label",
                                 length, tokens),
                     "a smaller --seq-length");
  if (wanted && (*wanted == 0 || *wanted > 0xFFFFFFFFU))
    throw UsageError("--train-samples must be 1 or more, at most 4294967295");
  const Passes passes = passes_of(tokens, length, wanted);
  if (passes.sequences > 0xFFFFFFFFU)
    throw UsageError("--seq-length cuts more than 4294967295 sequences", "a larger one");
  return passes;
}

std::vector<std::uint32_t> shuffled_documents(const lengths::Lengths& lengths, const Passes& passes,
                                              rng::NumpyRandom& random) {
  std::vector<std::uint32_t> documents(lengths.size() * passes.epochs);
  for (std::size_t i = 0; i < documents.size(); ++i) documents[i] = static_cast<std::uint32_t>(i % lengths.size());
  shuffle_in_two_parts(random, documents, documents.size() - (passes.before_last_epoch ? lengths.size() : 0));
  return documents;
}

std::vector<std::uint32_t> shuffled_sequences(const Passes& passes, rng::NumpyRandom& random) {
  std::vector<std::uint32_t> sequences(passes.sequences);
  for (std::size_t i = 0; i < sequences.size(); ++i) sequences[i] = static_cast<std::uint32_t>(i);
  shuffle_in_two_parts(random, sequences, passes.before_last_epoch.value_or(sequences.size()));
  return sequences;
}

}  // namespace

GptDataset::GptDataset(const lengths::Lengths& lengths, const BatchPolicy& policy)
    : length_(sequence_length(lengths, policy)), stream_({}, lengths) {
  const Passes passes = checked_passes(lengths, policy);
  rng::NumpyRandom random(numpy_seed(policy.seed.value_or(0)));
  stream_ = TokenStream(shuffled_documents(lengths, passes, random), lengths);
  sequence_of_sample_ = shuffled_sequences(passes, random);
}

void GptDataset::send_documents(const MicroBatch& samples, const MicroBatchSink& sink) const {
  std::vector<std::uint32_t> sequences(samples.rows.begin(), samples.rows.end());
  for (std::uint32_t& sample : sequences) sample = sequence_of_sample_[sample];
  SequencesToRows to_rows(stream_, {length_, kLabel}, sink);
  to_rows({.epoch = samples.epoch, .rows = sequences, .rank_ends = samples.rank_ends});
}

}  // namespace seqpoint::batching
