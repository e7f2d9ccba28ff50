/// \file
/// Which samples an iteration contains: samplers with their options, and orders recorded from a loader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"
#include "core/lengths/lengths.hpp"

namespace seqpoint::batching {

// --- Stage 2: which samples an iteration contains. A sampler is a function that walks a data set like a training
// framework's own sampler, and passes one micro-batch after the other to a sink. It keeps none, so a run of any size
// streams.

using Rows = std::vector<std::uint32_t>;  ///< of the data set

/// The batch of one rank as its device sees it. Lengths are in tokens or frames.
struct BatchShape {
  std::uint32_t src_len = 0;    ///< every sequence is padded to this
  std::uint32_t tgt_len = 0;    ///< the same of the target side; 0 in a run of one length
  std::uint32_t sequences = 0;  ///< the batch size
  std::uint64_t tokens = 0;     ///< unpadded, both sides
  /// Sum of the squared unpadded lengths, both sides. For packed sequences: of the pieces of rows in them.
  std::uint64_t sq_tokens = 0;
};

/// The shape of a batch with one sequence per row. Each side is padded to its longest row, without rounding; `tgt_len`
/// is 0 if samples have one length. `rows` are positions in `lengths`.
BatchShape shape_of(std::span<const std::uint32_t> rows, const lengths::Lengths& lengths);

/// One forward and backward pass of training: a batch for each rank. Passed to a sink, which copies what it keeps.
struct MicroBatch {
  std::uint64_t epoch = 0;                 ///< 0-based
  std::span<const std::uint32_t> rows;     ///< dataset rows, rank after rank; valid during the call only
  std::span<const std::size_t> rank_ends;  ///< one per rank: where its batch ends in `rows`
  /// One per rank if batches are padded to a bound, cropped, or packed from pieces of their rows; valid during the call
  /// only. Empty: every batch has the shape that shape_of() returns.
  std::span<const BatchShape> shapes = {};

  std::size_t ranks() const { return rank_ends.size(); }  ///< data-parallel ranks, >= 1
  /// The dataset rows of one rank's batch, 0 <= r < ranks(); valid during the call only.
  std::span<const std::uint32_t> rows_of_rank(std::size_t r) const {
    const std::size_t begin = r == 0 ? 0 : rank_ends[r - 1];
    return rows.subspan(begin, rank_ends[r] - begin);
  }
};
/// Takes the micro-batches of a run, one after the other, in the order of training. An exception from it ends the walk
/// and reaches the caller.
using MicroBatchSink = std::function<void(const MicroBatch&)>;

struct RecordedOrder;  // defined below

/// The settings of a training script's loader. A value; require_valid() throws if the settings contradict each other.
struct BatchPolicy {
  /// Name of a row of samplers(). "sequential" reads the data set in file order.
  std::string sampler = "sequential";
  std::uint64_t batch_size = 0;         ///< samples of one rank; 0: not given
  std::optional<std::uint64_t> seed;    ///< nothing: 0; negative Python seeds are taken mod 2^64
  std::uint64_t epoch = 0;              ///< 0-based
  std::uint64_t epochs = 1;             ///< >= 1
  bool drop_last = false;               ///< leave out the incomplete last batch
  std::uint64_t grad_accumulation = 1;  ///< micro-batches per optimiser step, >= 1
  std::uint64_t resume_at = 0;          ///< optimiser steps, from `epoch` on, that ran before a checkpoint
  std::uint64_t world_size = 1;         ///< data-parallel ranks, >= 1
  std::string sampler_version;          ///< version of the framework whose order is meant; empty: the sampler's default
  OptionValues options;                 ///< options of the sampler itself
  /// Set by set_order() for a sampler that needs one; null for all others.
  std::shared_ptr<const RecordedOrder> order = nullptr;
};

/// Numbers optimiser steps: a new step begins after `accumulation` micro-batches, and with every epoch. The numbers
/// continue from epoch to epoch.
class OptimiserStepCounter {
 public:
  /// `accumulation`: micro-batches of a step, >= 1.
  explicit OptimiserStepCounter(std::uint64_t accumulation) : accumulation_(accumulation) {}
  /// Counts the next micro-batch of the run, which is in `epoch`, and returns the number of its step, from 0. Epochs do
  /// not go back.
  std::uint64_t next(std::uint64_t epoch);

