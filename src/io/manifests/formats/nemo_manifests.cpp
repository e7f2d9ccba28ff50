// NeMo's manifests: JSON lines. Its own reader is collections/common/parts/preprocessing/manifest.py, the one for
// Lhotse is collections/common/data/lhotse/nemo_adapters.py.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/json/json_scan.hpp"
#include "io/manifests/engine/json_records.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

enum class Loader { own, lhotse };

/// A key, and its value in the current record.
struct NemoField {
  std::string_view key;
  bool present = false;
  bool duplicated = false;
  std::string_view raw = {};   ///< the value as written; for an object or array only the opening bracket
  bool is_empty = false;       ///< an empty object or array
  std::string_view text = {};  ///< a string's characters; valid until the next object is read

  /// Stores the value of a member with the key. A second value replaces the first and sets `duplicated`.
  void set(io::json::Value value) {
    duplicated = present;
    present = true;
    raw = text::trim(value.token());
    is_empty = is_bracket() && value.is_empty();
    if (is_text()) text = value.take_text();
  }
  bool is_null() const { return raw.starts_with('n') && raw == "null"; }
  bool is_text() const { return raw.starts_with('"'); }
  bool is_bracket() const { return raw.starts_with('[') || raw.starts_with('{'); }
  /// The value's truth in Python: false for null, false, 0 and anything empty; also false if the value is missing.
  bool is_truthy() const {
    if (!present || is_null() || raw == "false") return false;
    if (is_bracket()) return !is_empty;
    if (is_text()) return !text.empty();
    const text::Number number = text::parse_number(raw);
    return number.fault != text::NumberFault::none || number.value != 0;
  }
  /// The value as written, to be parsed as a number; empty if it is missing, or null.
  std::string_view number_text() const { return is_null() ? std::string_view{} : raw; }
};

/// A record is a row if each of its keys occurs at most once.
class NemoRecord : public engine::JsonRecord {
 public:
  /// `target`: key of the target side, which outlives the record; empty if there is none.
  NemoRecord(Loader loader, std::string_view target) : loader_(loader), target_(target) {
    if (!target.empty()) fields_.push_back({target});
    for (const NemoField& field : fields_) keys_.add(field.key);
  }

  void walk(io::json::Value record) override {
    clear_values();
    record.for_each_member(keys_, [&](std::size_t which, io::json::Value value) { fields_[which].set(value); });
    const auto duplicated = std::ranges::find(fields_, true, &NemoField::duplicated);
    duplicated_ = duplicated == fields_.end() ? nullptr : &*duplicated;
  }
  bool list_values(std::vector<io::json::WantedValue>& values) const override {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (duplicated_ != nullptr || fields_[i].is_bracket()) return false;
      if (fields_[i].present) values.emplace_back(i, fields_[i].raw);
    }
    return true;
  }
  void clear_values() override {
    for (NemoField& field : fields_) field = {field.key};
    duplicated_ = nullptr;
  }
  void set_values(std::span<const io::json::WantedValue> values) override {
    for (const io::json::WantedValue& value : values) {
      NemoField& field = fields_[value.id()];
      field.present = true;
      field.raw = value.raw();
      if (value.is_text()) field.text = value.text();
    }
  }

  /// Adds a row with the duration. A record that names no audio is corrupt. A row with a true `_skipme` is marked for
  /// the Lhotse loader; for NeMo's own it is only counted.
  void store(std::uint64_t line, RowSink& rows) const override {
    if (duplicated_ != nullptr)
      return rows.add_corrupt(line, "the key is there more than once", std::string(duplicated_->key));
    if (!names_audio())
      return rows.add_corrupt(line, "names no audio: none of audio_filepath, audio_filename, context, video_filepath");
    if (fields_[kSkip].is_truthy()) {
      if (loader_ == Loader::lhotse) return rows.add_marked();
      ++rows.counts.marked;
    }
    rows.counts.sharded += fields_[kShard].present ? 1 : 0;
    add_duration(line, fields_[own_duration() ? kDuration : kContextDuration].number_text(), rows);
  }

 private:
  /// As in fields_.
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
  bool own_duration() const { return fields_[kDuration].present || loader_ == Loader::lhotse; }

  /// Whether the record has any key of an audio or video file, or `context`.
  bool names_audio() const {
    return std::any_of(fields_.begin() + kFilename, fields_.begin() + kOffset,
                       [](const NemoField& field) { return field.present; });
  }

  /// Adds a row: the duration, and the target side's length if there is one.
  void add_duration(std::uint64_t line, std::string_view duration, RowSink& rows) const {
    if (target_.empty()) return rows.add(line, duration);
    rows.add(line, duration, std::ranges::find(fields_, target_, &NemoField::key)->number_text());
  }

  Loader loader_;
  std::string_view target_;
  /// In the order of Index, then the target. If two fields have the same key only the first is filled.
  std::vector<NemoField> fields_{{"duration"}, {"context_duration"}, {"audio_filename"}, {"audio_filepath"},
                                 {"context"},  {"video_filename"},   {"video_filepath"}, {"offset"},
                                 {"_skipme"},  {"shard_id"}};
  io::json::KeySet keys_;                  ///< keys of fields_
  const NemoField* duplicated_ = nullptr;  ///< the first whose key occurs more than once; null: none
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
