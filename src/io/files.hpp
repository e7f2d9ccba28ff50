/// \file
/// Files: input and its location, the data sets that manifests describe, and output files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/enum_names.hpp"
#include "core/forecast/forecast.hpp"
#include "core/lengths/lengths.hpp"
#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::io::stream {

// --- Bytes to read: a file, standard input or memory; plain, gzip or zstd, recognised by their first bytes.

class FileWindow;  // src/io/stream/file_window.hpp

/// A source of bytes. Implementations throw InputError.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills up to `size` bytes, more than 0; returns how many, 0 only at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// An input file, decompressed while it is read. Owns its file, which is open only while it is read. For one thread,
/// except digest(bytes).
class Input {
 public:
  /// "-" is standard input. Throws InputError if there is nothing to read: no such file, a directory, no permission.
  static Input open(const std::string& path);
  /// Bytes in memory, which must outlive the input. For tests and fuzzing.
  static Input from_memory(std::string name, std::string_view bytes);

  /// A moved-from input may only be assigned to or destroyed.
  Input(Input&&) noexcept;
  /// A moved-from input may only be assigned to or destroyed.
  Input& operator=(Input&&) noexcept;
  ~Input();

  const std::string& name() const { return name_; }  ///< the path as given; for errors
  /// The first bytes, at most 64 KiB, decompressed, without consuming them: the same at every call, even after reads.
  /// Throws as read().
  std::string_view head();
  /// Total bytes, decompressed; nothing if they are not known before the end.
  std::optional<std::uint64_t> size();
  /// Fills up to `size` bytes, more than 0; returns how many, 0 only at the end. Throws InputError for a damaged or
  /// truncated stream.
  std::size_t read(char* to, std::size_t size);

  /// Called with the number of stored bytes read so far.
  using Observer = std::function<void(std::uint64_t read)>;
  /// Sets an observer to be called after every read of the file, on the thread that reads; not for bytes in memory.
  void observe(Observer observer);
  /// Calls the observer, if there is one: for code that reads the file without this class.
  void notify_observer(std::uint64_t read);
  /// Bytes as stored (compressed, if they are); nothing for a pipe.
  std::optional<std::uint64_t> stored_size() const;
  /// Whether another library can read the same bytes from the path: a regular file that is not compressed.
  bool is_plain_file();
  /// Throws InputError if the path no longer leads to the file that was read here, or the file was written to
  /// meanwhile. For use after another library has read the path. Requires that reading began.
  void require_unchanged() const;
  /// Reads the rest, for its digest. Throws as read().
  void skip_to_end();
  /// The rest, as a string. Throws as read().
  std::string read_all();
  /// "xxh3-128:..." of the bytes as stored (compressed, if they are). Complete once everything was read.
  std::string digest() const;

  /// From now on read() does not digest, and the caller passes the bytes to digest(bytes). The bytes of head() are
  /// already digested. No effect if the input is compressed.
  void defer_digest();
  /// Whether the bytes of the last read() still have to be digested.
  bool digest_pending() const { return digest_pending_; }
  /// Digests bytes that read() returned and did not digest, in the order in which they were read. On any thread.
  void digest(std::string_view bytes);

  /// The offset in the file of the next byte that read() would return. Nothing until read() has returned all of head(),
  /// after the end, and for an input that cannot be mapped: standard input, memory, a compressed or special file.
  std::optional<std::uint64_t> mappable_from() const;
  /// A window of `size` bytes of the file from `offset` on; null if that fails. Windows outlive the input.
  std::shared_ptr<const FileWindow> map(std::uint64_t offset, std::size_t size);
  /// Continues reading at that offset of the stored bytes. Throws InputError. Requires mappable_from().
  void seek(std::uint64_t offset);

 private:
  class StoredBytes;
  Input(std::string name, std::unique_ptr<StoredBytes> raw);

  std::string name_;
  std::unique_ptr<StoredBytes> stored_;
  std::unique_ptr<ByteSource> decoded_;  ///< null if the bytes are stored plain
  std::string head_;
  std::size_t head_used_ = 0;
  bool head_filled_ = false, digest_pending_ = false;
};

/// The compression of a stream, recognised by its first bytes: two of gzip, four of zstd.
enum class Packing { none, gzip, zstd };
/// The compression of a stream that begins with `bytes`; none if they are too few to tell.
Packing packing_of(std::string_view bytes);

/// Reads gzip, of one member or more; zeros after the last are skipped. `name` is for errors. `from` outlives the
/// source.
std::unique_ptr<ByteSource> gunzip(ByteSource& from, std::string name);
/// Reads zstd, of one frame or more. `name` is for errors. `from` outlives the source.
std::unique_ptr<ByteSource> unzstd(ByteSource& from, std::string name);

