// Lists of speech and its text for synthesis, fields apart by |, no header, no quotes: LJSpeech's metadata.csv
// (`id|text|normalized text`) and the lists that Tacotron 2 and its kin train from (`wavs/x.wav|text[|speaker]`), or
// VITS (`wavs/x.wav|speaker|text`) and FastPitch (`wavs/x.wav|pitch/x.pt|text`).
// The length is that of the text in characters; a training run may expand numbers and abbreviations first. Coqui TTS's
// lists have a header, audio_file|text|speaker_name (TTS/tts/datasets/formatters.py: coqui).
#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "io/manifests/engine/lines.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/record_sets.hpp"
#include "io/manifests/row_sink.hpp"
#include "io/text/csv.hpp"
#include "io/text/input_head.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

std::vector<std::string_view> split_at_bars(std::string_view text) {
  std::vector<std::string_view> fields;
  for (;;) {
    const auto bar = text.find('|');
    fields.push_back(text.substr(0, bar));
    if (bar == std::string_view::npos) return fields;
    text.remove_prefix(bar + 1);
  }
}

bool names_file(std::string_view field) {
  return field.ends_with(".wav") || field.ends_with(".flac") || field.ends_with(".mp3") || field.ends_with(".ogg");
}

/// UTF-8: every byte that does not continue a character begins one.
std::uint64_t count_characters(std::string_view text) {
  return static_cast<std::uint64_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & '\xc0') != '\x80'; }));
}

/// A file of sound, or of what was made of it: mel spectrograms, attention masks.
bool names_features(std::string_view field) {
  return names_file(field) || field.ends_with(".npy") || field.ends_with(".npz") || field.ends_with(".pt");
}

bool is_header(const std::vector<std::string_view>& fields) {
  return fields.front() == "audio_file" && std::find(fields.begin(), fields.end(), "text") != fields.end();
}

void add_spoken(std::uint64_t line, std::string_view spoken, RowSink& sink) {
  if (names_features(spoken))
    sink.add_corrupt(line, "names a file where the text should be");
  else if (sink.text.has_tokenizer())
    sink.add_text(line, spoken);
  else
    sink.add_counted(line, count_characters(spoken));
}

/// Adds rows below a header by its columns.
void add_coqui_line(std::uint64_t line, const std::vector<std::string_view>& fields,
                    const std::vector<std::string>& columns, RowSink& sink) {
  if (const std::string problem = text::width_problem(fields.size(), columns.size()); !problem.empty())
    return sink.add_corrupt(line, problem);
  add_spoken(line, fields[text::index_of(columns, "text")], sink);
}

/// Whether a list of files has the text in the third field: in the first lines, the second is always one word, a
/// speaker or a file, and the third has sentences, or the second numbers.
bool text_is_third(std::string_view head) {
  bool any = false, numbers = true, sentences = false;
  for (bool first = true; first || head.find('\n') != std::string_view::npos; first = false) {
    const std::vector<std::string_view> fields = split_at_bars(text::trim(stream::take_line(head)));
    if (fields.size() != 3) continue;
    if (!names_features(fields[0]) || fields[1].find(' ') != std::string_view::npos) return false;
    any = true;
    numbers = numbers && text::parse_number(fields[1]).fault == text::NumberFault::none;
    sentences = sentences || fields[2].find(' ') != std::string_view::npos;
  }
  return any && (numbers || sentences);
}

void add_ljspeech_line(std::uint64_t line, const std::vector<std::string_view>& fields, bool third, RowSink& sink) {
  if (fields.size() < 2 || fields.size() > 3)
    return sink.add_corrupt(line, fmt::format("has {} fields apart by |, not 2 or 3", fields.size()));
  // The third column of metadata.csv is the normalized text, that of most lists of files the speaker.
  const bool normalized = fields.size() == 3 && !fields[2].empty() && !names_features(fields[0]);
  add_spoken(line, normalized || third ? fields.back() : fields[1], sink);
}

void read_ljspeech(stream::Input& input, RowSink& sink) {
  sink.set_computed("", lengths::LengthUnit::tokens);
  std::vector<std::string> columns;
  bool first = true;
  const bool third = text_is_third(input.head());
  if (third) sink.note("the third field is counted: in all of the first lines, the second is one word");
  const bool whole = engine::for_each_line(input, [&](std::uint64_t line, std::string_view text) {
    if (text::trim(text).empty()) return;
    const std::vector<std::string_view> fields = split_at_bars(text);
    if (std::exchange(first, false) && is_header(fields))
      columns.assign(fields.begin(), fields.end());
    else
      columns.empty() ? add_ljspeech_line(line, fields, third, sink) : add_coqui_line(line, fields, columns, sink);
  });
  if (!whole) sink.note_unterminated();
}

/// metadata.csv lies beside wavs/, and names no endings; lists of files start where the job runs.
std::vector<std::string> ljspeech_paths(std::string_view record, const std::vector<std::string>&) {
  const std::string_view name = record.substr(0, record.find('|'));
  return {names_features(name) ? std::string(name) : fmt::format("wavs/{}.wav", name)};
}
void walk_ljspeech(stream::Input& input, TextFrame& frame, const RecordCallback& take) {
  bool first = true;
  walk_lines(input, frame, [&](std::string_view record) {
    if (std::exchange(first, false) && is_header(split_at_bars(text::trim(record))))
      frame.prologue = record;
    else
      take(record);
  });
}

bool is_ljspeech(const Probe& probe) {
  const std::string_view line = text::first_line(probe.head);
  const auto bar = line.find('|');
  if (bar == std::string_view::npos || text::trim(line).starts_with('{')) return false;
  return text::file_name(probe.path) == "metadata.csv" || is_header(split_at_bars(line)) ||
         names_features(line.substr(0, bar));
}

}  // namespace

const Reader kLjspeech{
    .name = "ljspeech",
    .summary = "LJSpeech's metadata.csv, wavs/x.wav|text, or Coqui's audio_file|text|...: the characters of the text",
    .example = "LJ001-0001|Chapter 2|Chapter two",
    .recognises = is_ljspeech,
    .read = read_ljspeech,
    .copy_records = copy_text<walk_ljspeech, ljspeech_paths>,
};

}  // namespace seqpoint::io::manifests::formats