 private:
  std::uint64_t accumulation_;
  std::uint64_t epoch_ = 0, step_ = 0, taken_ = 0;
  bool started_ = false;
};

/// Where a resumed run continues: the first micro-batch after a checkpoint.
struct ResumePoint {
  std::uint64_t epoch = 0;  ///< 0-based
  std::uint64_t done = 0;   ///< micro-batches of that epoch that ran before
};

/// Whether a run that was checkpointed within an epoch resumes with the batches that it would have had. A part of a row
/// of the table of samplers.
struct Resuming {
  bool same_batches = false;  ///< whether BatchPolicy::resume_at may be set
  /// If they are the same: what this assumes. Otherwise: what the framework does instead.
  std::string_view about = "it has not been shown to go on with the batches that were left";
  /// Throws ParameterError if the batches are not the same from that place on; null: they always are.
  void (*require_same)(const lengths::Lengths&, const BatchPolicy&, const ResumePoint&) = nullptr;
};

/// Releases of a framework whose orders are known: from `first` to `last`, both included, by major and minor number.
struct Releases {
  std::string_view first;  ///< "1.13", or the date of a release
  std::string_view last;   ///< empty: this and later ones of its major number (of dates: all later ones)
};

/// The releases that a sampler distinguishes, if their orders differ.
struct SamplerVersions {
  std::string_view used = {};            ///< default of BatchPolicy::sampler_version; empty: versions do not differ
  std::string_view about = {};           ///< its year, and how it relates to the current one
  std::span<const Releases> known = {};  ///< in addition to `used`
};

/// One sampler: a row of the table. Texts and functions live as long as the program.
struct Sampler {
  std::string_view name;             ///< the value of BatchPolicy::sampler and `--sampler`
  std::string_view summary;          ///< one line
  std::string_view checked_against;  ///< what its orders were compared with
  std::string_view
      example;  ///< options that it can be used with, as they follow its name: its own first, after a colon
  std::span<const OptionSpec> options;  ///< options that BatchPolicy::options may set, in addition to the fields of the
                                        ///< policy
  /// Walks the run. Called by for_each_micro_batch(), which makes the checks first.
  void (*run)(const lengths::Lengths&, const BatchPolicy&, const MicroBatchSink&);
  /// What the order assumes about the training script that the manifest does not show; "" if nothing.
  std::string (*assumes)(const BatchPolicy&);
  bool needs_seconds = false;     ///< reads Lengths::seconds
  bool needs_batch_size = true;   ///< requires BatchPolicy::batch_size
  bool takes_seed = true;         ///< its order depends on BatchPolicy::seed
  bool needs_order = false;       ///< walks BatchPolicy::order, whose file the option `order` names
  SamplerVersions versions = {};  ///< versions of the framework, if their orders differ
  Resuming resuming = {};         ///< with BatchPolicy::resume_at
};

/// Every sampler, in the order in which `seqpoint list samplers` lists them.
std::span<const Sampler> samplers();

/// A sampler with options of its own.
struct SamplerChoice {
  const Sampler* sampler;  ///< a row of samplers(), never null
  OptionValues options;    ///< BatchPolicy::options
};
/// Parses `NAME` or `NAME:KEY=VALUE,KEY=VALUE,FLAG`. A comma that no key follows is part of a value. Throws
/// ParameterError for an unknown sampler, an unknown, repeated or missing key, and a value of the wrong type.
SamplerChoice parse_sampler(std::string_view text);

/// Walks the run: `policy.epochs` epochs from `policy.epoch` on, without the steps before `policy.resume_at`.
/// Nothing is kept, so memory does not grow with the number of epochs. Same arguments, same micro-batches, with every
/// compiler.
///
/// Throws ParameterError as require_valid(), for durations that the sampler needs and the data set lacks, for limits of
/// the sampler itself, and if the run cannot resume at `policy.resume_at` or nothing is left to resume;
/// std::invalid_argument for an empty data set.
void for_each_micro_batch(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink);

/// The checks that for_each_micro_batch() makes before it looks at the data set. Throws ParameterError for an unknown
/// sampler or version, an option of other samplers, too large a count, a seed that the sampler does not use, a missing
/// batch size or order, 0 ranks, epochs or micro-batches per step, and `resume_at` if the sampler cannot resume.
void require_valid(const BatchPolicy& policy);

/// The versions that BatchPolicy::sampler_version may name: "0.4, 1.0 to 1.13, 2.0 on", and last the sampler's default
/// if it is a word, not a number; "" if versions do not differ.
std::string known_versions(const Sampler&);

/// The sampler of exactly that name. Throws ParameterError for any other name; the hint lists all samplers, suggests
/// similar names, and says how a framework writes an order of its own.
const Sampler& find_sampler(std::string_view name);

// --- Batches that a job's own loader made and somebody recorded: the order of any sampler that is in no table.

/// Micro-batches in the order of training, column by column. A value; the caller keeps columns of the same length.
struct RecordedOrder {
  std::string source;                         ///< the file, for errors
  std::vector<std::uint64_t> lines;           ///< one per micro-batch: its line in the file, 1-based
  std::vector<std::uint32_t> rows;            ///< dataset rows, micro-batch after micro-batch, rank after rank
  std::size_t ranks = 1;                      ///< data-parallel, >= 1
  std::vector<std::size_t> rank_ends;         ///< one per rank and micro-batch: where its batch ends in `rows`
  std::vector<std::uint64_t> epoch;           ///< ascending without gaps; empty: one epoch, 0
  std::vector<std::uint64_t> optimiser_step;  ///< its number; empty: not recorded
  // The sizes that the job padded to, on the rank with the most work; each empty if it was not recorded.
  std::vector<std::uint32_t> src_len;     ///< padded length of the source
  std::vector<std::uint32_t> tgt_len;     ///< padded length of the target
  std::vector<std::uint32_t> batch_size;  ///< sequences
  /// With one rank: one per micro-batch, as MicroBatch::shapes; compare_lengths() sets them. Empty: as shape_of()
  /// returns.
  std::vector<BatchShape> shapes;

