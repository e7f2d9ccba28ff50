/// \file
/// Training manifests: which formats there are, how one is recognised, and how lengths are read from it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/io/stream/files.hpp"
#include "seqpoint/io/stream/input.hpp"
#include "seqpoint/lengths/lengths.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::io::manifests {

/// What separates the tokens of a line of text.
enum class TextSplit {
  whitespace,  ///< runs of white space, as Python's str.split() (fairseq, Sockeye, GNMT's TextDataset)
  spaces,      ///< runs of the space character, as TensorFlow's string_split (tensorflow/nmt)
  each_space  ///< every space, so that two make an empty token: count(' ') + 1 (GNMT's LazyParallelDataset, OpenNMT-py)
};

/// Their words.
inline constexpr std::array<Word<TextSplit>, 3> kTextSplits{
    {{"whitespace", TextSplit::whitespace, "as Python's split()"},
     {"spaces", TextSplit::spaces, "runs of blanks"},
     {"each-space", TextSplit::each_space, "count(' ') + 1"}}};

/// How to read manifests.
struct ReadOptions {
  std::string format;            ///< empty: guessed from the content
  std::string length_field;      ///< column or dotted key; empty: the first of the usual names
  std::string tgt_length_field;  ///< of the target side
  std::string sql;  ///< a query for DuckDB that selects the lengths from `{file}`; empty: readers find them
  /// What the numbers count; nothing: what the column's name or the format says.
  std::optional<lengths::LengthUnit> unit;
  lengths::FrameRule frames;                ///< how durations become frames
  std::optional<std::uint32_t> min_length,  ///< the least sequence length kept, inclusive; of a pair both sides
      max_length;                           ///< the largest one; the same
  bool skip_missing = false;  ///< leave out rows whose length is missing, negative or no number, and count them
  std::size_t threads = 1;    ///< that parse, >= 1; the result does not depend on it
  /// Map large files into memory instead of copying. For programs that handle SIGBUS, which is raised if a file is
  /// truncated meanwhile.
  bool map_files = false;
  bool keep_seconds = false;                ///< fill Lengths::seconds where the (source) unit is one of time or samples
  TextSplit split = TextSplit::whitespace;  ///< what separates the tokens of a line of text
  std::uint32_t add_src = 0,                ///< special symbols added to each line of text of the source side
      add_tgt = 0;                          ///< the same of the target side
  std::uint32_t message_tokens = 0;         ///< what a chat template writes around each message of a conversation
  std::uint32_t conversation_tokens = 0;    ///< and around the whole of it
  bool probe_audio = false;  ///< where a manifest has no length: the one that the audio file's header says
  /// Path of a SentencePiece model whose pieces are the tokens of text; empty: words between blanks.
  std::string tokenizer;
  const stream::Files* files = nullptr;  ///< what manifests refer to, not owned; null: the disk
  bool keep_origins = false;             ///< fill Dataset::origins
  bool is_excerpt = false;               ///< some rows of a larger set: that they are all alike says nothing
};

/// The checks that need no file. Throws UsageError.
void require_valid(const ReadOptions&);

/// An input file as artefacts record it.
struct InputRecord {
  std::string path;        ///< as the user typed it
  std::string format;      ///< a reader's name
  std::string fields;      ///< columns the lengths are from; empty where there are no names
  std::string unit;        ///< of those numbers
  std::string digest;      ///< of the bytes as stored: "xxh3-128:..."
  std::uint64_t rows = 0;  ///< samples that it holds
};

/// The place of a sample in the inputs.
struct RowOrigin {
  std::uint32_t input = 0;    ///< which of them, from 0
  std::uint32_t row = 0;      ///< of that file, from 0
  std::uint32_t tgt_row = 0;  ///< of its target side's file; the same unless the two are matched by key
};

