// deepspeech.pytorch: manifests that name audio and say nothing of its length. Up to 2.1 (and in MLPerf's DeepSpeech2)
// a CSV without header or quotes, from 3.0 on one JSON object (deepspeech_pytorch/loader/data_loader.py: _parse_input).
#include <algorithm>
#include <array>

#include "io/json/json_scan.hpp"
#include "io/json/parsers.hpp"
#include "io/manifests/engine/audio_rows.hpp"
#include "io/manifests/engine/flat_json_record.hpp"
#include "io/manifests/engine/lines.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/record_sets.hpp"
#include "io/text/input_head.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

namespace json = io::json;

// --- CSV -----------------------------------------------------------------------------------------

void read_deepspeech_csv(stream::Input& input, RowSink& sink) {
  engine::require_probing(sink, "");
  const bool whole = engine::for_each_line(input, [&](std::uint64_t line, std::string_view row) {
    const std::string_view text = text::trim(row);
    if (std::count(text.begin(), text.end(), ',') != 1)
      sink.add_corrupt(line, "is not 'audio,transcript': one comma, and none in a path");
    else
      engine::add_probed(line, std::string(text.substr(0, text.find(','))), "", sink);
  });
  if (!whole) sink.note_unterminated();
}

bool is_deepspeech_csv(const Probe& probe) {
  const std::string_view line = text::trim(text::first_line(probe.head));
  const auto comma = line.find(',');
  if (comma == std::string_view::npos) return false;
  const std::string_view audio = line.substr(0, comma), transcript = line.substr(comma + 1);
  return (audio.ends_with(".wav") || audio.ends_with(".flac")) && transcript.ends_with(".txt") &&
         transcript.find(',') == std::string_view::npos;
}

// --- JSON ----------------------------------------------------------------------------------------

/// `root_path` may come after the samples, so these are kept until it is known.
class Manifest {
 public:
  explicit Manifest(RowSink& sink) : sink_(sink) {}

  void parse(stream::Input& input) {
    json::DocumentParser document(input);
    static const json::KeySet kKeys{"root_path", "samples"};
    const json::Fault fault = document.for_each_member(kKeys, [&](std::size_t which, json::Value value) {
      if (which == 0) {
        root_ = value.take_text();
        ++roots_;
      } else {
        value.for_each_element([&](json::Value sample) { read_sample(document.line_of(sample), sample); });
        ++lists_;
      }
    });
    if (fault)
      throw InputError({sink_.file.path()}, "is not one whole JSON object: " + fault.message(),
                       "check that it was not cut short");
    if (roots_ > 1 || lists_ > 1)
      throw InputError({sink_.file.path()}, "has root_path or samples more than once", "leave one of them");
    if (roots_ == 0)
      throw InputError({sink_.file.path(), 0, "root_path"}, "is missing",
                       "it is the folder that the paths of the samples start in");
    if (lists_ == 0) throw InputError({sink_.file.path(), 0, "samples"}, "is missing");
  }

  void add_rows() const {
    for (const Sample& sample : samples_) {
      if (!sample.has_path)
        sink_.add_corrupt(sample.line, "is missing, or no text", "wav_path");
      else
        engine::add_probed(sample.line, stream::joined_path(root_, sample.path), "wav_path", sink_);
    }
  }

 private:
  struct Sample {
    std::uint64_t line = 0;
    bool has_path = false;
    std::string path;
  };

  void read_sample(std::uint64_t line, json::Value sample) {
    static const json::KeySet kPathKey{"wav_path"};
    engine::JsonField path{.key = "wav_path"};
    sample.for_each_member(kPathKey, [&](std::size_t, json::Value value) { path.set(value); });
    samples_.push_back({.line = line, .has_path = path.is_text() && !path.duplicated, .path = std::string(path.text)});
  }

  RowSink& sink_;
  std::string root_;
  int roots_ = 0, lists_ = 0;  ///< how often the two keys stand there
  std::vector<Sample> samples_;
};

void read_deepspeech_json(stream::Input& input, RowSink& sink) {
  Manifest manifest(sink);
  manifest.parse(input);
  engine::require_probing(sink, "wav_path");
  manifest.add_rows();
}

void walk_samples(stream::Input& input, TextFrame& frame, const RecordCallback& take) {
  const std::string text = engine::read_valid_json(input);
  const std::vector<json::Member> members = json::members(text, text.find('{'));
  const auto samples =
      std::find_if(members.begin(), members.end(), [](const json::Member& member) { return member.key == "samples"; });
  if (samples == members.end())
    throw InputError({input.name(), 0, "samples"}, "is written with escapes", "write the key as it is");
  const auto open = static_cast<std::size_t>(samples->value.data() - text.data());
  frame.prologue = text.substr(0, open + 1) + "\n";
  frame.separator = ",\n";
  const std::size_t close = json::for_each_element(text, open, take);
  frame.epilogue = "\n" + text.substr(close);
}

bool is_deepspeech_json(const Probe& probe) {
  const auto has = [&](std::string_view key) { return probe.head.find(key) != std::string_view::npos; };
  return text::trim(text::first_line(probe.head)).starts_with('{') && has("\"samples\"") && has("\"wav_path\"");
}

}  // namespace

const Reader kDeepspeechCsv{
    .name = "deepspeech-csv",
    .summary = "deepspeech.pytorch up to 2.1 and MLPerf: audio,transcript without a header; with --probe-audio",
    .example = "wav/a.wav,txt/a.txt",
    .recognises = is_deepspeech_csv,
    .read = read_deepspeech_csv,
    .copy_records = copy_text<walk_lines>,
};
const Reader kDeepspeechJson{
    .name = "deepspeech-json",
    .summary = "deepspeech.pytorch from 3.0 on: root_path and samples; with --probe-audio",
    .example = R"({"root_path": "/d", "samples": [{"wav_path": "a.wav", "transcript_path": "a.txt"}]})",
    .recognises = is_deepspeech_json,
    .read = read_deepspeech_json,
    .copy_records = copy_text<walk_samples>,
};

}  // namespace seqpoint::io::manifests::formats
