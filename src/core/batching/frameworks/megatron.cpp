// Megatron-LM's loaders (megatron/legacy/data/data_samplers.py). `cyclic` shuffles anew in every epoch, with the epoch
// as the seed; `single` goes through the data once, in order. --batch-size is the micro-batch, --world-size the
// data-parallel size. Incomplete batches are dropped. With `seq-length` the data set is a GPTDataset, or a blend of one
// for each manifest: its samples are sequences.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/enum_names.hpp"
#include "core/numbers.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

// --- GPTDataset: documents shuffled, laid end to end, cut into sequences, the sequences shuffled; several manifests
// give one data set each, and a blend of them.
//
// megatron/core/datasets/: gpt_dataset.py, blended_megatron_dataset_builder.py, blended_dataset.py, helpers.cpp. One
// RandomState(seed) shuffles first the documents of all epochs together, then the sequences. If the last epoch is
// needed for less than 80 % of its sequences, it is shuffled separately, after the rest. A sequence reads one token
// more than its length, the label of its last token; the next sequence begins with that token. Every manifest is such a
// data set, shuffled by a generator of its own with that seed; a blend takes each sequence from the data set that is
// furthest below its share.

constexpr std::uint64_t kLabel = 1;      // token that a sequence reads beyond its length
constexpr double kMinShareToMix = 0.80;  // of the last epoch's sequences, for one shuffle of all epochs
constexpr double kSurplus = 0.005;       // mid_level_dataset_surplus: sequences of a blended data set beyond its share

// --- the tokens of documents, and the sequences that they are cut into

/// Concatenated tokens of documents: dataset rows, which may repeat.
class TokenStream {
 public:
  explicit TokenStream(const lengths::Lengths& lengths) : lengths_(lengths) {}

  /// Appends documents, the first of which begins at the next multiple of `length`: a gap before it may remain. Returns
  /// the position of its first token.
  std::uint64_t append(std::span<const std::uint32_t> documents, std::uint64_t length) {
    const std::uint64_t begin = (tokens() + length - 1) / length * length;
    documents_.insert(documents_.end(), documents.begin(), documents.end());
    ends_.reserve(documents_.size());
    std::uint64_t end = begin;
    for (const std::uint32_t document : documents) ends_.push_back(end += lengths_.src[document]);
    return begin;
  }

  /// The length of the stream, including gaps.
  std::uint64_t tokens() const { return ends_.empty() ? 0 : ends_.back(); }

  /// Appends to `rows` the dataset rows of the tokens that the sequence of `length` tokens at position `begin` reads,
  /// with its label; rows without a token are left out. Returns the sum of squares of the pieces of documents that the
  /// sequence contains (without the label), each of which attends to itself.
  std::uint64_t append_rows(std::uint64_t begin, std::uint64_t length, std::vector<std::uint32_t>& rows) const {
    const std::uint64_t end = begin + length;
    std::uint64_t squares = 0;
    const auto first = std::upper_bound(ends_.begin(), ends_.end(), begin);
    for (auto d = static_cast<std::size_t>(first - ends_.begin()); d < ends_.size(); ++d) {
      const std::uint64_t starts = d == 0 ? 0 : ends_[d - 1];
      if (starts >= end + kLabel) break;
      if (ends_[d] > starts) rows.push_back(documents_[d]);
      const std::uint64_t piece = starts < end ? std::min(ends_[d], end) - std::max(starts, begin) : 0;
      squares += piece * piece;
    }
    return squares;
  }

 private:
  const lengths::Lengths& lengths_;
  std::vector<std::uint32_t> documents_;
  std::vector<std::uint64_t> ends_;  ///< one per document: the number of tokens up to its end
};

/// Turns micro-batches whose rows are sequence numbers into micro-batches of dataset rows.
class SequencesToRows {
 public:
  SequencesToRows(const TokenStream& stream, std::uint64_t length, const MicroBatchSink& sink)
      : stream_(stream), length_(length), builder_(sink) {}

