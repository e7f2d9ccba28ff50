// Lhotse's cuts, one record per line, or all in one array like in older versions, recognised by their keys
// (lhotse/serialization.py: deserialize_item). Its recordings, supervisions and features are records with usual keys.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

#include "io/json/json_scan.hpp"
#include "io/manifests/engine/json_records.hpp"
#include "io/manifests/formats/formats.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

namespace json = io::json;

constexpr std::array<std::string_view, 5> kPlainCuts{"MonoCut", "MultiCut", "PaddingCut", "Cut", "DataCut"};

/// `value` rounded to 8 decimals like Python's round(x, 8): MixedCut.duration is rounded so.
double round8(double value) {
  std::array<char, 400> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 8);
  std::from_chars(text.data(), written.ptr, value);
  return value;
}

/// One track of a mix, with its part in the mix's duration.
struct Track {
  std::optional<double> offset, duration;  ///< seconds; nothing: not stated as a number
  bool muted = false;
};

/// The value if it is a number; else nothing.
std::optional<double> number_of(json::Value value) {
  const text::Number number = text::parse_number(value.token());
  return number.fault == text::NumberFault::none ? std::optional(number.value) : std::nullopt;
}

/// The offset (0 if missing), mute and cut.duration of a track.
Track track_of(json::Value object) {
  Track track{.offset = 0, .duration = {}};  // the defaults
  static const json::KeySet kKeys{"offset", "mute", "cut"};
  static const json::KeySet kCutKeys{"duration"};
  object.for_each_member(kKeys, [&](std::size_t which, json::Value value) {
    if (which == 0) track.offset = number_of(value);
    if (which == 1) track.muted = value.token().starts_with("true");
    if (which == 2)
      value.for_each_member(kCutKeys, [&](std::size_t, json::Value duration) { track.duration = number_of(duration); });
  });
  return track;
}

/// The latest end of the audible tracks, or of all if every one is muted (lhotse/cut/mixed.py: _get_audible_tracks,
/// MixedCut.duration).
class Mix {
 public:
  void clear() { *this = {}; }
  /// Adds a track. After one without offset or duration the mix has no duration.
  void add(const Track& track) {
    const bool known = track.offset && track.duration;
    faulty_ = faulty_ || !known;
    if (!known) return;
    const double end = *track.offset + *track.duration;
    all_ = std::max(all_.value_or(end), end);
    if (!track.muted) audible_ = std::max(audible_.value_or(end), end);
  }
  /// Seconds; nothing if there is no track, or one without a duration.
  std::optional<double> duration() const {
    if (faulty_ || !all_) return std::nullopt;
    return round8(audible_.value_or(*all_));
  }

 private:
  std::optional<double> all_, audible_;
  bool faulty_ = false;
};

class CutRecord : public engine::JsonRecord {
 public:
  void walk(json::Value record) override {
    clear_values();
    static const json::KeySet kKeys{"type", "duration", "tracks", "snr_reference"};  // in the order of Key
    record.for_each_member(kKeys, [&](std::size_t which, json::Value value) {
      if (which == kType) {
        is_plain_ = is_plain_ && raw_type_.empty();
        raw_type_ = text::trim(value.token());
        type_ = value.take_text();
      }
      if (which == kDuration) {
        const std::string_view token = text::trim(value.token());
        is_plain_ = is_plain_ && duration_.empty() && !token.starts_with('[') && !token.starts_with('{');
        duration_ = token;
      }
      if (which == kTracks) {
        is_plain_ = false;
        value.for_each_element([&](json::Value track) { mix_.add(track_of(track)); });
      }
      if (which == kSnrReference && value.is_object()) add_reference(value);  // else null
    });
  }

  /// Lists type and duration. False for mixes, and for a repeated key.
  bool list_values(std::vector<json::WantedValue>& values) const override {
    if (!is_plain_) return false;
    if (!raw_type_.empty()) values.emplace_back(kType, raw_type_);
    if (!duration_.empty()) values.emplace_back(kDuration, duration_);
    return true;
  }
  void clear_values() override {
    type_ = raw_type_ = duration_ = {};
    mix_.clear();
    is_plain_ = true;
  }
  void set_values(std::span<const json::WantedValue> values) override {
    for (const json::WantedValue& value : values)
      if (value.id() == kType)
        type_ = value.text();
      else
        duration_ = value.raw();
  }

  /// Adds a row with the cut's duration, for a MixedCut that of the mix. A missing duration is a missing length, an
  /// unknown type is corrupt.
  void store(std::uint64_t line, RowSink& rows) const override {
    if (std::find(kPlainCuts.begin(), kPlainCuts.end(), type_) != kPlainCuts.end()) return rows.add(line, duration_);
    if (type_ != "MixedCut") return rows.add_corrupt(line, fmt::format("\"{}\" is no kind of cut", type_), "type");
    if (const auto duration = mix_.duration())
      rows.add_number(line, *duration);
    else
      rows.add(line, {});  // missing
  }

 private:
  enum Key : std::size_t { kType, kDuration, kTracks, kSnrReference };

  /// Adds a track that only sets the level: it counts as muted.
  void add_reference(json::Value value) {
    is_plain_ = false;
    Track track = track_of(value);
    track.muted = true;
    mix_.add(track);
  }

  std::string_view type_, raw_type_;  ///< characters; as written, with quotes. Empty: there is none
  std::string_view duration_;         ///< as written; empty: there is none
  Mix mix_;
  bool is_plain_ = true;  ///< the cut has only type and duration, each at most once
};

/// Reads the durations of cuts, or the field that the user names.
void read_cuts(stream::Input& input, RowSink& sink) {
  if (!sink.file.requested_field().empty()) return engine::read_json_field(input, sink, "");
  sink.set_columns("duration");
  engine::read_json_records(input, sink, [] { return std::make_unique<CutRecord>(); });
}

/// Whether the first record has an id and a type that ends in "Cut", or supervisions, start and duration.
bool is_cuts(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  const std::string_view type = record.value("type");
  const bool cut = type.ends_with("Cut\"") && record.has("id");
  // Its type may come after the end of the head.
  return cut || (record.has("supervisions") && record.has("start") && record.has("duration"));
}
}  // namespace

const Reader kLhotseCuts{
    .name = "lhotse-cuts",
    .summary = "Lhotse cuts, as JSON lines or one array: duration (seconds), of a MixedCut that of the mix",
    .example = R"({"id": "c1", "start": 1.0, "duration": 7.5, "supervisions": [], "type": "MonoCut"})",
    .recognises = is_cuts,
    .read = read_cuts,
};

}  // namespace seqpoint::io::manifests::formats
