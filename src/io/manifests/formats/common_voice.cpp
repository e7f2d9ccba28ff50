// Common Voice: train.tsv and its like name clips, clip_durations.tsv beside them says how long each is. Tabs, no
// quotes: a " is a character of the sentence.
#include <fmt/core.h>

#include "io/manifests/engine/audio_rows.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/engine/keyed_lines.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/record_sets.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

constexpr std::string_view kPath = "path", kClip = "clip";

/// Where the durations stand in a header: releases write `duration[ms]` or `duration`, both milliseconds.
std::size_t duration_column(const std::vector<std::string>& names) {
  const std::size_t marked = text::index_of(names, "duration[ms]");
  return marked < names.size() ? marked : text::index_of(names, "duration");
}

engine::KeyedNumbers read_durations(const std::string& path, RowSink& sink) {
  stream::Input input = sink.file.files().open(path);
  text::RecordReader records(input, text::kTabs);
  const std::vector<std::string> names = text::read_header(records, path);
  const std::size_t clip = text::index_of(names, kClip), duration = duration_column(names);
  if (clip == names.size() || duration == names.size())
    throw InputError({path, records.line()}, "has no columns 'clip' and 'duration[ms]'",
                     "take the file of the release");
  engine::KeyedNumbers durations;
  while (records.next()) {
    if (const std::string problem = text::width_problem(records.fields().size(), names.size()); !problem.empty())
      throw InputError({path, records.line()}, problem, "take the file of the release");
    durations.add(path, records.line(), records.fields()[clip], records.fields()[duration]);
  }
  sink.add_table(input, kClipDurations.name, durations.size(), names[duration], "ms");
  return durations;
}

void read_probed(text::RecordReader& records, const std::vector<std::string>& names, RowSink& sink) {
  engine::require_probing(sink, std::string(kPath));
  const std::size_t path = text::index_of(names, kPath);
  engine::for_each_row(records, names, sink, [&](std::uint64_t line, const std::vector<std::string_view>& row) {
    engine::add_probed(line, "clips/" + std::string(row[path]), std::string(kPath), sink);
  });
}

void read_joined(text::RecordReader& records, const std::vector<std::string>& names, const std::string& table,
                 RowSink& sink) {
  const engine::KeyedNumbers durations = read_durations(table, sink);
  sink.set_computed(std::string(kPath), lengths::LengthUnit::milliseconds);
  const std::size_t path = text::index_of(names, kPath);
  engine::for_each_row(records, names, sink, [&](std::uint64_t line, const std::vector<std::string_view>& row) {
    if (const double* const duration = durations.find(row[path]))
      sink.add_number(line, *duration);
    else
      sink.add_missing(line, fmt::format("clip '{}' is not in {}", row[path], table), std::string(kPath));
  });
}

void read_common_voice(stream::Input& input, RowSink& sink) {
  text::RecordReader records(input, text::kTabs);
  const std::vector<std::string> names = text::read_header(records, sink.file.path());
  if (text::index_of(names, kPath) == names.size())
    throw InputError({sink.file.path(), records.line(), std::string(kPath)}, "there is no such column");
  const std::string table = stream::joined_path(sink.file.folder(), "clip_durations.tsv");
  if (sink.wants_audio_probed()) return read_probed(records, names, sink);
  if (!sink.file.files().exists(table))
    throw InputError({sink.file.path()}, "names clips but not how long they are, and there is no " + table,
                     "put the release's clip_durations.tsv there, or let --probe-audio read the headers of the clips");
  read_joined(records, names, table, sink);
}

void read_clip_durations(stream::Input& input, RowSink& sink) {
  text::RecordReader records(input, text::kTabs);
  const std::vector<std::string> names = text::read_header(records, sink.file.path());
  const std::size_t clip = text::index_of(names, kClip), duration = duration_column(names);
  if (clip == names.size() || duration == names.size())
    throw InputError({sink.file.path(), records.line()}, "has no columns 'clip' and 'duration[ms]'");
  sink.set_columns(names[duration], "", lengths::LengthUnit::milliseconds);
  engine::for_each_row(records, names, sink, [&](std::uint64_t line, const std::vector<std::string_view>& row) {
    if (sink.add_key(line, row[clip])) sink.add(line, row[duration]);
  });
}

/// The clips, and the table of how long they are.
std::vector<std::string> common_voice_paths(std::string_view record, const std::vector<std::string>& columns) {
  return {"clips/" + field_of(record, text::kTabs.separator, columns, kPath), "clip_durations.tsv"};
}

bool is_common_voice(const Probe& probe) {
  const std::vector<std::string> names = text::header_fields(probe.head, text::kTabs);
  return probe.length_field.empty() && !names.empty() && names.front() == "client_id" &&
         text::index_of(names, kPath) < names.size();
}

bool is_clip_durations(const Probe& probe) {
  const std::vector<std::string> names = text::header_fields(probe.head, text::kTabs);
  return probe.length_field.empty() && !names.empty() && names.front() == kClip &&
         duration_column(names) < names.size();
}

}  // namespace

const Reader kCommonVoice{
    .name = "common-voice",
    .summary = "Common Voice's train.tsv and its like, with clip_durations.tsv beside it",
    .example = "client_id<TAB>path<TAB>sentence\\n0a1b<TAB>common_voice_en_1.mp3<TAB>Good morning.",
    .recognises = is_common_voice,
    .read = read_common_voice,
    .copy_records = copy_text<walk_tsv, common_voice_paths>,
};
const Reader kClipDurations{
    .name = "common-voice-durations",
    .summary = "Common Voice's clip_durations.tsv, alone: every clip of a release",
    .example = "clip<TAB>duration[ms]\\ncommon_voice_en_1.mp3<TAB>4536",
    .recognises = is_clip_durations,
    .read = read_clip_durations,
};

}  // namespace seqpoint::io::manifests::formats
