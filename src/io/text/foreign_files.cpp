#include "io/text/foreign_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "io/stream/input.hpp"
#include "io/text/command_words.hpp"
#include "io/text/input_head.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::text {
namespace {

using namespace std::string_view_literals;
using Fits = bool (*)(std::string_view path, std::string_view head);

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_nsys_report(std::string_view path, std::string_view) {
  return path.ends_with(".nsys-rep") || path.ends_with(".qdrep");
}
bool is_ncu_report(std::string_view path, std::string_view) { return path.ends_with(".ncu-rep"); }
/// A table of `ncu --csv`, with or without the profiler's own lines before it.
bool is_ncu_table(std::string_view, std::string_view head) {
  return head.starts_with("==PROF==") || (head.starts_with("\"ID\",") && has(head, "\"Kernel Name\""));
}
/// The trace viewer's JSON of TensorFlow and JAX: no other writer has that key.
bool is_trace_viewer(std::string_view, std::string_view head) { return has(head, "\"highres-ticks\""); }
bool is_xplane(std::string_view path, std::string_view head) { return head.starts_with('\n') && path.ends_with(".pb"); }
bool is_kaldi_list(std::string_view path, std::string_view) { return path.ends_with(".scp"); }

// --- data sets from Python libraries, by their first bytes

bool is_parquet(std::string_view, std::string_view head) { return head.starts_with("PAR1"); }
/// An Arrow file, which begins with "ARROW1"; or an Arrow stream, whose first message begins with a mark (0xFFFFFFFF)
/// and a size below 2^24.
bool is_arrow(std::string_view, std::string_view head) {
  return head.starts_with("ARROW1\0\0"sv) || (head.size() >= 8 && head.starts_with("\xff\xff\xff\xff") && head[7] == 0);
}
bool is_numpy(std::string_view, std::string_view head) { return head.starts_with("\x93NUMPY"); }
bool is_tar(std::string_view, std::string_view head) {
  constexpr std::size_t kMagicAt = 257;
  return head.size() > kMagicAt && head.substr(kMagicAt).starts_with("ustar");
}
bool is_wave(std::string_view, std::string_view head) { return head.starts_with("RIFF"); }
bool is_flac(std::string_view, std::string_view head) { return head.starts_with("fLaC"); }

/// The placeholder of a large file that was not fetched (github.com/git-lfs: docs/spec.md).
bool is_lfs_pointer(std::string_view, std::string_view head) {
  return head.starts_with("version https://git-lfs.github.com/spec/");
}

// --- text, by its first bytes

/// Whether of the first 64 bytes exactly every other byte is zero, from position `first` (0 or 1) on, as in UTF-16 text
/// that is mostly ASCII. False for fewer than 8 bytes.
bool has_zeros_from(std::string_view head, std::size_t first) {
  constexpr std::size_t kFewest = 8, kLooked = 64;
  head = head.substr(0, kLooked);
  for (std::size_t i = 0; i < head.size(); ++i)
    if ((head[i] == 0) != (i % 2 == first)) return false;
  return head.size() >= kFewest;
}
bool is_utf16(std::string_view, std::string_view head) {
  return head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff");
}
/// Whether the decompressed bytes are compressed themselves.
bool is_packed_again(std::string_view, std::string_view head) {
  return stream::packing_of(head) != stream::Packing::none;
}
bool is_zstd_again(std::string_view path, std::string_view head) {
  return path.ends_with(".zst") && is_packed_again(path, head);
}
bool is_utf16_le(std::string_view, std::string_view head) { return has_zeros_from(head, 1); }
bool is_utf16_be(std::string_view, std::string_view head) { return has_zeros_from(head, 0); }
/// Whether lines end with CR alone. False for JSON, which may have any white space between its parts, and for binary
/// files, which contain zero bytes.
bool ends_lines_with_cr(std::string_view, std::string_view head) {
  const std::string_view text = trim(head);
  return !text.starts_with('{') && !text.starts_with('[') && has(text, "\r") && !has(head, "\n") && !has(head, "\0"sv);
}

/// `hint`: with FILE in place of the path. If there is an `output`, it ends with a command that reads the file from
/// standard input, behind `kCommand`.
struct ForeignFile {
  std::string_view what, hint, output = {};
};
struct Row {
  Fits fits;
  ForeignFile file;
};
constexpr std::string_view kPlaceholder = "FILE";  ///< the path, in a hint
constexpr std::string_view kCommand = ": ";        ///< before a command, in a hint

constexpr std::array kTexts{
    Row{is_lfs_pointer, {"is a pointer of Git LFS, in place of the file", "git lfs pull fetches the file"}},
    Row{is_utf16, {"is UTF-16", "write it as UTF-8: iconv -f UTF-16 -t UTF-8", "utf8.txt"}},
    Row{is_utf16_le, {"is UTF-16", "write it as UTF-8: iconv -f UTF-16LE -t UTF-8", "utf8.txt"}},
    Row{is_utf16_be, {"is UTF-16", "write it as UTF-8: iconv -f UTF-16BE -t UTF-8", "utf8.txt"}},
    Row{is_zstd_again, {"is packed more than once", "unpack it once: zstd -dc FILE >unpacked"}},
    Row{is_packed_again, {"is packed more than once", "unpack it once: gzip -dc FILE >unpacked"}},
    Row{ends_lines_with_cr,
        {"ends its lines with CR alone, as Macs once did", R"(write line feeds: tr '\r' '\n')", "unix.txt"}},
};

/// Reads the files of Python libraries, with these libraries.
constexpr std::string_view kCompanion = "write its lengths: python3 -m seqpoint_companion lengths FILE -o lengths.csv";

// Narrowest first. tests/docs/foreign_files.py runs the commands whose libraries are installed.

constexpr std::array kRows{
    Row{is_nsys_report,
        {"is a report of Nsight Systems", "nsys export --type sqlite FILE writes the SQLite file to give"}},
    Row{is_ncu_report,
        {"is a report of Nsight Compute", "make a table of its durations: examples/other-tools.md has the commands"}},
    Row{is_ncu_table,
        {"is a table of Nsight Compute", "sum its durations by point: examples/other-tools.md has the command"}},
    Row{is_trace_viewer,
        {"is a trace of TensorFlow's or JAX's profiler",
         "make a table of its steps: examples/other-tools.md has the command"}},
    Row{is_xplane,
        {"is an XPlane protocol buffer",
         "download the trace from the profiler's page, and make a table of its steps: "
         "examples/other-tools.md has the command"}},
    Row{is_kaldi_list,
        {"is Kaldi's list of files, which does not say how long they are",
         "give utt2num_frames or utt2dur of the same folder, which Kaldi's utils/data/get_utt2dur.sh makes"}},
    Row{is_parquet, {"is a Parquet file", kCompanion}},
    Row{is_arrow, {"is an Arrow file, as Hugging Face data sets are saved", kCompanion}},
    Row{is_tar, {"is an archive (tar), as WebDataset's shards are", kCompanion}},
    Row{is_wave, {"is sound (RIFF)", kCompanion}},
    Row{is_flac, {"is sound (FLAC)", kCompanion}},
    Row{is_numpy, {"is a NumPy array", kCompanion}},
};

std::string hint_of(const ForeignFile& file, const std::string& path) {
  if (file.output.empty()) return with_path(std::string(file.hint), path);
  const std::size_t at = file.hint.find(kCommand) + kCommand.size();
  return std::string(file.hint.substr(0, at)) + filtered(file.hint.substr(at), path, file.output);
}

/// Throws InputError for the first row that fits the file; returns if none does.
void refuse(std::span<const Row> rows, const std::string& path, std::string_view head) {
  for (const Row& row : rows) {
    if (!row.fits(path, head)) continue;
    throw InputError({path}, std::string(row.file.what), hint_of(row.file, path));
  }
}

}  // namespace