/// Memory to read into. Not initialised, so that unused memory costs nothing.
class Buffer {
 public:
  char* data() const { return bytes_.get(); }  ///< begin of the memory; null if there is none
  std::size_t size() const { return size_; }   ///< bytes
  /// Makes room for `size` bytes, if there is less, and keeps the first `used`.
  void grow(std::size_t size, std::size_t used);

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

/// Whole records of a text input, with the memory that contains them. Moves with its memory.
struct Block {
  /// Readable bytes after the records, for parsers that look ahead (simdjson).
  static constexpr std::size_t kPadding = 64;
  /// Bytes of a block, unless a record is longer or the input shorter.
  static constexpr std::size_t kDefaultSize = 256 * 1024;

  Buffer buffer;                             ///< memory that may contain `bytes`
  std::shared_ptr<const FileWindow> window;  ///< contains `bytes` if `buffer` does not
  std::string_view bytes;                    ///< ends with a newline, except for a last line without one
  std::string_view undigested = {};          ///< see BlockReader::defer_digests()
};

/// Cuts an input into blocks, so that records can be parsed without copying them, and blocks on several threads.
class BlockReader {
 public:
  /// Finds the end of the last whole record of some bytes; 0 if there is none.
  using Cut = std::size_t (*)(std::string_view bytes);

  /// Blocks of `input`, which outlives it. A record ends with a newline, unless `cut` is another rule.
  explicit BlockReader(Input& input, Cut cut = after_last_newline);
  /// Fills a block; false at the end. Reuses the block's memory. A UTF-8 byte order mark at the start of the input is
  /// left out. Throws as Input::read(), and InputError for a record of more than 1 GiB.
  bool next(Block& block);
  /// Whether the last line had no newline; known at the end.
  bool unterminated() const { return unterminated_; }

  /// From now on the caller has to call digest() for every block, in order, on any thread.
  void defer_digests() { input_.defer_digest(); }
  /// Digests a block.
  void digest(const Block& block) {
    if (!block.undigested.empty()) input_.digest(block.undigested);
  }
  /// From now on blocks of a large file are mapped into memory, not copied. Needs defer_digests(). Raises SIGBUS if the
  /// file is truncated meanwhile. Before the first next() it has no effect.
  void map_file();
  /// As Input::size().
  std::optional<std::uint64_t> size() { return input_.size(); }

  /// The end of the last whole line of some bytes; 0 if there is none.
  static std::size_t after_last_newline(std::string_view bytes);

 private:
  std::size_t fill(const Buffer& memory, std::size_t have);
  bool next_mapped(Block& block);
  std::string_view mapped_bytes(std::size_t size);

  Input& input_;
  Cut cut_;
  std::size_t usual_size_;      ///< usual size of blocks; less than Block::kDefaultSize if the input is
  std::size_t undigested_ = 0;  ///< bytes at the end of the last read
  std::string carried_;         ///< the beginning of a record that continues after the last block
  bool at_start_ = true, at_end_ = false, unterminated_ = false;

  std::optional<std::uint64_t> mapped_from_;  ///< file offset of the next block, if it is to be mapped
  std::size_t bytes_already_digested_ = 0;    ///< bytes from that offset on that were digested before
  std::shared_ptr<const FileWindow> window_;
};

/// Removes the first line of `text` and returns it without its line end (LF or CR LF). Without a line end that is all
/// of `text`.
std::string_view take_line(std::string_view& text);

// --- Files that a manifest refers to: other tables. An interface, so that tests can read from memory.

/// Access to the files that a manifest refers to.
class Files {
 public:
  virtual ~Files() = default;
  /// Whether that path exists.
  virtual bool exists(const std::string& path) const = 0;
  /// Names in a folder, in the order of their bytes, without hidden ones; names of folders end with a slash. Nothing if
  /// `path` is not a readable folder.
  virtual std::optional<std::vector<std::string>> list(const std::string& /*path*/) const { return std::nullopt; }
  /// Opens a file. Throws InputError if there is nothing to read.
  virtual Input open(const std::string& path) const = 0;
};

/// The file system. Lives as long as the program.
const Files& disk_files();

/// `path` relative to `folder`; an absolute path, or any path if the folder is empty, is unchanged.
std::string joined_path(const std::string& folder, const std::string& path);

}  // namespace seqpoint::io::stream