  /// Sends the micro-batch with dataset rows and shapes. Every sequence counts as padded to its full length.
  void operator()(const MicroBatch& sequences) {
    for (std::size_t r = 0; r < sequences.ranks(); ++r) add_rank(sequences.rows_of_rank(r));
    builder_.send(sequences.epoch);
  }

 private:
  /// Adds one rank's batch, given by sequence numbers, with its shape in tokens.
  void add_rank(std::span<const std::uint32_t> sequences) {
    BatchShape shape;
    rows_.clear();
    shape.src_len = static_cast<std::uint32_t>(length_);
    shape.sequences = static_cast<std::uint32_t>(sequences.size());
    for (const std::uint32_t sequence : sequences) {
      const std::uint64_t begin = sequence * length_;
      const std::size_t joint = rows_.size();
      shape.sq_tokens += stream_.append_rows(begin, length_, rows_);
      // A document that continues from one sequence into the next counts as one row.
      if (joint > 0 && joint < rows_.size() && rows_[joint] == rows_[joint - 1])
        rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(joint));
      shape.tokens += std::min(length_, stream_.tokens() - begin);
    }
    builder_.add_rank(rows_, shape);
  }

  const TokenStream& stream_;
  std::uint64_t length_;
  MicroBatchBuilder builder_;
  std::vector<std::uint32_t> rows_;
};

/// The option seq-length: the length of a sequence, in tokens. Throws ParameterError if it is missing, 0 or above
/// 4294967295, and for paired data, which are not packed in this way.
std::uint64_t sequence_length(const lengths::Lengths& lengths, const BatchPolicy& policy) {
  const auto length = policy.options.count("seq-length");
  if (!length)
    throw ParameterError("sampler", policy.sampler + " needs the length of a sequence",
                         fmt::format("`sampler` {}:seq-length=N, in tokens", policy.sampler));
  if (*length == 0 || *length > 0xFFFFFFFFU)
    throw ParameterError("seq-length", "must be 1 or more, at most 4294967295");
  if (lengths.paired())
    throw ParameterError("sampler",
                         fmt::format("{} packs one length a sample; this data set has pairs", policy.sampler),
                         "leave out `tgt`");
  return *length;
}

// --- the documents of one manifest

/// How many epochs of the documents are used, and whether the last one is shuffled separately.
struct Passes {
  std::uint64_t epochs = 1;
  std::uint64_t sequences = 0;  ///< in total
  std::optional<std::uint64_t> before_last_epoch =
      {};  ///< sequences before the last epoch; nothing: it is not shuffled separately
};

/// Number of whole sequences that `tokens` tokens give, with the label of the last sequence.
std::uint64_t sequences_of(std::uint64_t tokens, std::uint64_t length) {
  return tokens < kLabel ? 0 : (tokens - kLabel) / length;
}

/// The passes for `wanted` sequences of `length` tokens: as many epochs as they need, at least 1. Nothing wanted: one
/// epoch. `tokens_an_epoch` > 0.
Passes passes_of(std::uint64_t tokens_an_epoch, std::uint64_t length, std::optional<std::uint64_t> wanted) {
  Passes passes;
  if (wanted)
    passes.epochs = std::max<std::uint64_t>(1, (*wanted * length + kLabel + tokens_an_epoch - 1) / tokens_an_epoch);
  passes.sequences = sequences_of(passes.epochs * tokens_an_epoch, length);
  if (passes.epochs == 1) return passes;
  const std::uint64_t before = sequences_of((passes.epochs - 1) * tokens_an_epoch, length);
  const auto threshold =
      static_cast<std::uint64_t>(kMinShareToMix * static_cast<double>(sequences_of(tokens_an_epoch, length)));
  if (*wanted - before < threshold) passes.before_last_epoch = before;
  return passes;
}

