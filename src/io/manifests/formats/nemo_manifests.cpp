// NeMo's manifests: JSON lines. Its own reader is collections/common/parts/preprocessing/manifest.py, the one for
// Lhotse is collections/common/data/lhotse/nemo_adapters.py.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/json/first_record.hpp"
#include "io/manifests/engine/flat_json_record.hpp"
#include "io/manifests/formats/formats.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

enum class Loader { own, lhotse };

/// The keys to read, in the order of NemoRecord::Index; `target`: key of the target side, empty if there is none.
std::vector<engine::JsonField> keys_with(std::string_view target) {
  std::vector<engine::JsonField> keys{{"duration"}, {"context_duration"}, {"audio_filename"}, {"audio_filepath"},
                                      {"context"},  {"video_filename"},   {"video_filepath"}, {"offset"},
                                      {"_skipme"},  {"shard_id"}};
  if (!target.empty()) keys.push_back({target});
  return keys;
}

class NemoRecord : public engine::FlatJsonRecord {
 public:
  NemoRecord(Loader loader, std::string_view target)
      : engine::FlatJsonRecord(keys_with(target)), loader_(loader), target_(target) {}

 protected:
  /// Adds a row with the duration. A record that names no audio is corrupt. A row with a true `_skipme` is marked for
  /// the Lhotse loader; for NeMo's own it is only counted.
  void add_row(std::uint64_t line, RowSink& rows) const override {
    if (!names_audio())
      return rows.add_corrupt(line, "names no audio: none of audio_filepath, audio_filename, context, video_filepath");
    if (field(kSkip).is_truthy()) {
      if (loader_ == Loader::lhotse) return rows.add_marked();
      ++rows.counts.marked;
    }
    rows.counts.sharded += field(kShard).present ? 1 : 0;
    const engine::JsonField& duration = field(own_duration() ? kDuration : kContextDuration);
    add_duration(line, duration.number_text(), rows);
  }

 private:
  /// As in keys_with().
  enum Index : std::size_t {
    kDuration,
    kContextDuration,
    kFilename,
    kFilepath,
    kContext,
    kVideoFilename,
    kVideoFilepath,
    kOffset,
    kSkip,
    kShard
  };

  /// Whether `duration` is the length. Else it is `context_duration`, to which only NeMo's own loader falls back.
  bool own_duration() const { return field(kDuration).present || loader_ == Loader::lhotse; }

  /// Whether the record has any key of an audio or video file, or `context`.
  bool names_audio() const {
    return std::any_of(fields().begin() + kFilename, fields().begin() + kOffset,
                       [](const engine::JsonField& f) { return f.present; });
  }

  /// Adds a row: the duration, and the target side's length if there is one.
  void add_duration(std::uint64_t line, std::string_view duration, RowSink& rows) const {
    if (target_.empty()) return rows.add(line, duration);
    const engine::JsonField& target =
        *std::find_if(fields().begin(), fields().end(), [&](const engine::JsonField& f) { return f.key == target_; });
    rows.add(line, duration, target.number_text());
  }

  Loader loader_;
  std::string_view target_;  ///< key of the target side; empty: there is none
};

/// Adds notes about rows marked _skipme that are used, and about tarred sets.
void note_remarks(RowSink& sink) {
  if (sink.counts.marked > 0)
    sink.note(fmt::format(
        "rows marked _skipme: {}; NeMo's own loader trains on them, its Lhotse loader does not (--format nemo-lhotse)",
        sink.counts.marked));
  if (sink.counts.sharded > 0)
    sink.note("is a tarred set: training follows each tar file's order; record it: `seqpoint_companion order`");
}

void read(stream::Input& input, RowSink& sink, Loader loader) {
  const std::string target = sink.file.requested_target_field();
  sink.set_columns("duration", target, lengths::LengthUnit::seconds);
  engine::read_json_records(input, sink, [&] { return std::make_unique<NemoRecord>(loader, target); });
  note_remarks(sink);
}

void read_nemo(stream::Input& input, RowSink& sink) { read(input, sink, Loader::own); }
void read_nemo_lhotse(stream::Input& input, RowSink& sink) { read(input, sink, Loader::lhotse); }

/// Whether the first record, of JSON lines, has a path of audio and a duration, and the user names no other field.
bool is_nemo(const Probe& probe) {
  const io::json::FirstRecord record(probe.head);
  return !io::json::is_array(probe.head) && (probe.length_field.empty() || probe.length_field == "duration") &&
         (record.has("audio_filepath") || record.has("audio_filename")) &&
         (record.has("duration") || record.has("context_duration"));
}
/// The files of both loaders look the same; only the user knows which one reads them.
bool is_nemo_lhotse(const Probe&) { return false; }

}  // namespace

const Reader kNemo{
    .name = "nemo",
    .summary = "NeMo manifest: JSON lines with audio_filepath and duration (seconds)",
    .example = R"({"audio_filepath": "u1.wav", "duration": 3.42, "text": "good morning"})",
    .recognises = is_nemo,
    .read = read_nemo,
};
const Reader kNemoLhotse{
    .name = "nemo-lhotse",
    .summary = "the same as NeMo's Lhotse loader reads it: without rows marked _skipme; never guessed",
    .example = R"({"audio_filepath": "u1.wav", "duration": 3.42, "text": "good morning"})",
    .recognises = is_nemo_lhotse,
    .read = read_nemo_lhotse,
};

}  // namespace seqpoint::io::manifests::formats