void refuse_foreign_text(const std::string& path, std::string_view head) { refuse(kTexts, path, head); }

void refuse_foreign_file(const std::string& path, std::string_view head) {
  refuse_foreign_text(path, head);
  refuse(kRows, path, head);
}

void refuse_unknown_file(const std::string& path, std::string_view head) {
  if (!has(head, "\0"sv)) return;
  throw InputError(
      {path}, "is a binary file of no kind that seqpoint knows",
      "`seqpoint list formats` lists what is read; what a Python library wrote, write its lengths into a CSV with it");
}

std::string with_path(std::string command, const std::string& path) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (path == "-" || std::ranges::any_of(path, is_control)) return command;
  const std::string word = shell_words(std::vector{path.starts_with('-') ? "./" + path : path});  // not an option
  for (auto at = command.find(kPlaceholder); at != std::string::npos; at = command.find(kPlaceholder, at + word.size()))
    command.replace(at, kPlaceholder.size(), word);
  return command;
}

std::string filtered(std::string_view command, const std::string& path, std::string_view output) {
  if (path == "-") return fmt::format("{} >{}", command, output);
  const std::string_view unpack = path.ends_with(".gz") ? "gzip -dc" : path.ends_with(".zst") ? "zstd -dc" : "";
  const std::string input = with_path(unpack.empty() ? "<FILE" : std::string(unpack) + " FILE | ", path);
  return unpack.empty() ? fmt::format("{} {} >{}", command, input, output)
                        : fmt::format("{}{} >{}", input, command, output);
}

}  // namespace seqpoint::io::text
