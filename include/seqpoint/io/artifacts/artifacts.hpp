/// \file
/// Every artefact that goes into a file or comes out of one. JSON artefacts begin with their schema; readers ignore
/// keys they do not know and refuse a schema they do not know. Numbers are written so that they read back unchanged.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seqpoint/batching/recorded.hpp"
#include "seqpoint/diagnose/diagnosis.hpp"
#include "seqpoint/eta/eta.hpp"
#include "seqpoint/evaluate/evaluation.hpp"
#include "seqpoint/evaluate/families.hpp"
#include "seqpoint/forecast/forecast.hpp"
#include "seqpoint/io/manifests/manifests.hpp"
#include "seqpoint/io/stream/input.hpp"
#include "seqpoint/profile/measurements.hpp"
#include "seqpoint/project/gate.hpp"
#include "seqpoint/project/projection.hpp"
#include "seqpoint/project/ranking.hpp"
#include "seqpoint/select/selection.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::io::artifacts {

/// Takes the bytes of an artefact, piece by piece. The bytes are valid during the call only.
using ByteSink = std::function<void(std::string_view)>;

/// What an artefact was made from.
struct Provenance {
  std::vector<std::pair<std::string, std::vector<std::string>>> options;  ///< in force, by name, as typed
  std::vector<manifests::InputRecord> inputs;                             ///< files that were read
};

// --- lengths: CSV, `src_len[,tgt_len]`, one row a sample

/// Writes a CSV: a header, then a row a sample, in dataset order.
void write_lengths(const lengths::Lengths&, const ByteSink&);

// --- trace: CSV, one row an iteration

/// A trace as read.
struct TraceFile {
  trace::Trace trace;              ///< at least one iteration
  manifests::InputRecord record;   ///< of the file
  std::vector<std::string> notes;  ///< what of it was not used
  /// The dataset rows of each iteration, where they were asked for and a column has them.
  std::optional<batching::RecordedOrder> order{};
};

/// Reads a trace. Columns: iteration (iter), src_len (seqlen, seq_len, SL, sl), tgt_len, batch_size, samples, tokens,
/// epoch, step, of several ranks also ranks, padded_tokens (of all) and padded_tokens_mean; any other numeric one is a
/// statistic.
/// `batch_size` is used where the trace has no such column; nothing: it needs one. Without padding (varlen) the
/// signature is the columns tokens and sq_tokens, of the rank with the most work; padded_tokens then is the sum over
/// all ranks, and the columns of lengths are not looked at. `rows`: read the column rows, too, which then also tells
/// ranks and samples where no other column does. Throws InputError.
TraceFile read_trace(stream::Input input, std::optional<std::uint32_t> batch_size = {},
                     trace::BatchLayout layout = trace::BatchLayout::padded, bool rows = false);

/// The batches of a loader, as read.
struct OrderFile {
  batching::RecordedOrder order;   ///< at least one micro-batch
  manifests::InputRecord record;   ///< of the file
  std::vector<std::string> notes;  ///< what of it was not used
};

/// Reads an order: a CSV, a row a micro-batch, with a column rows (dataset rows from 0 with blanks between them, a bar
/// between ranks), and where they are there epoch, iteration, step, src_len, tgt_len and batch_size, as
/// TraceWriter writes them. Throws InputError.
OrderFile read_order(stream::Input input);

/// Writes the rows of a run as they come; the columns depend on the run. Without padding, tokens and sq_tokens are the
/// signature, and padded_tokens is the tokens of all ranks.
class TraceWriter {
 public:
  /// Which columns there are beside those of every run.
  struct Columns {
    bool paired = false,  ///< tgt_len
        epochs = false,   ///< epoch
        steps = false,    ///< step: the optimiser step
        ranks = false,    ///< ranks, padded_tokens and padded_tokens_mean
        rows = false;     ///< rows: the samples, blanks between them and a bar between ranks
    trace::BatchLayout layout = trace::BatchLayout::padded;  ///< varlen: sq_tokens
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
/// A selection as read, without how it was chosen.
struct SeqpointsFile {
  select::Selection selection;     ///< its digest is that of the file
  manifests::InputRecord record;   ///< of the file
  Provenance provenance;           ///< how its run was made; without inputs: not known
  std::vector<std::string> notes;  ///< what could not be checked