/// A data set as read: its lengths, and what became of every row.
struct Dataset {
  lengths::Lengths lengths;        ///< of the samples that were kept
  std::vector<RowOrigin> origins;  ///< empty unless asked for; one a sample
  /// Every file that was read: manifests of both sides, tables that they refer to, a tokenizer.
  std::vector<InputRecord> inputs;
  std::uint64_t rows = 0;       ///< samples the inputs hold; = lengths.size() + missing + marked + too_short + too_long
  std::uint64_t missing = 0;    ///< left out by skip_missing
  std::uint64_t marked = 0;     ///< left out by a mark of the manifest's own
  std::uint64_t too_short = 0;  ///< left out by min_length
  std::uint64_t too_long = 0;   ///< left out by max_length
  std::uint64_t zeros = 0;      ///< kept, with a length of zero
  std::vector<std::string> notes;  ///< what the user should be told
};

/// What a format is recognised by.
struct Probe {
  std::string_view path;                   ///< as the user typed it
  std::string_view head;                   ///< the first bytes, decompressed; at most 64 KiB
  std::string_view length_field;           ///< as in ReadOptions
  bool has_target = false;                 ///< a file for the target side was named
  std::optional<std::uint64_t> size = {};  ///< bytes in all, decompressed, where it is known
};

class RowSink;       // src/io/manifests/row_sink.hpp
class RecordSet;     // src/io/manifests/record_sets.hpp
struct CopyRequest;  // the same

/// One format: a row of the table. Texts and functions live as long as the program.
struct Reader {
  std::string_view name;             ///< as ReadOptions::format and `--format` name it
  std::string_view summary;          ///< one line
  std::string_view example;          ///< its first lines
  bool (*recognises)(const Probe&);  ///< cheap; looks at nothing but the probe
  /// Passes the samples of an input on; null for traces, which hold iterations and not samples. For read_dataset().
  void (*read)(stream::Input&, RowSink&);
  /// Copies the records of some rows, to make a smaller manifest; null where no training job reads the format.
  std::unique_ptr<RecordSet> (*copy_records)(const CopyRequest&) = nullptr;
};

/// Every format, in the order in which they are asked: narrowest first.
std::span<const Reader> readers();

/// The reader of that name. Throws UsageError that lists the formats there are.
const Reader& find_reader(std::string_view format);

/// The reader of that name, or the first that recognises the probe. Throws UsageError for an unknown name, InputError
/// where none does.
const Reader& pick_reader(std::string_view format, const Probe& probe);

/// The format that is asked for: that of queries where there is one, else `options.format`, which may be empty.
std::string format_of(const ReadOptions& options);

/// Whether an input holds iterations (a trace) and not samples, by `format` or its content.
bool is_trace(stream::Input& input, const std::string& format);

/// A folder that is a data set.
struct FolderManifests {
  std::string what;                ///< "a Kaldi data directory"
  std::vector<std::string> paths;  ///< of the manifests in it, in the order of their rows; not empty
};

/// What is to be read of a folder; nothing where `path` is none. Throws InputError for a folder of no known kind, and
/// where its files are of several data sets.
std::optional<FolderManifests> folder_manifests(const std::string& path,
                                                const stream::Files& files = stream::disk_files());

/// The paths that one argument names: a file as it is, the manifests of a folder or, where there is nothing of that
/// name, a list apart by commas, patterns of names (`*.parquet`, with * and ? as a shell reads them) and patterns of
/// shards (`manifest_{0..511}.json`, braces also written `( )`, `[ ]`, `< >` or `_OP_ _CL_`, as NeMo does). Throws as
/// folder_manifests(), and UsageError for a pattern that names too many files.
std::vector<std::string> manifest_paths(const std::string& argument, const stream::Files& files = stream::disk_files());

/// Which splits the names of these files tell ("2 of *train*, 1 of *test*"), and which results of Dataset.map of
/// Hugging Face's datasets (`cache-*.arrow`); empty where they tell none, or all the same.
std::string several_splits(const std::vector<std::string>& paths);

/// Reads inputs one after the other as one data set. `targets` is empty or names one file of the target side for each.
/// Throws InputError (with at most 20 problems, the others counted) for what cannot be read, UsageError for options
/// that contradict each other or the inputs.
Dataset read_dataset(std::vector<stream::Input> inputs, std::vector<stream::Input> targets, const ReadOptions& options);

}  // namespace seqpoint::io::manifests
