/// \file
/// Records copied from manifests byte for byte, and smaller manifests made of them.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/subset.hpp"
#include "seqpoint/io/files.hpp"

namespace seqpoint::io::manifests {

/// A row of one side: which input, and which of its rows.
struct InputRow {
  std::uint32_t input = 0, row = 0;
  friend auto operator<=>(const InputRow&, const InputRow&) = default;
};

/// Which records a format has to copy.
struct CopyRequest {
  std::span<stream::Input> inputs;   ///< of one side and format, not read yet
  std::span<const InputRow> places;  ///< ascending, each once; not empty
  const ReadOptions& options;
  const std::string& length_field;  ///< of this side
  const stream::Files& files;
};

/// Copies of the records of some rows.
class RecordSet {
 public:
  virtual ~RecordSet() = default;
  /// Adds a manifest of these rows, in this order; a row may come again. `stem` is its name without what the input's
  /// name ends with. Returns the name of the manifest.
  virtual std::string compose(const std::string& stem, std::span<const InputRow> places, Excerpt& into) const = 0;
};

/// The folder of a path, with its last slash; empty for a file in the current folder.
std::string folder_of(const std::string& path);
/// The path's last part.
std::string base_name(const std::string& path);
/// `stem` with the ending of `path`, that of a compression included: "manifest.jsonl.gz".
std::string named_after(const std::string& stem, const std::string& path);
/// The bytes as a file of that name holds them: compressed where its ending says so.
std::string compressed_for(const std::string& name, std::string bytes);
/// Adds a file, unless one of that name is there already.
void add_file(Excerpt& into, std::string name, std::string bytes);

// --- text: records of lines, or of a list

/// The text around the records of a file.
struct TextFrame {
  std::string prologue, separator, epilogue;
  std::vector<std::string> columns;  ///< the header's; empty where the format has no header
  friend bool operator==(const TextFrame&, const TextFrame&) = default;
};
using RecordCallback = std::function<void(std::string_view record)>;
/// Fills the frame and calls the callback for every record, in the order of the rows. A record ends with its line end,
/// unless the frame has a separator.
using WalkRecords = void (*)(stream::Input&, TextFrame&, const RecordCallback&);
/// The paths of files that a record names, as written; relative ones start at the manifest's folder.
using FindPaths = std::vector<std::string> (*)(std::string_view record, const std::vector<std::string>& columns);

std::unique_ptr<RecordSet> copy_text_records(const CopyRequest&, WalkRecords walk, FindPaths paths);
/// The same as a function of the request alone.
template <WalkRecords kWalk, FindPaths kPaths = nullptr>
std::unique_ptr<RecordSet> copy_text(const CopyRequest& request) {
  return copy_text_records(request, kWalk, kPaths);
}

void walk_lines(stream::Input&, TextFrame&, const RecordCallback&);              ///< lines that are not blank
void walk_every_line(stream::Input&, TextFrame&, const RecordCallback&);         ///< blank ones too
void walk_lines_below_first(stream::Input&, TextFrame&, const RecordCallback&);  ///< the first line is no record
void walk_csv(stream::Input&, TextFrame&, const RecordCallback&);
void walk_tsv(stream::Input&, TextFrame&, const RecordCallback&);

/// One field of a record, by its column; empty where there is no such column.
std::string field_of(std::string_view record, char separator, const std::vector<std::string>& columns,
                     std::string_view column);

// --- keys, binary

/// Kaldi's and ESPnet's tables, with the other tables of the same folder.
std::unique_ptr<RecordSet> copy_keyed_tables(const CopyRequest&);
/// Indexes (.idx) of binarised data, with their data files (.bin).
std::unique_ptr<RecordSet> copy_fairseq_index(const CopyRequest&);
std::unique_ptr<RecordSet> copy_megatron_index(const CopyRequest&);

}  // namespace seqpoint::io::manifests