/// Shuffles the first `first` items among themselves, then the other items among themselves.
void shuffle_in_two_parts(rng::NumpyRandom& random, std::span<std::uint32_t> items, std::size_t first) {
  random.shuffle(items.first(first));
  random.shuffle(items.subspan(first));
}

/// The rows of one manifest, and how many of its sequences are wanted; nothing: one epoch.
struct DocumentSet {
  std::uint32_t begin = 0, end = 0;
  std::optional<std::uint64_t> wanted = {};

  std::uint64_t size() const { return end - begin; }
};

/// The passes through the documents of a set. Throws ParameterError if its tokens make no sequence, and if the
/// documents of all epochs are more than 4294967295.
Passes checked_passes(const lengths::Lengths& lengths, const DocumentSet& set, std::uint64_t length) {
  const std::uint64_t tokens =
      std::accumulate(lengths.src.begin() + set.begin, lengths.src.begin() + set.end, std::uint64_t{0});
  const Passes passes = tokens == 0 ? Passes{} : passes_of(tokens, length, set.wanted);
  if (passes.sequences == 0)
    throw ParameterError("seq-length",
                         fmt::format("{}: the samples{} hold {} tokens, less than one sequence and its label", length,
                                     set.size() < lengths.size() ? " of one manifest" : "", tokens),
                         "a smaller `seq-length`");
  if (passes.epochs > 0xFFFFFFFFU / set.size())
    throw ParameterError(
        "train-samples",
        fmt::format("reads {} samples {} times, more than 4294967295 in all", set.size(), passes.epochs),
        "a smaller `train-samples`, or `seq-length`");
  return passes;
}

/// The dataset rows of all epochs, shuffled together; the last epoch separately, at the end, if the passes say so.
std::vector<std::uint32_t> shuffled_documents(const DocumentSet& set, const Passes& passes, rng::NumpyRandom& random) {
  std::vector<std::uint32_t> documents(set.size() * passes.epochs);
  for (std::size_t i = 0; i < documents.size(); ++i)
    documents[i] = set.begin + static_cast<std::uint32_t>(i % set.size());
  shuffle_in_two_parts(random, documents, documents.size() - (passes.before_last_epoch ? set.size() : 0));
  return documents;
}

/// The numbers of the sequences, from `first` on, shuffled together; those of the last epoch separately, at the end, if
/// the passes say so. Throws ParameterError for numbers above 4294967295.
std::vector<std::uint32_t> shuffled_sequences(const Passes& passes, std::uint64_t first, rng::NumpyRandom& random) {
  if (first + passes.sequences > 0xFFFFFFFFU)
    throw ParameterError("seq-length", "cuts more than 4294967295 sequences", "a larger one");
  std::vector<std::uint32_t> sequences(passes.sequences);
  std::iota(sequences.begin(), sequences.end(), static_cast<std::uint32_t>(first));
  shuffle_in_two_parts(random, sequences, passes.before_last_epoch.value_or(sequences.size()));
  return sequences;
}

// --- blends

/// Shares of data sets, and the total number of sequences.
struct Blend {
  std::vector<double> weights = {};  ///< their sum is 1
  std::uint64_t sequences = 0;
  bool all_of_each = false;  ///< a data set that is used up is skipped
};

std::vector<double> normalized(std::vector<double> weights) {
  const double sum = numpy_sum(weights);
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// The weights of `blend`, normalised to a sum of 1; empty if not given. Throws ParameterError unless each of the
/// `sets` manifests has a weight above 0 and `train-samples` is given.
std::vector<double> checked_weights(const BatchPolicy& policy, std::size_t sets) {
  const std::vector<double> weights = policy.options.numbers("blend");
  if (weights.empty()) return {};
  if (weights.size() != sets)
    throw ParameterError("blend", fmt::format("has {} weights, and there are {} manifests", weights.size(), sets),
                         "a weight for every manifest, in their order");
  if (std::ranges::any_of(weights, [](double weight) { return weight <= 0; }))
    throw ParameterError("blend", ": a weight must be above 0", "leave out the manifest that has none");
  if (!policy.options.has("train-samples"))
    throw ParameterError("blend", "needs `train-samples`",
                         "the sequences of the whole run: iterations x global batch size");
  return normalized(weights);
}

/// The sequences of a data set of that weight in a run of `wanted` sequences, rounded up, before the surplus is added.
std::uint64_t share_of(double weight, std::uint64_t wanted) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(wanted) * weight));
}

