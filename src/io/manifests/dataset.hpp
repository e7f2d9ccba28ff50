/// \file
/// Training manifests: the formats, their recognition, and the lengths of their samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"
#include "core/lengths/lengths.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::manifests {

/// How a line of text is split into tokens.
enum class TextSplit {
  whitespace,  ///< runs of white space, as Python's str.split() (fairseq, Sockeye, GNMT's TextDataset)
  spaces,      ///< runs of the space character, as TensorFlow's string_split (tensorflow/nmt)
  each_space  ///< every space, so that two make an empty token: count(' ') + 1 (GNMT's LazyParallelDataset, OpenNMT-py)
};

/// The names of the splits.
inline constexpr std::array<Word<TextSplit>, 3> kTextSplits{
    {{"whitespace", TextSplit::whitespace}, {"spaces", TextSplit::spaces}, {"each-space", TextSplit::each_space}}};

/// The options of reading manifests.
struct ReadOptions {
  std::string format;            ///< empty: guessed from the content
  std::string length_field;      ///< column or dotted key; empty: the first of the usual names
  std::string tgt_length_field;  ///< the same for the target side
  /// Unit of the numbers; nothing: from the column's name or the format.
  std::optional<lengths::LengthUnit> length_unit;
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
  std::string path;         ///< as the user typed it
  std::string format;       ///< a reader's name
  std::string fields = {};  ///< columns of the lengths; empty if there are no names
  std::string unit = {};    ///< unit of those numbers; empty if they have none
  std::string digest;       ///< digest of the bytes as stored: "xxh3-128:..."
  std::uint64_t rows = 0;   ///< number of samples
};

/// The record of an input that was read to its end, without names of columns.
InputRecord record_of(const stream::Input&, std::string_view format, std::uint64_t rows);

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
