// fairseq-train (fairseq/tasks/fairseq_task.py, data/iterators.py): sorted rows are cut into batches by tokens and
// sentences once, when training starts; each epoch shuffles the batches. Both draw from NumPy, seeded anew with
// seed + epoch; fairseq counts epochs from 1. Commit d871f61 (2022-12-12, after release 0.12.2) changed three things: a
// last batch that is no multiple of --required-batch-size-multiple is dropped, audio_pretraining makes its batches
// anew in every epoch (rebuild_batches), and batches depend on the epoch in which they are made.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/frameworks/legacy/fairseq_batch_by_size.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::batching::frameworks::legacy {
namespace {

constexpr std::uint64_t kPositions = 1024;  // max_source_positions and max_target_positions of fairseq's models
constexpr std::uint64_t kUnlimited = 0xFFFFFFFFU;

/// Whether the rules are those from commit d871f61 on, which drop a last batch that does not fit the multiple.
bool drops_incomplete_last(const BatchPolicy& policy) {
  return policy.version.empty() || policy.version == kFairseq.versions.used;
}

bool is_audio(const BatchPolicy& policy) {
  constexpr std::array<std::string_view, 2> kTasks{"translation", "audio_pretraining"};
  return policy.options.one_of("task", kTasks) == "audio_pretraining";
}

/// Samples of a batch at most: fairseq calls --batch-size also --max-sentences. 0: no limit.
std::uint64_t sentences_of(const BatchPolicy& policy) {
  const std::uint64_t named = policy.options.count_or("max-sentences", policy.batch_size);
  if (policy.batch_size != 0 && named != policy.batch_size)
    throw ParameterError("max-sentences", "and `batch_size` are one option of fairseq, and differ here",
                         "only one of them");
  return named;
}

Limits limits_of(const BatchPolicy& policy) {
  const Limits limits{.max_tokens = policy.options.count_or("max-tokens", 0),
                      .max_sentences = sentences_of(policy),
                      .multiple = positive_count(policy, "required-batch-size-multiple", 8),
                      .keeps_last = !drops_incomplete_last(policy) && !policy.drop_last};
  if (limits.max_tokens == 0 && limits.max_sentences == 0)
    throw ParameterError("sampler", "fairseq needs a limit of a batch", "`max-tokens` N, or `batch_size` N, or both");
  return limits;
}

/// Cuts the rows where `tokens_of` a row says so.
template <class Tokens>
Batches cut(Rows rows, const BatchPolicy& policy, const Tokens& tokens_of) {
  const Limits limits = limits_of(policy);
  BatchBySize cutter(limits);
  for (const std::uint32_t row : rows) {
    const std::uint64_t tokens = tokens_of(row);
    if (limits.too_many_tokens(1, tokens))
      throw ParameterError("max-tokens",
                           fmt::format("{}: sample {} has {}, and fairseq stops there", limits.max_tokens, row, tokens),
                           "more `max-tokens`, or `max_length` to leave out long samples");
    cutter.add(tokens);
  }
  return {std::move(rows), std::move(cutter).finish()};
}

/// Leaves out rows for which the model has no positions. fairseq does so only where an option says so, else it stops.
void filter_by_size(Rows& rows, const lengths::Lengths& lengths, const BatchPolicy& policy) {
  const std::uint64_t most_src = policy.options.count_or("max-source-positions", kPositions);
  const std::uint64_t most_tgt = policy.options.count_or("max-target-positions", kPositions);
  const bool skip = policy.options.has("skip-invalid-size-inputs-valid-test");
  std::erase_if(rows, [&](std::uint32_t row) {
    const bool fits = lengths.src[row] <= most_src && (!lengths.paired() || lengths.tgt[row] <= most_tgt);
    if (!fits && !skip)
      throw ParameterError("max-source-positions",
                           fmt::format("{} or `max-target-positions` {}: sample {} is longer, and fairseq stops there",
                                       most_src, most_tgt, row),
                           "`skip-invalid-size-inputs-valid-test` leaves such samples out");
    return !fits;
  });
}

/// By source length, then target length, then at random (language_pair_dataset.py).
Batches translation_batches(const lengths::Lengths& lengths, const BatchPolicy& policy, rng::NumpyRandom random) {
  const auto &src = lengths.src, &tgt = lengths.tgt;
  Rows rows = random.permutation(static_cast<std::uint32_t>(lengths.size()));
  if (lengths.paired()) std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return tgt[a] < tgt[b]; });
  std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return src[a] < src[b]; });
  filter_by_size(rows, lengths, policy);
  return cut(std::move(rows), policy,
             [&](auto row) { return lengths.paired() ? std::max(src[row], tgt[row]) : src[row]; });
}