/// A share with 0.5 % more sequences, rounded up.
std::uint64_t with_surplus(std::uint64_t share) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(share) * (1 + kSurplus)));
}

/// One set per manifest. With weights each wants its share and the surplus. Without weights a single manifest wants
/// `wanted` sequences, and several want one epoch each.
std::vector<DocumentSet> sets_of(const lengths::Lengths& lengths, const std::vector<double>& weights,
                                 std::optional<std::uint64_t> wanted) {
  std::vector<std::uint64_t> ends = lengths.manifest_ends;
  if (ends.empty()) ends.push_back(lengths.size());
  std::vector<DocumentSet> sets;
  for (std::size_t d = 0; d < ends.size(); ++d) {
    DocumentSet set{.begin = static_cast<std::uint32_t>(d == 0 ? 0 : ends[d - 1]),
                    .end = static_cast<std::uint32_t>(ends[d])};
    if (!weights.empty())
      set.wanted = with_surplus(share_of(weights[d], *wanted));
    else if (ends.size() == 1)
      set.wanted = wanted;
    sets.push_back(set);
  }
  return sets;
}

/// A blend of given weights, with the sum of the shares, each rounded up, as the total.
Blend blend_by_weights(const std::vector<double>& weights, std::uint64_t wanted) {
  Blend blend{.weights = normalized(weights)};  // once more, as BlendedDataset does
  for (const double weight : weights) blend.sequences += share_of(weight, wanted);
  return blend;
}

/// A blend without given weights: a data set's share is its part of all sequences. `sets`: the sequences of each. The
/// total is all sequences, at most `wanted`; nothing: all of them.
Blend blend_by_size(const std::vector<std::vector<std::uint32_t>>& sets, std::optional<std::uint64_t> wanted) {
  Blend blend{.all_of_each = !wanted};
  for (const std::vector<std::uint32_t>& set : sets) {
    blend.weights.push_back(static_cast<double>(set.size()));
    blend.sequences += set.size();
  }
  blend.weights = normalized(std::move(blend.weights));
  blend.sequences = std::min(blend.sequences, wanted.value_or(blend.sequences));
  return blend;
}

/// The sequence numbers in the order of a blend. Repeatedly takes the next sequence of the data set that is furthest
/// below its share, the first one on a tie. A used-up set is skipped with `all_of_each`; otherwise it is an error:
/// ParameterError.
std::vector<std::uint32_t> blended(const std::vector<std::vector<std::uint32_t>>& sets, const Blend& blend) {
  std::vector<std::uint32_t> order;
  order.reserve(blend.sequences);
  std::vector<std::size_t> taken(sets.size(), 0);
  while (order.size() < blend.sequences) {
    const double place = std::max(static_cast<double>(order.size()), 1.0);
    std::optional<std::size_t> next;
    double furthest = 0;
    for (std::size_t d = 0; d < sets.size(); ++d) {
      if (blend.all_of_each && taken[d] == sets[d].size()) continue;
      const double behind = blend.weights[d] * place - static_cast<double>(taken[d]);
      if (next && behind <= furthest) continue;
      next = d;
      furthest = behind;
    }
    if (taken[*next] == sets[*next].size())
      throw ParameterError("blend",
                           fmt::format("takes more than the {} sequences that Megatron-LM makes of manifest {}",
                                       sets[*next].size(), *next),
                           "it refuses this, too: another `train-samples`, or other weights");
    order.push_back(sets[*next][taken[*next]++]);
  }
  return order;
}

