// Kaldi's data folders: one record per line, its key first. Keys are unique (utils/validate_data_dir.sh requires it).
#include <fmt/core.h>

#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>

#include "io/manifests/engine/lines.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/input_head.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

/// Reads a key and a length per line. `unit`: of the numbers, unless the user names another; nothing: the user has
/// named it.
void read_numbers(stream::Input& input, RowSink& sink, std::optional<lengths::LengthUnit> unit) {
  sink.set_columns("", "", unit);
  engine::read_keyed_rows(input, sink, [&](std::uint64_t line, std::string_view number) {
    if (number.empty())
      sink.add_missing(line, "has a key but no length", "");
    else
      sink.add(line, number);
  });
}

/// Throws InputError unless the user names the unit. Whole numbers by key may be frames or samples, which differ by a
/// factor of 160: the unit is not guessed.
void read_keyed(stream::Input& input, RowSink& sink) {
  if (!sink.file.options().length_unit)
    throw InputError({sink.file.path(), 1}, "holds numbers by key, which may be frames, samples or tokens",
                     "say which with --length-unit");
  read_numbers(input, sink, std::nullopt);
}

// --- segments: key, recording, start, end, all in seconds, and perhaps a channel (featbin/extract-segments.cc)

/// The durations of the recordings, from the table next to the segments; read for the first segment that needs one.
class RecordingDurations {
 public:
  explicit RecordingDurations(RowSink& sink) : sink_(sink), path_(sink.file.folder() + "reco2dur") {}

  /// The duration of a recording in seconds; null if the table lacks the recording. Throws InputError, at `line` of the
  /// segments, if there is no such table.
  const double* duration(std::uint64_t line, std::string_view recording) {
    if (!read_) read(line);
    const auto found = seconds_.find(std::string(recording));
    return found == seconds_.end() ? nullptr : &found->second;
  }
  const std::string& path() const { return path_; }

 private:
  void read(std::uint64_t line) {
    if (!sink_.file.files().exists(path_))
      throw InputError({sink_.file.path(), line}, "lasts to the end of its recording (-1), but there is no " + path_,
                       "make it there with Kaldi's utils/data/get_reco2dur.sh");
    stream::Input input = sink_.file.files().open(path_);
    const bool whole = engine::for_each_keyed_line(
        input,
        [&](std::uint64_t at, std::string_view recording, std::string_view seconds) { add(at, recording, seconds); });
    if (!whole) sink_.note(path_ + ": the last line has no line end, so its number may lack digits");
    sink_.tables.push_back(record_of(input, kKaldiUtt2dur.name, seconds_.size()));
    sink_.tables.back().unit = "seconds";
    read_ = true;
  }

  /// Adds a row of the table. Throws InputError for a repeated key, and unless `number` is finite and at least 0.
  void add(std::uint64_t line, std::string_view key, std::string_view number) {
    const text::Number parsed = text::parse_number(number);
    if (parsed.fault != text::NumberFault::none)
      throw InputError({path_, line}, fmt::format("the length of '{}' {}", key, text::describe(parsed.fault, number)));
    if (!(parsed.value >= 0) || std::isinf(parsed.value))
      throw InputError({path_, line}, fmt::format("the length of '{}' is {}", key, text::trim(number)));
    if (!seconds_.emplace(key, parsed.value).second)
      throw InputError({path_, line}, fmt::format("'{}' is there already", key), "leave one of the lines");
  }

  RowSink& sink_;
  std::string path_;
  std::unordered_map<std::string, double> seconds_;
  bool read_ = false;
};

struct Segment {
  std::string_view recording;
  double start = 0, end = 0;  ///< seconds; end -1: end of the recording
};

/// Sets `segment` to the fields after the key. Returns the error in them; empty if there is none.
std::string parse_segment(std::string_view fields, Segment& segment) {
  segment.recording = engine::take_word(fields);
  const std::string_view start = engine::take_word(fields), end = engine::take_word(fields),
                         channel = engine::take_word(fields);
  if (end.empty() || !fields.empty()) return "is not 'key recording start end [channel]'";
  for (const std::string_view text : {start, end})
    if (const text::Number number = text::parse_number(text);
        number.fault != text::NumberFault::none || !std::isfinite(number.value))
      return fmt::format("\"{}\" is not a time in seconds", text);
  segment.start = text::parse_number(start).value;
  segment.end = text::parse_number(end).value;
  if (!channel.empty() && text::parse_number(channel).fault != text::NumberFault::none)
    return fmt::format("\"{}\" is not a channel", channel);
  return "";
}