  /// Whether the run was a trace, which says nothing of its samples; there are inputs.
  bool from_trace() const;
};
/// Reads what seqpoints_json() made. Throws InputError, at a key where one is to blame, also where the digest is not
/// that of the run and the points, or missing though the file says that this program, from 1.0 on, made it.
SeqpointsFile read_seqpoints(stream::Input input);
/// The same for a plan: throws InputError also where there are no inputs.
SeqpointsFile read_plan_source(stream::Input input);

/// A run alone, of a trace or of SeqPoints.
struct RunFile {
  trace::RunSummary run;           ///< sums and histogram
  manifests::InputRecord record;   ///< of the file
  std::vector<std::string> notes;  ///< what of it was not used
};
/// Reads a run from a trace or from SeqPoints, as the content says. `layout`: of a trace. Throws as read_trace() and
/// read_seqpoints().
RunFile read_run(stream::Input input, trace::BatchLayout layout = trace::BatchLayout::padded);

/// SimPoint's pair of files, a line a point, ordered by interval. An interval is an iteration, a cluster a point, a
/// weight a share of the run.
struct SimpointFiles {
  std::string simpoints,  ///< `interval cluster`, a line each
      weights;            ///< `weight cluster`, a line each
};
/// A selection for tools that read SimPoint's files.
SimpointFiles simpoint_files(const select::Selection&);

// --- profile: CSV

/// A CSV of measurements as read.
struct ProfileFile {
  profile::ProfileTable table;     ///< its rows
  manifests::InputRecord record;   ///< of the file
  std::vector<std::string> notes;  ///< what the user should be told
};
/// Reads a CSV of measurements. Keys: `point`, else the signature's columns, else `iteration`; every other numeric
/// column is a metric. Throws InputError.
ProfileFile read_profile(stream::Input input);

// --- forecast, time left: JSON

/// A forecast: JSON of the schema forecast. `bounds_by_time`: ways to bound lengths, ranked; `dealt_by_time`:
/// Forecast::dealt, ranked; null: not known.
std::string forecast_json(const forecast::Forecast&, const Provenance&,
                          const project::Ranking* bounds_by_time = nullptr,
                          const project::Ranking* dealt_by_time = nullptr);
/// The time left: JSON of the schema eta. `confidence`: of the interval.
std::string eta_json(const eta::TimeLeft&, double confidence, const Provenance&);

// --- projection, diagnosis, evaluation: JSON, and rows for CSV and Markdown

/// A projection with its checks: JSON of the schema projection.
std::string projection_json(const project::Projection&, const select::Selection&, const project::Gates&,
                            const Provenance&);
/// A ranking: JSON of the schema ranking.
std::string ranking_json(const project::Ranking&, const select::Selection&, const Provenance&);
/// A diagnosis: JSON of the schema diagnosis.
std::string diagnosis_json(const diagnose::Diagnosis&, const select::Selection&, const Provenance&);
/// An evaluation with its checks: JSON of the schema evaluation.
std::string evaluation_json(const evaluate::Evaluation&, const project::Gates&, const Provenance&);
/// An evaluation by cost functions: JSON of the schema evaluation, too.
std::string families_json(const evaluate::FamiliesEvaluation&, const Provenance&);

/// A projection as read, without its notes.
struct ProjectionFile {
  project::Projection projection;           ///< without its notes
  std::optional<std::uint64_t> iterations,  ///< of the run, where the file says so
      samples,                              ///< of the run, where the file says so
      epochs;                               ///< of the run, where the file says so
  std::string selection;                    ///< digest of its points; empty where it does not say
  manifests::InputRecord record;            ///< of the file
  std::vector<std::string> notes;           ///< what could not be checked
};
/// Reads what projection_json() made. Throws InputError, at a key where one is to blame, also where the digest is not
/// that of the content, or missing though the file says that this program made it.
ProjectionFile read_projection(stream::Input input);
/// The same, with the checks of the file.
ProjectionFile read_projection(stream::Input input, project::Gates&);
/// Throws InputError unless the file is of this run, as far as the two say what they are of, with the same overheads as
/// the projection at hand: times of different runs say nothing of a regression. Returns what the user should be told:
/// that the points are others, or that it could not be checked; empty where there is nothing to say.
std::string require_comparable(const ProjectionFile&, const select::Selection&, const trace::RunSummary&,
                               const project::Projection&);

/// Throws InputError where rows say that they were measured for another selection.
void require_same_selection(const profile::ProfileTable&, const select::Selection&);
/// The same of a map's rows, as a plan has them.
void require_same_selection(const profile::StepMap&, const select::Selection&);
/// Throws InputError unless the projection is of these points, as far as it says so.
void require_same_selection(const ProjectionFile&, const select::Selection&);

}  // namespace seqpoint::io::artifacts