/// numpy.random.seed takes 32 bits: throws ParameterError for a larger (or negative) seed.
std::uint32_t numpy_seed(std::uint64_t seed) {
  if (seed > 0xFFFFFFFFU)
    throw ParameterError("seed", fmt::format(": NumPy takes seeds from 0 to 4294967295, and {} is none", seed),
                         "a smaller `seed`; it counts with the epoch added where the sampler adds it");
  return static_cast<std::uint32_t>(seed);
}

/// The sequence of every sample, by its number. Appends the documents of all manifests to `stream`, which is empty.
/// Throws ParameterError if the options train-samples and blend do not fit the data set.
std::vector<std::uint32_t> sequence_of_sample(const lengths::Lengths& lengths, const BatchPolicy& policy,
                                              std::uint64_t length, TokenStream& stream) {
  const auto wanted = policy.options.count("train-samples");
  if (wanted && (*wanted == 0 || *wanted > 0xFFFFFFFFU))
    throw ParameterError("train-samples", "must be 1 or more, at most 4294967295");
  const std::size_t manifests = std::max<std::size_t>(lengths.manifest_ends.size(), 1);
  const std::vector<double> weights = checked_weights(policy, manifests);
  std::vector<std::vector<std::uint32_t>> sequences;
  for (const DocumentSet& set : sets_of(lengths, weights, wanted)) {
    const Passes passes = checked_passes(lengths, set, length);
    rng::NumpyRandom random(numpy_seed(policy.seed.value_or(0)));
    const std::uint64_t begin = stream.append(shuffled_documents(set, passes, random), length);
    sequences.push_back(shuffled_sequences(passes, begin / length, random));
  }
  if (!weights.empty()) return blended(sequences, blend_by_weights(weights, *wanted));
  if (manifests > 1) return blended(sequences, blend_by_size(sequences, wanted));
  return std::move(sequences.front());
}

// --- the loaders

/// MegatronPretrainingRandomSampler on every rank, as cyclic_iter restarts it. With data sharding, each rank permutes
/// its own contiguous part of the samples. Without it, ranks share one permutation, whose tail can give some of them
/// one batch more than others; those ranks lag by a batch from then on.
class CyclicLoader {
 public:
  CyclicLoader(std::uint32_t samples, const BatchPolicy& policy)
      : batch_size_(policy.batch_size),
        ranks_(policy.world_size),
        sharded_(!policy.options.has("no-data-sharding")),
        micro_batches_(samples / (batch_size_ * ranks_)),
        permuted_(sharded_ ? micro_batches_ * batch_size_ : samples / batch_size_ * batch_size_),
        places_(policy.world_size) {}

  /// Samples divided by the global micro-batch size, rounded down.
  std::uint64_t micro_batches_per_epoch() const { return micro_batches_; }

  /// Advances by one micro-batch of the run, and adds its ranks to `builder`. If `builder` is null, the micro-batch is
  /// skipped.
  void next(MicroBatchBuilder* builder) {
    for (std::size_t r = 0; r < ranks_; ++r) {
      Place& place = places_[r];
      if (place.batch == batches_of(r)) place = {micro_batch_ / micro_batches_, micro_batch_ % micro_batches_};
      rows_.clear();
      for (std::size_t k = 0; builder != nullptr && k < batch_size_; ++k) rows_.push_back(row(place, r, k));
      if (builder != nullptr) builder->add_rank(rows_);
      ++place.batch;
    }
    ++micro_batch_;
  }

 private:
  struct Place {
    std::uint64_t epoch = 0, batch = 0;
  };

  /// Number of batches that `rank` takes from one permutation.
  std::uint64_t batches_of(std::size_t rank) const {
    return sharded_ ? micro_batches_ : (permuted_ - rank + ranks_ - 1) / ranks_ / batch_size_;
  }

