// NeMo's manifests: JSON lines. Its own reader is collections/common/parts/preprocessing/manifest.py, the one for Lhotse is
// collections/common/data/lhotse/nemo_adapters.py.
#include <algorithm>
#include <array>

#include "../numbers.hpp"
#include "audio_rows.hpp"
#include "formats.hpp"
#include "json_fields.hpp"
#include "json_rows.hpp"

namespace seqpoint {
namespace {

enum class Loader { own, lhotse };

class NemoRecord {
 public:
  NemoRecord(Loader loader, const std::string& target) : loader_(loader), target_(target) { fields_[kTarget].key = target_; }

  template <class Document>
  simdjson::error_code find(Document& document) {
    return read_document(document, fields());
  }

  void add(std::uint64_t line, RowSink& rows) {
    if (!all_once(fields(), line, rows)) return;
    if (!names_audio())
      return rows.corrupt(line, "names no audio: none of audio_filepath, audio_filename, context, video_filepath");
    if (field(kSkip).is_true()) {
      if (loader_ == Loader::lhotse) return rows.add_marked();
      ++rows.remarks.marked;
    }
    rows.remarks.sharded += field(kShard).present ? 1 : 0;
    const JsonField& duration = field(own_duration() ? kDuration : kContextDuration);
    if (duration.number().empty() && rows.probes_audio()) return add_probed(line, rows);
    add(line, duration.number(), rows);
  }

 private:
  enum Index : std::size_t { kDuration, kContextDuration, kFilename, kFilepath, kContext, kVideoFilename, kVideoFilepath, kOffset,
                             kSkip, kShard, kTarget, kCount };

  std::span<JsonField> fields() { return std::span(fields_).first(target_.empty() ? kTarget : kCount); }
  JsonField& field(Index index) { return fields_[index]; }

  bool own_duration() { return field(kDuration).present || loader_ == Loader::lhotse; }

  bool names_audio() {
    return std::any_of(fields_.begin() + kFilename, fields_.begin() + kOffset, [](const JsonField& f) { return f.present; });
  }

  /// The first of the keys that NeMo looks at, in its order.
  std::string_view audio_path() {
    for (const Index index : {kFilename, kFilepath, kContext})
      if (field(index).present) return field(index).text;
    return {};
  }

  /// Without a duration NeMo loads the file from its offset to the end.
  void add_probed(std::uint64_t line, RowSink& rows) {
    const auto header = probe_audio(line, std::string(audio_path()), "duration", rows);
    if (!header) return;
    const Number offset = parse_number(field(kOffset).number());
    probed_ = shortest(header->seconds() - (offset.fault == NumberFault::none ? offset.value : 0.0));
    add(line, probed_, rows);
  }

  void add(std::uint64_t line, std::string_view duration, RowSink& rows) {
    if (target_.empty())
      rows.add(line, duration);
    else
      rows.add(line, duration, target_value(rows));
  }

  std::string_view target_value(RowSink& rows) {
    const JsonField& target = *std::find_if(fields_.begin(), fields_.end(), [&](const JsonField& f) { return f.key == target_; });
    if (!target.is_text() || !rows.has_tokenizer()) return target.number();
    tokens_ = std::to_string(rows.count_tokens(target.text, true));
    return tokens_;
  }

  Loader loader_;
  std::string target_;  ///< key of the target side; empty: there is none
  std::string tokens_, probed_;
  std::array<JsonField, kCount> fields_{{{"duration"}, {"context_duration"}, {"audio_filename"}, {"audio_filepath"}, {"context"},
                                         {"video_filename"}, {"video_filepath"}, {"offset"}, {"_skipme"}, {"shard_id"}, {}}};
};

void note_remarks(RowSink& sink) {
  note_other_rates(sink);
  if (sink.remarks.marked > 0)
    sink.note("rows marked _skipme: " + std::to_string(sink.remarks.marked) + "; NeMo's own loader trains on them, its Lhotse loader "
              "does not (--format nemo-lhotse)");
  if (sink.remarks.sharded > 0)
    sink.note("is a tarred set: within a shard, training follows the order of the tar file, not that of the manifest");
}

void read(Input& input, RowSink& sink, Loader loader) {
  const std::string target = sink.asked_target_field();
  sink.set_columns("duration", target, LengthUnit::seconds);
  sink.probes_audio();  // there may be rows without a duration
  read_json_lines<NemoRecord>(input, sink, loader, target);
  note_remarks(sink);
}

void read_nemo(Input& input, RowSink& sink) { read(input, sink, Loader::own); }
void read_nemo_lhotse(Input& input, RowSink& sink) { read(input, sink, Loader::lhotse); }

bool is_nemo(const Probe& probe) {
  const std::string_view line = first_line(probe.head);
  const auto has = [&](std::string_view key) { return line.find(key) != std::string_view::npos; };
  return trim(line).starts_with('{') && (probe.length_field.empty() || probe.length_field == "duration") &&
         (has("\"audio_filepath\"") || has("\"audio_filename\"")) && (has("\"duration\"") || has("\"context_duration\""));
}
/// Its files look the same; only the user knows which loader reads them.
bool is_nemo_lhotse(const Probe&) { return false; }

}  // namespace

const Reader kNemo{"nemo", "NeMo manifest: JSON lines with audio_filepath and duration (seconds)",
                   R"({"audio_filepath": "u1.wav", "duration": 3.42, "text": "good morning"})", is_nemo, read_nemo};
const Reader kNemoLhotse{"nemo-lhotse", "the same as NeMo's Lhotse loader reads it: without rows marked _skipme; never guessed",
                         R"({"audio_filepath": "u1.wav", "duration": 3.42, "text": "good morning"})", is_nemo_lhotse,
                         read_nemo_lhotse};

}  // namespace seqpoint