std::uint32_t max_sample_size(const BatchPolicy& policy) {
  return static_cast<std::uint32_t>(std::min(policy.options.count_or("max-sample-size", kUnlimited), kUnlimited));
}

/// Longest first, equal ones at random (raw_audio_dataset.py).
Batches audio_batches(const lengths::Lengths& lengths, const BatchPolicy& policy, rng::NumpyRandom random) {
  const std::uint32_t most = max_sample_size(policy);
  const bool pad = policy.options.has("enable-padding");
  const Rows tie_break = random.permutation(static_cast<std::uint32_t>(lengths.size()));
  const auto cropped = [&](std::uint32_t row) { return std::min(lengths.src[row], most); };
  Rows rows = file_order(lengths.size());
  std::sort(rows.begin(), rows.end(),
            [&](auto a, auto b) { return std::pair(cropped(a), tie_break[a]) > std::pair(cropped(b), tie_break[b]); });
  return cut(std::move(rows), policy, [&](auto row) { return pad ? lengths.src[row] : cropped(row); });
}

/// `epoch` is 0-based.
rng::NumpyRandom random_of(const BatchPolicy& policy, std::uint64_t epoch) {
  return rng::NumpyRandom(numpy_seed(policy.seed.value_or(0) + epoch + 1));
}

/// Orders rows of equal length before they are cut. Until d871f61 that was seeded with the seed alone.
rng::NumpyRandom random_of_rows(const BatchPolicy& policy, std::uint64_t epoch) {
  if (drops_incomplete_last(policy)) return random_of(policy, epoch);
  return rng::NumpyRandom(numpy_seed(policy.seed.value_or(0)));
}

Batches batches_of(const lengths::Lengths& lengths, const BatchPolicy& policy, std::uint64_t epoch) {
  Batches batches = is_audio(policy) ? audio_batches(lengths, policy, random_of_rows(policy, epoch))
                                     : translation_batches(lengths, policy, random_of_rows(policy, epoch));
  if (batches.size() == 0)
    throw ParameterError("required-batch-size-multiple",
                         ": fairseq has no batch left, as it drops a last one that is no multiple",
                         "`required-batch-size-multiple` 1, or `version` 0.12 where that is what trained");
  return batches;
}

/// Epochs up to --curriculum are not shuffled. Nor are those behind them until training is restarted: one loader serves
/// all epochs (reuse_dataloader), and its FrozenBatchSampler keeps what it was told for the first.
bool starts_in_curriculum(const BatchPolicy& policy) {
  return policy.options.count_or("restart-epoch", 0) < policy.options.count_or("curriculum", 0);
}

/// The order of the batches in an epoch.
Rows order_of_epoch(std::size_t batches, const BatchPolicy& policy, std::uint64_t epoch) {
  Rows order = file_order(batches);
  if (starts_in_curriculum(policy)) return order;
  rng::NumpyRandom random = random_of(policy, epoch);
  if (!policy.options.has("grouped-shuffling")) {
    random.shuffle(std::span(order));
    return order;
  }
  // Groups of a batch for each rank are shuffled; what does not fill a group is left out.
  const std::size_t ranks = policy.world_size;
  const Rows groups = random.permutation(static_cast<std::uint32_t>(batches / ranks));
  order.resize(groups.size() * ranks);
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = groups[i / ranks] * static_cast<std::uint32_t>(ranks) + static_cast<std::uint32_t>(i % ranks);
  return order;
}

/// Cropped to the shortest of the batch or, with padding, padded to the longest; of translation, padded always.
BatchShape audio_shape(std::span<const std::uint32_t> batch, const lengths::Lengths& lengths,
                       const BatchPolicy& policy) {
  BatchShape shape = shape_of(batch, lengths);
  if (batch.empty()) return shape;
  const auto shorter = [&](auto a, auto b) { return lengths.src[a] < lengths.src[b]; };
  const auto [least, most] = std::minmax_element(batch.begin(), batch.end(), shorter);
  shape.src_len = std::min(lengths.src[policy.options.has("enable-padding") ? *most : *least], max_sample_size(policy));
  for (const std::uint32_t row : batch) {
    const std::uint64_t length = lengths.src[row], kept = std::min<std::uint64_t>(length, shape.src_len);
    shape.tokens -= length - kept;
    shape.sq_tokens -= length * length - kept * kept;
  }
  return shape;
}

bool rebuilds_batches(const BatchPolicy& policy) {
  return is_audio(policy) && drops_incomplete_last(policy) && !policy.options.has("no-rebuild-batches");
}