  /// The dataset row of sample k, 0 <= k < batch size, in the batch of `rank` at `place`.
  std::uint32_t row(const Place& place, std::size_t rank, std::size_t k) {
    const std::uint64_t i = place.batch * batch_size_ + k;
    const std::vector<std::uint32_t>& order = permutation(place.epoch);
    if (!sharded_) return order[i * ranks_ + rank];
    return static_cast<std::uint32_t>(rank * permuted_) + order[i];
  }

  /// The permutation of an epoch, made at its first use with the epoch as the seed. Keeps the previous epoch's
  /// permutation, which lagging ranks still use, and drops older ones.
  const std::vector<std::uint32_t>& permutation(std::uint64_t epoch) {
    while (!permutations_.empty() && permutations_.begin()->first + 1 < micro_batch_ / micro_batches_)
      permutations_.erase(permutations_.begin());
    auto& order = permutations_[epoch];
    if (order.empty()) order = rng::TorchGenerator(epoch).permutation(static_cast<std::uint32_t>(permuted_), true);
    return order;
  }

  std::uint64_t batch_size_, ranks_;
  bool sharded_;
  std::uint64_t micro_batches_, permuted_;
  std::uint64_t micro_batch_ = 0;
  std::vector<Place> places_;
  Rows rows_;  ///< rows of one rank
  std::map<std::uint64_t, std::vector<std::uint32_t>> permutations_;
};

/// `dataloader-type` cyclic: walks the epochs. Epochs before the first one are walked without passing them on, because
/// ranks may lag.
void run_cyclic(std::uint32_t samples, const BatchPolicy& policy, const MicroBatchSink& sink) {
  CyclicLoader loader(samples, policy);
  MicroBatchBuilder builder(sink);
  const std::uint64_t per_epoch = loader.micro_batches_per_epoch(), first = per_epoch * policy.epoch;
  for (std::uint64_t s = 0; s < first; ++s) loader.next(nullptr);
  for (std::uint64_t s = first; s < first + per_epoch * policy.epochs; ++s) {
    loader.next(&builder);
    builder.send(s / per_epoch);
  }
}

/// `dataloader-type` single, MegatronPretrainingSampler: file order, without an incomplete last round. Throws
/// ParameterError for any epoch but 0.
void run_single(std::uint32_t samples, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (policy.epochs > 1 || policy.epoch > 0)
    throw ParameterError("dataloader-type", "single goes through the data once: there is only epoch 0",
                         "`dataloader-type` cyclic; of sequences, say how many with `train-samples`");
  distribute_batches(file_order(samples), policy, 0, IncompleteRound::drop, sink);
}

/// Walks samples 0 to samples - 1 with the loader `type`, cyclic or single. Throws ParameterError for another type, and
/// if there are too few samples for one batch on every rank.
void run_loader(std::uint32_t samples, const BatchPolicy& policy, std::string_view type, const MicroBatchSink& sink) {
  if (samples / policy.batch_size / policy.world_size == 0)
    throw ParameterError(
        "batch_size",
        fmt::format(": Megatron-LM drops incomplete batches, and {} samples do not make one for every rank", samples),
        "a smaller `batch_size` or `world_size`");
  if (type == "cyclic") return run_cyclic(samples, policy, sink);
  if (type == "single") return run_single(samples, policy, sink);
  throw ParameterError("dataloader-type", fmt::format(": unknown value '{}'", type),
                       names_hint(type, {"cyclic", "single"}));
}