  std::size_t size() const { return lines.size(); }  ///< micro-batches
  /// The micro-batch at position i < size(). `ends` is overwritten: it stores the micro-batch's `rank_ends`.
  MicroBatch micro_batch(std::size_t i, std::vector<std::size_t>& ends) const;
  /// The dataset rows of the micro-batch at position i < size(), all ranks.
  std::span<const std::uint32_t> rows_of(std::size_t i) const;
  std::uint64_t first_epoch() const { return epoch.empty() ? 0 : epoch.front(); }                ///< 0-based
  std::uint64_t epochs() const { return epoch.empty() ? 1 : epoch.back() - epoch.front() + 1; }  ///< >= 1
};

/// Throws InputError, at its line of the order, for the first row that the data set does not have.
void require_rows(const RecordedOrder&, const lengths::Lengths&);

/// A note for the user about rows that the order repeats within an epoch, and about rows of the data set that are in no
/// batch of any epoch. Empty: there are neither. The data set has every row of the order.
std::string describe_use(const RecordedOrder&, const lengths::Lengths&);

/// Compares the recorded lengths and batch sizes with those of the rows, lengths rounded up to `pad_multiple`; with
/// several ranks, one rank that agrees is enough. The data set has all rows. If they differ and there is one rank, the
/// recorded sizes win and `shapes` is set. Returns a warning for the user; empty: they agree, or none are recorded.
/// Throws InputError for target lengths if the data set has none.
std::string compare_lengths(RecordedOrder&, const lengths::Lengths&, std::uint32_t pad_multiple);

/// Gives a policy this order: its ranks, its epochs and, if recorded, its micro-batches per optimiser step. Throws
/// ParameterError if a field of the policy has neither its default nor the order's value, InputError for optimiser
/// steps of unequal size, or of another size than the policy's. The last step of an epoch may be shorter.
void set_order(BatchPolicy&, std::shared_ptr<const RecordedOrder>);

}  // namespace seqpoint::batching
