// Lhotse's manifests: cuts, recordings, supervisions and features, one record a line, or all in one array as older
// versions wrote them. Which is which is told by the keys (lhotse/serialization.py: deserialize_item).
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "formats.hpp"
#include "io/json/first_record.hpp"
#include "json_fields.hpp"
#include "json_records.hpp"
#include "records.hpp"

namespace seqpoint {
namespace {

namespace json = io::json;

constexpr std::array<std::string_view, 5> kPlainCuts{"MonoCut", "MultiCut", "PaddingCut", "Cut", "DataCut"};

/// As Python's round(x, 8): MixedCut.duration is rounded so.
double round8(double value) {
  std::array<char, 400> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 8);
  std::from_chars(text.data(), written.ptr, value);
  return value;
}

/// One track of a mix: what it adds to the mix's duration.
struct Track {
  std::optional<double> offset, duration;  ///< seconds; nothing: not stated as a number
  bool muted = false;
};

std::optional<double> number_of(json::Value value) {
  const Number number = parse_number(value.token());
  return number.fault == NumberFault::none ? std::optional(number.value) : std::nullopt;
}

Track track_of(json::Value object) {
  Track track{.offset = 0, .duration = {}};  // where none is written
  object.for_each_member([&](json::Key key, json::Value value) {
    if (key == "offset") track.offset = number_of(value);
    if (key == "mute") track.muted = value.token().starts_with("true");
    if (key != "cut") return;
    value.for_each_member([&](json::Key inner_key, json::Value inner) {
      if (inner_key == "duration") track.duration = number_of(inner);
    });
  });
  return track;
}

/// The longest reach of the tracks that are heard, or of all where every one is muted (lhotse/cut/mixed.py:
/// _get_audible_tracks, MixedCut.duration).
class Mix {
 public:
  void clear() { *this = {}; }
  void add(const Track& track) {
    const bool known = track.offset && track.duration;
    faulty_ = faulty_ || !known;
    if (!known) return;
    const double end = *track.offset + *track.duration;
    all_ = std::max(all_.value_or(end), end);
    if (!track.muted) audible_ = std::max(audible_.value_or(end), end);
  }
  /// Seconds; nothing where there is no track, or one without a duration.
  std::optional<double> duration() const {
    if (faulty_ || !all_) return std::nullopt;
    return round8(audible_.value_or(*all_));
  }

 private:
  std::optional<double> all_, audible_;
  bool faulty_ = false;
};

class CutRecord : public JsonRecord {
 public:
  void walk(json::Value record) override {
    type_.clear();
    duration_ = {};
    mix_.clear();
    record.for_each_member([&](json::Key key, json::Value value) {
      if (key == "type") type_ = value.take_text();
      if (key == "duration") duration_ = trim(value.token());
      if (key == "tracks") value.for_each_element([&](json::Value track) { mix_.add(track_of(track)); });
      if (key == "snr_reference" && value.is_object()) add_reference(value);  // else null
    });
  }

  void store(std::uint64_t line, RowSink& rows) const override {
    if (std::find(kPlainCuts.begin(), kPlainCuts.end(), type_) != kPlainCuts.end()) return rows.add(line, duration_);
    if (type_ != "MixedCut") return rows.corrupt(line, "\"" + type_ + "\" is no kind of cut", "type");
    if (const auto duration = mix_.duration())
      rows.add_number(line, *duration);
    else
      rows.add(line, {});  // missing
  }

 private:
  /// A track that only sets the level.
  void add_reference(json::Value value) {
    Track track = track_of(value);
    track.muted = true;
    mix_.add(track);
  }

  std::string type_;
  std::string_view duration_;  ///< as text
  Mix mix_;
};

void read_cuts(Input& input, RowSink& sink) {
  if (!sink.asked_field().empty()) return read_json_field(input, sink, "");
  sink.set_columns("duration");
  read_json_records(input, sink, [] { return std::make_unique<CutRecord>(); });
}

void read_durations(Input& input, RowSink& sink) { read_json_field(input, sink, "duration"); }
void read_features(Input& input, RowSink& sink) { read_json_field(input, sink, "num_frames"); }

bool is_cuts(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  const std::string_view type = record.value("type");
  const bool cut = type.ends_with("Cut\"") && record.has("id");
  // Its type may stand behind the end of the head.
  return cut || (record.has("supervisions") && record.has("start") && record.has("duration"));
}
bool is_recordings(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  return record.has_array("sources") && record.has("sampling_rate") && record.has("duration");
}
bool is_features(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  return record.has("num_features") && record.has("num_frames") && record.has("storage_type");
}
bool is_supervisions(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  return record.has("recording_id") && record.has("start") && record.has("duration") && !record.has("type");
}

}  // namespace

const Reader kLhotseCuts{"lhotse-cuts",
                         "Lhotse cuts, as JSON lines or one array: duration (seconds), of a MixedCut that of the mix",
                         R"({"id": "c1", "start": 1.0, "duration": 7.5, "supervisions": [], "type": "MonoCut"})",
                         is_cuts,
                         read_cuts,
                         take_json};
const Reader kLhotseRecordings{
    "lhotse-recordings",
    "Lhotse recordings: duration (seconds)",
    R"({"id": "r1", "sources": [], "sampling_rate": 16000, "num_samples": 67200, "duration": 4.2})",
    is_recordings,
    read_durations,
    take_json};
const Reader kLhotseSupervisions{
    "lhotse-supervisions",
    "Lhotse supervisions: duration (seconds)",
    R"({"id": "s1", "recording_id": "r1", "start": 0.5, "duration": 3.1, "text": "hello"})",
    is_supervisions,
    read_durations,
    take_json};
const Reader kLhotseFeatures{
    "lhotse-features",
    "Lhotse features: num_frames",
    R"({"type": "fbank", "num_frames": 420, "num_features": 80, "storage_type": "lilcom_chunky"})",
    is_features,
    read_features,
    take_json};

}  // namespace seqpoint