/// Builds a GPTDataset from the options seq-length, train-samples and blend, and the seed, and walks its sequences with
/// the loader `type`: a single pass ends with the run; an epoch of the cyclic loader goes through all sequences that
/// were built. Micro-batches reach `sink` with the dataset rows of the documents, and with their shapes. Throws
/// ParameterError, also for paired data.
void run_sequences(const lengths::Lengths& lengths, const BatchPolicy& policy, std::string_view type,
                   const MicroBatchSink& sink) {
  const std::uint64_t length = sequence_length(lengths, policy);
  TokenStream stream(lengths);
  const std::vector<std::uint32_t> sequence_of = sequence_of_sample(lengths, policy, length, stream);
  SequencesToRows to_rows(stream, length, sink);
  const std::uint64_t built = sequence_of.size(), wanted = policy.options.count_or("train-samples", built);
  const std::uint64_t samples = type == "single" ? std::min(wanted, built) : built;
  run_loader(static_cast<std::uint32_t>(samples), policy, type, [&](const MicroBatch& micro_batch) {
    std::vector<std::uint32_t> sequences(micro_batch.rows.begin(), micro_batch.rows.end());
    for (std::uint32_t& sample : sequences) sample = sequence_of[sample];
    to_rows({.epoch = micro_batch.epoch, .rows = sequences, .rank_ends = micro_batch.rank_ends});
  });
}

/// Sampler::run. With `seq-length` the samples are sequences of a GPTDataset, loaded by `single` unless the type is
/// given; otherwise they are dataset rows, loaded by `cyclic`.
void run_megatron(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const auto type = policy.options.text("dataloader-type");
  if (policy.options.has("seq-length")) return run_sequences(lengths, policy, type.value_or("single"), sink);
  for (const std::string_view option : {"train-samples", "blend"})
    if (policy.options.has(option)) throw ParameterError(option, "is for sequences", "with `seq-length`");
  run_loader(static_cast<std::uint32_t>(lengths.size()), policy, type.value_or("cyclic"), sink);
}

/// Throws ParameterError for a checkpoint after epoch 0 if gradients are accumulated, or if it lies between epochs and
/// there is no data sharding. Reason: the samplers resume from consumed_samples alone, so a rank that has one more
/// batch of the previous epoch loses it.
void require_same_megatron(const lengths::Lengths&, const BatchPolicy& policy, const ResumePoint& at) {
  if (at.epoch == 0) return;
  if (policy.options.has("no-data-sharding") && at.done == 0)
    throw ParameterError("resume_at",
                         ": with `no-data-sharding` a rank may have a batch more of the epoch before, which "
                         "Megatron-LM forgets",
                         "a checkpoint within an epoch");
  if (policy.grad_accumulation > 1)
    throw ParameterError("resume_at", ": Megatron-LM's steps go on from one epoch to the next, those here do not",
                         "a checkpoint in epoch 0, or no `grad_accumulation` and as many times the steps");
}

constexpr std::array kMegatronOptions{
    OptionSpec{"dataloader-type", Kind::text, "", "cyclic or single; cyclic unless `seq-length` is given"},
    OptionSpec{"no-data-sharding", Kind::flag, "", "cyclic: all ranks share one permutation"},
    OptionSpec{"seq-length", Kind::count, "", "tokens of every sequence, packed from documents (GPTDataset)"},
    OptionSpec{"train-samples", Kind::count, "", "sequences of the whole run; one epoch of the documents unless given"},
    OptionSpec{"blend", Kind::text, "",
               "weights of the manifests, with commas between them; by their sequences unless given"},
};

}  // namespace

const Sampler kMegatron{.name = "megatron",
                        .summary = "Megatron-LM's loaders, over samples or over a GPTDataset's sequences",
                        .checked_against = "Megatron-LM's own samplers and GPTDataset, and vectors",
                        .example = "`batch_size` 4 `world_size` 8 `seed` 1234",
                        .options = kMegatronOptions,
                        .run = run_megatron,
                        .assumes = no_assumption,
                        .resuming = {.same_batches = true,
                                     .about = "consumed_samples are those of the checkpoint, the batch sizes as before",
                                     .require_same = require_same_megatron}};

}  // namespace seqpoint::batching::frameworks