namespace seqpoint::io::manifests {

// --- Training manifests: the formats, their recognition, and reading lengths.

/// How a line of text is split into tokens.
enum class TextSplit {
  whitespace,  ///< runs of white space, as Python's str.split() (fairseq, Sockeye, GNMT's TextDataset)
  spaces,      ///< runs of the space character, as TensorFlow's string_split (tensorflow/nmt)
  each_space  ///< every space, so that two make an empty token: count(' ') + 1 (GNMT's LazyParallelDataset, OpenNMT-py)
};

/// The names of the splits.
inline constexpr std::array<Word<TextSplit>, 3> kTextSplits{
    {{"whitespace", TextSplit::whitespace, "as Python's split()"},
     {"spaces", TextSplit::spaces, "runs of blanks"},
     {"each-space", TextSplit::each_space, "count(' ') + 1"}}};

/// The options of reading manifests.
struct ReadOptions {
  std::string format;            ///< empty: guessed from the content
  std::string length_field;      ///< column or dotted key; empty: the first of the usual names
  std::string tgt_length_field;  ///< the same for the target side
  /// Unit of the numbers; nothing: from the column's name or the format.
  std::optional<lengths::LengthUnit> unit;
  lengths::FrameRule frames;                ///< how durations become frames
  std::optional<std::uint32_t> min_length,  ///< the smallest sequence length kept, inclusive; for a pair both sides
      max_length;                           ///< the largest one; the same
  bool skip_missing = false;  ///< leave out rows whose length is missing, negative or not a number, and count them
  std::size_t threads = 1;    ///< number of parsing threads, >= 1; the result does not depend on it
  /// Map large files into memory instead of copying. For programs that handle SIGBUS, which is raised if a file is
  /// truncated meanwhile.
  bool map_files = false;
  bool keep_seconds = false;                ///< fill Lengths::seconds if the (source) unit is a time or audio samples
  TextSplit split = TextSplit::whitespace;  ///< how a line of text is split into tokens
  std::uint32_t add_src = 0,                ///< special symbols added to each line of text of the source side
      add_tgt = 0;                          ///< the same for the target side
  const stream::Files* files = nullptr;     ///< access to files that manifests refer to, not owned; null: the disk
};

/// The record of an input file in output files.
struct InputRecord {
  std::string path;        ///< as the user typed it
  std::string format;      ///< a reader's name
  std::string fields;      ///< columns of the lengths; empty if there are no names
  std::string unit;        ///< unit of those numbers
  std::string digest;      ///< digest of the bytes as stored: "xxh3-128:..."
  std::uint64_t rows = 0;  ///< number of samples
};

/// A data set as read: its lengths, and counts of all rows.
struct Dataset {
  lengths::Lengths lengths;  ///< lengths of the samples that were kept
  /// Every file that was read: manifests of both sides, tables that they refer to.
  std::vector<InputRecord> inputs;
  std::uint64_t rows = 0;       ///< samples in the inputs; = lengths.size() + missing + marked + too_short + too_long
  std::uint64_t missing = 0;    ///< left out by skip_missing
  std::uint64_t marked = 0;     ///< left out by a mark of the manifest's own
  std::uint64_t too_short = 0;  ///< left out by min_length
  std::uint64_t too_long = 0;   ///< left out by max_length
  std::uint64_t zeros = 0;      ///< kept, with a length of zero
  std::vector<std::string> notes;  ///< notes for the user
};

/// The data by which a format is recognised.
struct Probe {
  std::string_view path;                   ///< as the user typed it
  std::string_view head;                   ///< the first bytes, decompressed; at most 64 KiB
  std::string_view length_field;           ///< as in ReadOptions
  bool has_target = false;                 ///< a file for the target side was named
  std::optional<std::uint64_t> size = {};  ///< total bytes, decompressed, if known
};

class RowSink;  // src/io/manifests/row_sink.hpp

/// One format: a row of the table. Texts and functions live as long as the program.
struct Reader {
  std::string_view name;             ///< the value of ReadOptions::format and `--format`
  std::string_view summary;          ///< one line
  std::string_view example;          ///< its first lines
  bool (*recognises)(const Probe&);  ///< cheap; uses nothing but the probe
  /// Passes the samples of an input on; null for traces, which contain iterations instead of samples. Called by
  /// read_dataset().
  void (*read)(stream::Input&, RowSink&);
};

/// Every format, in the order of recognition: narrowest first.
std::span<const Reader> readers();

/// The reader of that name. Throws a UsageError that lists all formats.
const Reader& find_reader(std::string_view format);

/// The reader named `format`; if `format` is empty, the first that recognises the probe. Throws UsageError for an
/// unknown name, InputError if none recognises the probe, and for common files that are not supported.
const Reader& pick_reader(std::string_view format, const Probe& probe);

/// Whether an input contains iterations (a trace) instead of samples: by its content, or if `format` is not empty by
/// that name alone.
bool is_trace(stream::Input& input, const std::string& format);

/// A folder that is a data set.
struct FolderManifests {
  std::string what;                ///< "a Kaldi data directory"
  std::vector<std::string> paths;  ///< paths of its manifests, in the order of their rows; not empty
};

/// The manifests of a folder; nothing if `path` is not a folder. Throws InputError for a folder of unknown kind, and if
/// its files belong to several data sets.
std::optional<FolderManifests> folder_manifests(const std::string& path,
                                                const stream::Files& files = stream::disk_files());

/// The paths that one argument names: a file itself, the manifests of a folder or, if nothing has that name, a list
/// separated by commas, patterns of names (`*.jsonl`, with * and ? as in a shell) and patterns of shards
/// (`manifest_{0..511}.json`, braces also written `( )`, `[ ]`, `< >` or `_OP_ _CL_`, as in NeMo). PATH names PATH.idx
/// if only that exists. Any other path is returned unchanged. Throws as folder_manifests(), and UsageError for over a
/// million shards.
std::vector<std::string> manifest_paths(const std::string& argument, const stream::Files& files = stream::disk_files());

/// The data set splits in the names of these files, with their counts ("2 of *train*, 1 of *test*"); empty if all files
/// are of one split, or none names one.
std::string several_splits(const std::vector<std::string>& paths);

/// Reads `inputs` (at least one) in order as one data set. `targets`: none, or one file of the target side for each
/// input. Throws InputError for unreadable input (with at most 20 problems, the others counted) and if no sample is
/// kept; UsageError for an unknown format, a wrong number of `targets`, and options that do not suit an input.
Dataset read_dataset(std::vector<stream::Input> inputs, std::vector<stream::Input> targets, const ReadOptions& options);

}  // namespace seqpoint::io::manifests

