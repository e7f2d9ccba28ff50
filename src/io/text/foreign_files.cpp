#include "io/text/foreign_files.hpp"

#include <array>
#include <cstdint>
#include <span>

#include "io/text/input_head.hpp"
#include "io/text/number.hpp"
#include "io/text/tf_record.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/files.hpp"

namespace seqpoint::io::text {
namespace {

using namespace std::string_view_literals;
using Fits = bool (*)(std::string_view path, std::string_view head);

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_nsys_report(std::string_view path, std::string_view) {
  return path.ends_with(".nsys-rep") || path.ends_with(".qdrep");
}
bool is_ncu_report(std::string_view path, std::string_view) { return path.ends_with(".ncu-rep"); }
bool is_xplane(std::string_view path, std::string_view head) { return head.starts_with('\n') && path.ends_with(".pb"); }
bool is_perf_data(std::string_view, std::string_view head) { return head.starts_with("PERFILE2"); }
/// Behind a comment at most: the words alone may be in anybody's text.
bool is_perf_report(std::string_view, std::string_view head) {
  for (int lines = 0; !head.empty() && lines < 4; ++lines)
    if (trim(stream::take_line(head)).starts_with("Performance counter stats for")) return true;
  return false;
}
bool is_perf_listing(std::string_view, std::string_view head) {
  return head.starts_with("# To display the perf.data header info");
}
bool is_rocprofv3_json(std::string_view, std::string_view head) {
  constexpr std::size_t kBegin = 128;
  return first_line(head).starts_with('{') && has(head.substr(0, kBegin), "\"rocprofiler-sdk-tool\"");
}
bool is_rocprofv3_copies(std::string_view, std::string_view head) {
  const std::string_view line = first_line(head);
  return has(line, "\"Direction\"") && has(line, "\"Start_Timestamp\"");
}
bool is_rocprofv3_statistics(std::string_view, std::string_view head) {
  return has(first_line(head), "\"TotalDurationNs\"");
}

// --- data sets, by their first bytes

bool is_kaldi_features(std::string_view path, std::string_view head) {
  return path.ends_with(".scp") && has(first_line(head), ".ark:");
}

/// A record begins with its size and the checksum of that; the head may not hold all of it.
bool is_tfrecord(std::string_view, std::string_view head) {
  return head.size() >= 12 && little_endian(head, 8) == masked_checksum(head.substr(0, 8));
}

/// The name of an archive's first file.
std::string_view first_member(std::string_view head) {
  constexpr std::size_t kNameSize = 26, kName = 30;
  if (!head.starts_with("PK\x03\x04"sv) || head.size() < kName) return {};
  return head.substr(kName, little_endian(head, kNameSize) & 0xffffU);
}
bool is_npz(std::string_view, std::string_view head) { return first_member(head).ends_with(".npy"); }
bool is_xlsx(std::string_view, std::string_view head) {
  return first_member(head) == "[Content_Types].xml" || first_member(head).starts_with("xl/");
}
bool is_zip(std::string_view, std::string_view head) {
  return head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv);
}

/// An archive or, before PyTorch 1.6, pickles of which the first is a magic number.
bool is_torch(std::string_view, std::string_view head) {
  return first_member(head).ends_with("/data.pkl") ||
         head.starts_with("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv);
}
/// Protocols 2 to 5: the number, and an opcode that begins what people save.
bool is_pickle(std::string_view, std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5 &&
         "\x95]}(Kc"sv.find(head[2]) != std::string_view::npos;
}

/// The meta page is behind a page header of 16 bytes.
bool is_lmdb(std::string_view, std::string_view head) {
  return head.size() >= 20 && little_endian(head, 16) == 0xbeefc0de;
}
bool is_hdf5(std::string_view, std::string_view head) { return head.starts_with("\x89HDF\r\n\x1a\n"sv); }
bool is_xz(std::string_view, std::string_view head) { return head.starts_with("\xfd\x37zXZ\0"sv); }
bool is_bzip2(std::string_view, std::string_view head) {
  return head.size() >= 10 && head.starts_with("BZh") && head.substr(4, 6) == "1AY&SY";
}

/// What a checkout has in place of a large file that was not fetched (github.com/git-lfs: docs/spec.md).
bool is_lfs_pointer(std::string_view, std::string_view head) {
  return head.starts_with("version https://git-lfs.github.com/spec/");
}

// --- text, by its first bytes

/// Text that is mostly ASCII has a zero in every other byte.
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
/// What has been unpacked.
bool is_packed_again(std::string_view, std::string_view head) {
  return stream::packing_of(head) != stream::Packing::none;
}
bool is_utf16_le(std::string_view, std::string_view head) { return has_zeros_from(head, 1); }
bool is_utf16_be(std::string_view, std::string_view head) { return has_zeros_from(head, 0); }
/// JSON may have any white space between its parts; numbers of binary files have zeros.
bool ends_lines_with_cr(std::string_view, std::string_view head) {
  const std::string_view text = trim(head);
  return !text.starts_with('{') && !text.starts_with('[') && has(text, "\r") && !has(head, "\n") && !has(head, "\0"sv);
}

struct ForeignFile {
  std::string_view what, hint;
};
struct Row {
  Fits fits;
  ForeignFile file;
};
constexpr std::string_view kPlaceholder = "FILE";  ///< the path, in a hint
/// What a path may consist of, to be pasted into a shell with the rest of the hint.
constexpr auto kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./";

constexpr std::array kTexts{
    Row{is_lfs_pointer, {"is a pointer of Git LFS, in place of the file", "git lfs pull fetches the file"}},
    Row{is_utf16, {"is UTF-16", "write it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE >utf8.txt"}},
    Row{is_utf16_le, {"is UTF-16", "write it as UTF-8: iconv -f UTF-16LE -t UTF-8 FILE >utf8.txt"}},
    Row{is_utf16_be, {"is UTF-16", "write it as UTF-8: iconv -f UTF-16BE -t UTF-8 FILE >utf8.txt"}},
    Row{is_packed_again,
        {"is packed more than once", "unpack it once: gzip -dc FILE | seqpoint scan -, or zstd -dc of a .zst"}},
    Row{ends_lines_with_cr,
        {"ends its lines with CR alone, as Macs once did", R"(write line feeds: tr '\r' '\n' <FILE >unix.txt)"}},
};

// Narrowest first. tests/docs/foreign_files.py runs the commands whose libraries are there.

constexpr std::array kRows{
    Row{is_nsys_report,
        {"is a report of Nsight Systems", "nsys export --type sqlite FILE writes the SQLite file to give"}},
    Row{is_ncu_report, {"is a report of Nsight Compute", "ncu --import FILE --csv writes the table to give"}},
    Row{is_xplane, {"is an XPlane protocol buffer", "download the trace from the profiler's page (trace_viewer JSON)"}},
    Row{is_perf_data, {"is what perf record wrote", "count instead: perf stat -j -e duration_time,... COMMAND"}},
    Row{is_perf_report,
        {"is perf stat's table for people", "write it for programs: perf stat -j -e duration_time,... COMMAND"}},
    Row{is_perf_listing, {"is what perf report printed", "count instead: perf stat -j -e duration_time,... COMMAND"}},
    Row{is_rocprofv3_json, {"is rocprofv3's JSON", "write CSV or a database: rocprofv3 --output-format csv, or rocpd"}},
    Row{is_rocprofv3_copies,
        {"is rocprofv3's table of memory copies, which has no steps",
         "give the kernel trace of the same run (NAME_kernel_trace.csv)"}},
    Row{is_rocprofv3_statistics,
        {"is a table of sums that rocprof wrote, which has no steps",
         "give the kernels of the same run (results.csv, of rocprofv3 NAME_kernel_trace.csv)"}},
    Row{is_kaldi_features,
        {"is Kaldi's list of features, which does not say how long they are",
         "give utt2num_frames of the same folder, which utils/data/get_utt2num_frames.sh makes"}},
    Row{is_npz,
        {"is a NumPy archive (.npz)",
         R"~(save the array of lengths: python3 -c "import numpy; numpy.save('lengths.npy', numpy.load('FILE')['lengths'])")~"}},
    Row{is_torch,
        {"is what torch.save wrote",
         R"~(write the lengths: python3 -c "import torch; print(*map(len, torch.load('FILE')), sep='\n')" >lengths.txt)~"}},
    Row{is_pickle,
        {"is a pickle, which runs code when it is loaded",
         R"~(if you trust it: python3 -c "import pickle; print(*map(len, pickle.load(open('FILE', 'rb'))), sep='\n')" >lengths.txt)~"}},
    Row{[](std::string_view, std::string_view head) { return is_event_file(head); },
        {"is TensorBoard's file of events, which holds curves",
         "give what the job was trained on, or a profile of its steps: `seqpoint formats` lists what is read"}},
    Row{is_tfrecord,
        {"is a TFRecord",
         R"~(write the lengths: python3 -c "import tensorflow as tf; [print(len(tf.train.Example.FromString(r).features.feature['input_ids'].int64_list.value)) for r in tf.data.TFRecordDataset('FILE').as_numpy_iterator()]" >lengths.txt)~"}},
    Row{is_hdf5,
        {"is an HDF5 file",
         R"~(write the lengths: python3 -c "import h5py; print(*h5py.File('FILE')['lengths'], sep='\n')" >lengths.txt)~"}},
    Row{is_lmdb,
        {"is an LMDB database",
         R"~(write the lengths, here of the values' bytes: python3 -c "import lmdb; print(*(len(v) for _, v in lmdb.open('FILE', subdir=False, readonly=True).begin().cursor()), sep='\n')" >lengths.txt)~"}},
    Row{is_xlsx, {"is a spreadsheet (.xlsx)", "save the sheet as CSV"}},
    Row{is_zip, {"is a zip archive", "unpack it: unzip FILE"}},
    Row{is_xz, {"is compressed by xz", "xz -dc FILE | seqpoint scan - reads it"}},
    Row{is_bzip2, {"is compressed by bzip2", "bzip2 -dc FILE | seqpoint scan - reads it"}},
};

/// Lines begin with time, level and place, "[2024-05-01 12:00:00,123] [INFO] [logging.py:96:log_dist]", or name the
/// library.
bool is_deepspeed_log(std::string_view, std::string_view head) {
  return has(head, "] [INFO] [") &&
         (has(head, ":log_dist] ") || has(head, "ds_accelerator") || has(head, "/micro_step="));
}
bool is_binary(std::string_view, std::string_view head) { return has(head, "\0"sv); }

constexpr std::array kUnknown{
    Row{is_deepspeed_log,
        {"is a log of DeepSpeed, whose times are means of many steps",
         "record every step: docs/pytorch.md, or a CSV with the columns iteration and runtime_s"}},
    Row{is_binary, {"is a binary file of no kind that seqpoint knows", "`seqpoint formats` lists what is read"}},
};

void refuse(std::span<const Row> rows, const std::string& path, std::string_view head) {
  for (const Row& row : rows) {
    if (!row.fits(path, head)) continue;
    throw InputError({path}, std::string(row.file.what), with_path(std::string(row.file.hint), path));
  }
}

}  // namespace

void refuse_foreign_text(const std::string& path, std::string_view head) { refuse(kTexts, path, head); }

void refuse_foreign_file(const std::string& path, std::string_view head) {
  refuse_foreign_text(path, head);
  refuse(kRows, path, head);
}

void refuse_unknown_file(const std::string& path, std::string_view head) { refuse(kUnknown, path, head); }

std::string with_path(std::string command, const std::string& path) {
  if (path.find_first_not_of(kPlain) != std::string::npos) return command;
  const std::string word = path.starts_with('-') ? "./" + path : path;  // no option
  for (auto at = command.find(kPlaceholder); at != std::string::npos; at = command.find(kPlaceholder, at + word.size()))
    command.replace(at, kPlaceholder.size(), word);
  return command;
}

}  // namespace seqpoint::io::text