void run_fairseq(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const bool rebuilds = rebuilds_batches(policy);
  ShapeOfBatch shape;
  if (is_audio(policy))
    shape = [&](std::span<const std::uint32_t> batch) { return audio_shape(batch, lengths, policy); };
  Batches batches;
  if (!rebuilds) batches = batches_of(lengths, policy, policy.options.count_or("restart-epoch", 0));
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e) {
    if (rebuilds) batches = batches_of(lengths, policy, e);
    deal_batches(batches, order_of_epoch(batches.size(), policy, e), policy, e, IncompleteRound::keep, sink, shape);
  }
}

/// EpochBatchIterator leaves out what its epoch has had, of batches that are made for that epoch.
void require_same_fairseq(const lengths::Lengths&, const BatchPolicy& policy, const ResumePoint& at) {
  if (policy.options.count_or("curriculum", 0) > 0)
    throw ParameterError("resume_at", ": with `curriculum` fairseq shuffles otherwise when it goes on",
                         "no `curriculum`");
  if (rebuilds_batches(policy) || !drops_incomplete_last(policy)) return;
  if (at.epoch == policy.options.count_or("restart-epoch", 0)) return;
  throw ParameterError(
      "resume_at",
      fmt::format("{}: fairseq makes other batches where it goes on in epoch {}", policy.resume_at, at.epoch),
      fmt::format("`first_epoch` {0} `restart-epoch` {0}, and steps that are counted from there", at.epoch));
}

std::string assumes_fairseq(const BatchPolicy& policy) {
  std::string text = is_audio(policy) ? "lengths are audio samples as they stand (`unit` tokens keeps them so)"
                                      : "lengths have the end-of-sentence symbol in them, as fairseq's .idx files do "
                                        "(of text: `add_src` 1 `add_tgt` 1)";
  if (policy.version.empty())
    text +=
        "; a last batch of no multiple of `required-batch-size-multiple` is dropped, as since 2022-12-12 (releases to "
        "0.12.2 keep it: `version` 0.12)";
  if (drops_incomplete_last(policy) && !policy.options.has("restart-epoch") && policy.first_epoch + policy.epochs > 1)
    text += "; training was not restarted (a restart makes the batches anew: `restart-epoch`)";
  if (starts_in_curriculum(policy) && policy.first_epoch + policy.epochs > policy.options.count_or("curriculum", 0))
    text +=
        "; a training that starts within `curriculum` does not shuffle behind it either, as its loader is used again "
        "(one that is restarted there does: `restart-epoch`)";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kFairseqReleases{Releases{"0.12", "0.12"}};
constexpr std::array kFairseqOptions{
    OptionSpec{"curriculum", Kind::count, "0", "a training that starts within that many epochs does not shuffle"},
    OptionSpec{"enable-padding", Kind::flag, "", "audio is padded to the longest, not cropped to the shortest"},
    OptionSpec{"grouped-shuffling", Kind::flag, "", "groups of a batch a rank are shuffled, not batches"},
    OptionSpec{"max-sample-size", Kind::count, "", "longer audio is cropped to that"},
    OptionSpec{"max-sentences", Kind::count, "", "samples of a batch, at most: another name of `batch_size`"},
    OptionSpec{"max-source-positions", Kind::count, "1024", "longest source that the model takes"},
    OptionSpec{"max-target-positions", Kind::count, "1024", "longest target that the model takes"},
    OptionSpec{"max-tokens", Kind::count, "", "tokens of a padded batch, at most"},
    OptionSpec{"no-rebuild-batches", Kind::flag, "", "audio_pretraining with task.rebuild_batches=false"},
    OptionSpec{"required-batch-size-multiple", Kind::count, "8", "batches have a multiple of so many samples, or less"},
    OptionSpec{"restart-epoch", Kind::count, "0", "the epoch, from 0, at which training was last restarted"},
    OptionSpec{"skip-invalid-size-inputs-valid-test", Kind::flag, "", "samples that are too long are left out"},
    OptionSpec{"task", Kind::text, "translation", "translation or audio_pretraining"},
};

}  // namespace

const Sampler kFairseq{
    .name = "fairseq",
    .summary = "fairseq-train: batches by tokens or sentences, made once and shuffled every epoch",
    .last_release = "0.12.2, of 2022; its code went on to 2025",
    .checked_against = "fairseq's own code (main) and vectors",
    .example = "`max-tokens` 4000 `seed` 1",
    .options = kFairseqOptions,
    .run = run_fairseq,
    .assumes = assumes_fairseq,
    .needs_batch_size = false,
    .versions =
        {.used = "main",
         .about =
             "of 2022-12 to its end in 2025; the last release, 0.12 (2022), and those before it make other batches",
         .known = kFairseqReleases},
    .resuming = {.same_batches = true,
                 .about = "the checkpoint is resumed without resetting the data loader",
                 .require_same = require_same_fairseq}};

}  // namespace seqpoint::batching::frameworks::legacy
