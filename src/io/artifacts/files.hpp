/// \file
/// The program's own files, but projections (projection_file.hpp). JSON output files begin with their schema; readers
/// ignore unknown keys and reject unknown schemas. Numbers are written so that they read back unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/forecast/forecast.hpp"
#include "core/lengths/lengths.hpp"
#include "core/profile/measure.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"
#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::artifacts {

/// Takes the bytes of an output file, piece by piece. The bytes are valid during the call only.
using ByteSink = std::function<void(std::string_view)>;

/// The origin of an output file.
struct Provenance {
  std::vector<std::pair<std::string, std::vector<std::string>>> options;  ///< options with their values, as typed
  std::vector<manifests::InputRecord> inputs;                             ///< files that were read
};

// --- lengths: CSV, `src_len[,tgt_len]`, one row per sample

/// Writes a CSV: a header, then a row per sample, in dataset order.
void write_lengths(const lengths::Lengths&, const ByteSink&);

// --- trace: CSV, one row per iteration

/// A trace as read.
struct TraceFile {
  trace::Trace trace;              ///< at least one iteration
  manifests::InputRecord record;   ///< record of the file
  std::vector<std::string> notes;  ///< notes on unused content
  /// The dataset rows of each iteration, if they were requested and a column has them.
  std::optional<batching::RecordedOrder> order{};
};

/// The path of the trace of consecutive batches that the process of a profile ran: "run-1.stretch.csv" of "run-1.csv".
std::string stretch_of(const std::string& profile);
/// The process that wrote a table of the companion: column session of its first row; "" without it.
std::string process_in(const std::string& path);

/// Reads a trace. Columns: iteration (iter), src_len (seqlen, seq_len, SL, sl), tgt_len, batch_size, samples, tokens,
/// epoch, step, with several ranks also ranks, padded_tokens (of all) and padded_tokens_mean; any other numeric one is
/// a metric. `batch_size` is used if the trace has no such column; nothing: the column is required. Without padding
/// (varlen) the shape is the columns tokens and sq_tokens, of the rank with the most work; padded_tokens then is the
/// sum over all ranks, and the columns of lengths are ignored. `rows`: also read the column rows, which then gives
/// ranks and samples if no other column does. Throws InputError.
TraceFile read_trace(stream::Input input, std::optional<std::uint32_t> batch_size = {},
                     trace::BatchLayout layout = trace::BatchLayout::padded, bool rows = false);

/// The batches of a loader, as read.
struct OrderFile {
  batching::RecordedOrder order;   ///< at least one micro-batch
  manifests::InputRecord record;   ///< record of the file
  std::vector<std::string> notes;  ///< notes on unused content
};

/// Reads an order: a CSV, one row per micro-batch, with a column rows (dataset rows from 0 with blanks between them, a
/// bar between ranks), and optionally epoch, iteration, step, src_len, tgt_len and batch_size, as TraceWriter writes
/// them. Throws InputError.
OrderFile read_order(stream::Input input);

/// Writes the rows of a run one by one; the columns depend on the run. Without padding, tokens and sq_tokens are the
/// shape, and padded_tokens is the tokens of all ranks.
class TraceWriter {
 public:
  /// The columns in addition to those of every run.
  struct Columns {
    bool paired = false,  ///< tgt_len
        epochs = false,   ///< epoch
        steps = false,    ///< step: the optimiser step
        ranks = false,    ///< ranks, padded_tokens and padded_tokens_mean
        rows = false;     ///< rows: the samples, blanks between them and a bar between ranks
    trace::BatchLayout layout = trace::BatchLayout::padded;  ///< varlen: sq_tokens
    bool unpadded_tokens = false;  ///< unpadded_tokens: of all ranks, before `tokens` were rounded up
  };
  /// Writes the header.
  TraceWriter(Columns columns, ByteSink sink);
  /// Writes a row.
  void add(const trace::IterationRow& row, const batching::MicroBatch& step);

 private:
  Columns columns_;
  ByteSink sink_;
  std::string line_;
};

// --- SeqPoints: JSON

/// A selection as `seqpoint select` writes it: JSON of the schema seqpoints.
std::string seqpoints_json(const select::Selection&, const Provenance&);
/// A selection as read, without the record of its choice.
struct SeqpointsFile {
  select::Selection selection;     ///< its digest is from the file
  manifests::InputRecord record;   ///< record of the file
  Provenance provenance;           ///< how its run was made; without inputs: not known
  std::vector<std::string> notes;  ///< notes on skipped checks

  /// Whether the run came from a trace, which does not contain the samples of its batches. Requires inputs in
  /// `provenance`.
  bool from_trace() const;
};
/// Reads a document of seqpoints_json(). Throws InputError, at the wrong key if there is one, also if the digest does
/// not match the run and the points, or is missing though this program, from 1.0 on, made the file.
SeqpointsFile read_seqpoints(stream::Input input);

// --- plan: JSON

/// The input of a plan's files. Does not own selection and plan.
struct PlanDocument {
  const select::Selection& selection;  ///< selection of the plan
  const select::Plan& plan;            ///< executions to write
};
/// The plan for programs: JSON of the schema plan.
std::string plan_json(const PlanDocument&, const Provenance&);
/// The plan as a tab-separated table with a header: one line per execution, processes from 0 one after the other.
/// Warm-up has weight 0 and neither point, iteration nor repeat, so a table of steps by position (`project --map`)
/// skips it.
std::string plan_rows(const PlanDocument&);

// --- profile: CSV

/// A CSV of measurements as read.
struct ProfileFile {
  profile::ProfileTable table;     ///< its rows
  manifests::InputRecord record;   ///< record of the file
  std::vector<std::string> notes;  ///< notes for the user
};
/// Reads a CSV of measurements. Keys: the first of `point`, `src_len` (with the shape's other columns), `iteration` and
/// `tokens` (with `sq_tokens`). Every other numeric column whose name is not reserved is a metric; times in other units
/// become seconds. Throws InputError.
ProfileFile read_profile(stream::Input input);
/// Throws InputError at the first row that names the digest of another selection. Rows without one are allowed.
void require_same_selection(const profile::ProfileTable&, const select::Selection&);
/// Throws InputError if a table states another number of iterations than the run of the points has.
void require_same_iterations(const profile::ProfileTable&, std::uint64_t iterations);
/// The same for the rows of a map of steps, such as a plan's table.
void require_same_selection(const profile::StepMap&, const select::Selection&);

// --- forecast: JSON

/// A forecast: JSON of the schema forecast.
std::string forecast_json(const forecast::Forecast&, const Provenance&);

}  // namespace seqpoint::io::artifacts