/// Adds a row with the duration of a segment. A segment of an unknown recording, with a negative start, or that does
/// not end after its start is a missing length.
void add_segment(std::uint64_t line, Segment segment, RecordingDurations& recordings, RowSink& sink) {
  constexpr double kToTheEnd = -1;
  if (segment.end == kToTheEnd) {
    const double* const whole = recordings.duration(line, segment.recording);
    if (whole == nullptr)
      return sink.add_missing(line, fmt::format("recording '{}' is not in {}", segment.recording, recordings.path()),
                              "");
    segment.end = *whole;
  }
  if (segment.start < 0 || segment.end <= segment.start)  // Kaldi drops these with a warning
    return sink.add_missing(
        line,
        fmt::format("ends at {} s, but starts at {} s", text::shortest(segment.end), text::shortest(segment.start)),
        "");
  sink.add_number(line, segment.end - segment.start);
}

void read_segments(stream::Input& input, RowSink& sink) {
  sink.set_columns("", "", lengths::LengthUnit::seconds);
  RecordingDurations recordings(sink);
  engine::read_keyed_rows(input, sink, [&](std::uint64_t line, std::string_view fields) {
    Segment segment;
    const std::string problem = parse_segment(fields, segment);
    if (problem.empty())
      add_segment(line, segment, recordings, sink);
    else
      sink.add_missing(line, problem, "");
  });
}

// --- how they are recognised ---------------------------------------------------------------------

/// The second of two words in the first line; empty if there are fewer or more.
std::string_view second_of_two_fields(const Probe& probe) {
  std::string_view rest = text::first_line(probe.head);
  engine::take_word(rest);
  const std::string_view second = engine::take_word(rest);
  return rest.empty() ? second : std::string_view{};
}

bool is_number(std::string_view text) { return text::parse_number(text).fault == text::NumberFault::none; }

/// Whether the file has a name of such tables, or a key and a number with a decimal point in its first line.
bool is_utt2dur(const Probe& probe) {
  const std::string_view name = text::file_name(probe.path), second = second_of_two_fields(probe);
  return name == "utt2dur" || name == "reco2dur" || (second.find('.') != std::string_view::npos && is_number(second));
}

}  // namespace

const Reader kKaldiUtt2dur{
    .name = "kaldi-utt2dur",
    .summary = "Kaldi's utt2dur or reco2dur: key and seconds",
    .example = "103-1240-0000 14.085",
    .recognises = is_utt2dur,
    .read = [](stream::Input& input, RowSink& sink) { read_numbers(input, sink, lengths::LengthUnit::seconds); },
};
const Reader kKaldiUtt2numFrames{
    .name = "kaldi-utt2num-frames",
    .summary = "Kaldi's utt2num_frames: key and frames",
    .example = "103-1240-0000 1407",
    .recognises = [](const Probe& probe) { return text::file_name(probe.path) == "utt2num_frames"; },
    .read = [](stream::Input& input, RowSink& sink) { read_numbers(input, sink, lengths::LengthUnit::frames); },
};
const Reader kKaldiSegments{
    .name = "kaldi-segments",
    .summary = "Kaldi's segments: key, recording, start and end in seconds; end -1 needs reco2dur beside it",
    .example = "u1 r1 0.5 3.25",
    .recognises = [](const Probe& probe) { return text::file_name(probe.path) == "segments"; },
    .read = read_segments,
};
const Reader kKaldiText{
    .name = "kaldi-text",
    .summary = "Kaldi's text: key and words, which are counted",
    .example = "u1 good morning",
    .recognises = [](const Probe& probe) { return text::file_name(probe.path) == "text"; },
    .read =
        [](stream::Input& input, RowSink& sink) {
          sink.set_computed(lengths::LengthUnit::tokens);
          engine::read_keyed_rows(input, sink,
                                  [&](std::uint64_t line, std::string_view words) { sink.add_text(line, words); });
        },
};
const Reader kKeyed{
    .name = "keyed",
    .summary = "key and number, apart by blanks; needs --length-unit",
    .example = "u1 1407",
    .recognises = [](const Probe& probe) { return is_number(second_of_two_fields(probe)); },
    .read = read_keyed,
};

}  // namespace seqpoint::io::manifests::formats
