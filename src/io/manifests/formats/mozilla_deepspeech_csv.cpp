// CSV of Mozilla DeepSpeech and Coqui STT (util/sample_collections.py: CSV): the only length is the file's size in
// bytes.
#include <fmt/core.h>

#include <cmath>

#include "io/manifests/engine/audio_rows.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/record_sets.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

// The importers write 16-bit mono PCM after a header of 44 bytes.
constexpr double kHeaderBytes = 44, kSampleBytes = 2;
constexpr std::string_view kFile = "wav_filename", kSize = "wav_filesize", kTranscript = "transcript";

/// Why the size says nothing about the samples; empty where it does.
std::string size_problem(const text::Number& size, std::string_view as_written, std::string_view file) {
  if (size.fault != text::NumberFault::none) return text::describe(size.fault, as_written);
  if (!file.ends_with(".wav") && !file.ends_with(".WAV"))
    return "of a file that is no .wav says nothing about its length; --probe-audio reads the file's header";
  if (size.value < kHeaderBytes) return std::string(as_written) + " bytes are less than the header of a .wav";
  if (std::fmod(size.value - kHeaderBytes, kSampleBytes) != 0)
    return fmt::format("a size of {} bytes is no whole number of 16-bit samples", as_written);
  return "";
}

class MozillaRows {
 public:
  MozillaRows(RowSink& sink, const std::vector<std::string>& names, std::uint64_t line)
      : sink_(sink), file_(text::index_of(names, kFile)), size_(text::index_of(names, kSize)) {
    if (file_ == names.size())
      throw InputError({sink.file.path(), line, std::string(kFile)}, "there is no such column");
    const bool sized = size_ < names.size();
    if (sink.wants_audio_probed())
      engine::require_probing(sink, std::string(kFile));
    else if (!sized)  // DeepSpeech takes every size for 0 then
      throw InputError({sink.file.path(), line, std::string(kSize)}, "there is no such column, which has the lengths",
                       "--probe-audio takes them from the headers of the audio files");
    else
      sink.set_columns(std::string(kSize), "", lengths::LengthUnit::samples);
  }

  void add(std::uint64_t line, const std::vector<std::string_view>& row) {
    if (sink_.wants_audio_probed())
      return engine::add_probed(line, text::unquoted(row[file_]), std::string(kFile), sink_);
    if (sink_.file.options().unit) return sink_.add(line, row[size_]);
    const text::Number size = text::parse_number(row[size_]);
    const std::string problem = size_problem(size, row[size_], row[file_]);
    if (!problem.empty()) return sink_.add_missing(line, problem, std::string(kSize));
    sink_.add_number(line, (size.value - kHeaderBytes) / kSampleBytes);
  }

 private:
  RowSink& sink_;
  std::size_t file_, size_;
};

void read_mozilla(stream::Input& input, RowSink& sink) {
  text::RecordReader records(input, text::kCommas);
  const std::vector<std::string> names = text::read_header(records, sink.file.path());
  MozillaRows rows(sink, names, records.line());
  engine::for_each_row(records, names, sink,
                       [&](std::uint64_t line, const std::vector<std::string_view>& row) { rows.add(line, row); });
}

/// Paths are relative to the CSV.
std::vector<std::string> mozilla_paths(std::string_view record, const std::vector<std::string>& columns) {
  return {field_of(record, ',', columns, kFile)};
}

bool is_mozilla(const Probe& probe) {
  const std::vector<std::string> names = text::header_fields(probe.head, text::kCommas);
  return (probe.length_field.empty() || probe.length_field == kSize) && text::index_of(names, kFile) < names.size() &&
         text::index_of(names, kTranscript) < names.size();
}

}  // namespace

const Reader kMozilla{
    .name = "mozilla-csv",
    .summary = "CSV of Mozilla DeepSpeech and Coqui STT: the size of a .wav tells its samples",
    .example = "wav_filename,wav_filesize,transcript\\nclips/a.wav,96044,well",
    .recognises = is_mozilla,
    .read = read_mozilla,
    .copy_records = copy_text<walk_csv, mozilla_paths>,
};

}  // namespace seqpoint::io::manifests::formats
