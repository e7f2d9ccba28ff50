/// \file
/// Every artefact that goes into a file or comes out of one. JSON artefacts begin with their schema; readers ignore keys
/// they do not know and refuse a schema they do not know. Numbers are written so that they read back unchanged.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seqpoint/evaluate/evaluation.hpp"
#include "seqpoint/evaluate/families.hpp"
#include "seqpoint/project/gate.hpp"
#include "seqpoint/io/stream/input.hpp"
#include "seqpoint/io/manifests/manifests.hpp"
#include "seqpoint/profile/measurements.hpp"
#include "seqpoint/project/projection.hpp"
#include "seqpoint/select/selection.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint {

/// Takes the bytes of an artefact, piece by piece.
using ByteSink = std::function<void(std::string_view)>;

/// What an artefact was made from.
struct Provenance {
  std::vector<std::pair<std::string, std::vector<std::string>>> options;  ///< in force, by name, as typed
  std::vector<InputRecord> inputs;
};

// --- lengths: CSV, `src_len[,tgt_len]`, one row a sample ---------------------------------------------------------------

void write_lengths(const Lengths&, const ByteSink&);

// --- trace: CSV, one row an iteration -----------------------------------------------------------------------------------

/// A trace as read. `notes` says what of it was not used.
struct TraceFile {
  Trace trace;
  InputRecord record;
  std::vector<std::string> notes;
};

/// Columns: iteration (iter), src_len (seqlen, SL), tgt_len, batch_size, samples, tokens, padded_tokens, epoch, step; any other
/// numeric one is a statistic. `batch_size` stands in where the trace has no such column. Without padding (varlen) the
/// signature is the columns tokens and sq_tokens, of the largest rank; padded_tokens then is the sum over all ranks, and
/// the columns of lengths are not looked at. Throws InputError.
TraceFile read_trace(Input input, std::optional<std::uint32_t> batch_size = {}, SignatureKind kind = SignatureKind::padded);

/// Writes the rows of a run as they come; the columns depend on the run (pairs, several ranks, epochs, accumulation). Without
/// padding, tokens and sq_tokens are the signature, and padded_tokens is the tokens of all ranks.
class TraceWriter {
 public:
  struct Columns {
    bool paired = false, epochs = false, steps = false, ranks = false, rows = false, varlen = false;
  };
  TraceWriter(Columns columns, ByteSink sink);
  void add(const IterationRow& row, const Step& step);

 private:
  Columns columns_;
  ByteSink sink_;
  std::string line_;
};

// --- SeqPoints: JSON ----------------------------------------------------------------------------------------------------

std::string seqpoints_json(const Selection&, const Provenance&);
/// A selection as read, without its samples and how it was made.
struct SeqpointsFile {
  Selection selection;
  InputRecord record;
};
/// Throws InputError, at a key where one is to blame.
SeqpointsFile read_seqpoints(Input input);

/// The run alone, of a trace or of SeqPoints, as the content says.
struct RunFile {
  RunSummary run;
  InputRecord record;
  std::vector<std::string> notes;
};
RunFile read_run(Input input, SignatureKind kind = SignatureKind::padded);

/// SimPoint's pair of files: `<interval> <cluster>` and `<weight> <cluster>`, a line a point, ordered by interval.
struct SimpointFiles {
  std::string simpoints, weights;
};
SimpointFiles simpoint_files(const Selection&);

// --- profile: CSV -------------------------------------------------------------------------------------------------------

/// Keys: `point`, else the signature's columns, else `iteration`; every other numeric column is a metric. Throws InputError.
struct ProfileFile {
  ProfileTable table;
  InputRecord record;
  std::vector<std::string> notes;
};
ProfileFile read_profile(Input input);

// --- projection, evaluation: JSON, and rows for CSV and Markdown -----------------------------------------------------------

std::string projection_json(const Projection&, const Selection&, const Gates&, const Provenance&);
std::string evaluation_json(const Evaluation&, const Gates&, const Provenance&);
std::string families_json(const FamiliesEvaluation&, const Provenance&);

/// A projection as read, without its notes.
struct ProjectionFile {
  Projection projection;
  std::optional<std::uint64_t> iterations, samples, epochs;  ///< of the run, where the file says so
  InputRecord record;
};
/// Throws InputError, at a key where one is to blame.
ProjectionFile read_projection(Input input);
/// And the limits that it was held to.
ProjectionFile read_projection(Input input, Gates&);
/// Throws InputError unless the file is of a run of that size, with the same overheads as the projection at hand: times of
/// different runs say nothing of a regression.
void require_comparable(const ProjectionFile&, const RunSummary&, const Projection&);

}  // namespace seqpoint