namespace seqpoint::io::artifacts {

// --- Our own files. JSON output files begin with their schema; readers ignore unknown keys and reject unknown schemas.
// Numbers are written so that they read back unchanged.

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

/// A run alone, from a trace or from SeqPoints.
struct RunFile {
  trace::RunSummary run;           ///< totals and histogram
  manifests::InputRecord record;   ///< record of the file
  std::vector<std::string> notes;  ///< notes on unused content
};
/// Reads a run from a trace or from SeqPoints, which begin with `{`. `layout`: of a trace. Throws as
/// read_trace() and read_seqpoints().
RunFile read_run(stream::Input input, trace::BatchLayout layout = trace::BatchLayout::padded);

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

// --- forecast: JSON

/// A forecast: JSON of the schema forecast.
std::string forecast_json(const forecast::Forecast&, const Provenance&);

// --- projection: JSON

/// A projection as read, without its notes.
struct ProjectionFile {
  project::Projection projection;           ///< without its notes
  std::optional<std::uint64_t> iterations,  ///< iterations of the run, if the file has them
      samples,                              ///< samples of the run, if the file has them
      epochs;                               ///< epochs of the run, if the file has them
  std::string selection;                    ///< digest of its points; empty if missing
  std::string run;                          ///< digest of the run; empty if missing
  manifests::InputRecord record;            ///< record of the file
  std::vector<std::string> notes;           ///< notes on skipped checks
};
/// Reads a document of projection_json() (artifacts/studies.hpp). Throws InputError, at the wrong key if there is one,
/// also if the digest does not match the content, or is missing though this program made the file.
ProjectionFile read_projection(stream::Input input);
/// Throws InputError unless the file is for this run, as far as it names its run: times of different runs do not show a
/// regression. `run`: the selection's, or another that is projected. Returns a note for the user: that the points
/// differ, or that only sizes were compared because the file has no digest of its run; empty if there is none.
std::string require_same_run(const ProjectionFile&, const select::Selection&, const trace::RunSummary& run);
/// require_same_run(), and throws InputError unless the file has the same seconds of overheads as the current
/// projection and, if both name one, the same source of times (host or GPU).
std::string require_comparable(const ProjectionFile&, const select::Selection&, const trace::RunSummary&,
                               const project::Projection&);

/// Throws InputError at the first row that names the digest of another selection. Rows without one are allowed.
void require_same_selection(const profile::ProfileTable&, const select::Selection&);
/// The same for the rows of a map of steps, such as a plan's table.
void require_same_selection(const profile::StepMap&, const select::Selection&);

}  // namespace seqpoint::io::artifacts
