#include "io/manifests/containers/webdataset_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "io/manifests/audio_header.hpp"
#include "io/manifests/engine/columns.hpp"

namespace seqpoint::io::manifests::containers {
namespace {

namespace json = io::json;

constexpr std::array<std::string_view, 6> kAudio{"wav", "flac", "ogg", "opus", "mp3", "aiff"};
constexpr auto kFieldHint = "name what holds the length with --length-field: json.KEY, or txt for text";
constexpr auto kAudioHint = "; --probe-audio takes it from the header of .wav, .flac and the like";

bool is_audio(std::string_view kind) { return std::ranges::find(kAudio, kind) != kAudio.end(); }

/// Names like __key__ at the top are the writer's own.
bool is_meta(std::string_view name) {
  const std::string_view top = name.substr(0, name.find('/'));
  return top.size() >= 4 && top.starts_with("__") && top.ends_with("__");
}

}  // namespace

MemberName cut_name(std::string_view name) {
  const std::size_t file = name.rfind('/') + 1;  // npos + 1 is 0
  const std::size_t dot = name.find('.', file);
  if (dot == std::string_view::npos || dot == 0) return {};
  if (dot == file) {  // a hidden file: its folder is the key, unless there is a dot in that as well
    const std::size_t folder = file < 2 ? 0 : name.rfind('/', file - 2) + 1;
    if (name.substr(folder, file - folder).find('.') != std::string_view::npos) return {};
  }
  std::string kind(name.substr(dot + 1));
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return {name.substr(0, dot), std::move(kind)};
}

ShardRows::ShardRows(stream::Input& input, RowSink& sink)
    : sink_(sink), source_(input.name()), in_(input, "a tar archive"), asked_(sink.file.requested_field()) {
  probes_ = (asked_.empty() || is_audio(asked_)) && sink.wants_audio_probed();
  if (probes_ && asked_.empty()) sink.set_computed("audio", lengths::LengthUnit::seconds);
  if (!asked_.empty()) set_column(asked_);
  if (asked_.empty() && !probes_) field_ = sink.src().name();
}

std::uint64_t ShardRows::read() {
  TarReader tar(in_);
  while (tar.next()) {
    if (is_meta(tar.name())) continue;
    const MemberName name = cut_name(tar.name());
    if (name.key.empty()) continue;
    if (kinds_.empty() || name.key != key_) begin_sample(name.key);
    if (std::ranges::find(kinds_, name.kind) != kinds_.end())
      throw InputError({source_}, fmt::format("has {} twice in one sample, which WebDataset refuses", tar.name()),
                       "check how it was made");
    kinds_.push_back(name.kind);
    if (is_wanted(name.kind)) take(tar, name.kind);
  }
  end_sample();
  if (samples_ == 0) throw InputError({source_}, "holds no samples: no file with a dot in its name", kFieldHint);
  return samples_;
}

void ShardRows::begin_sample(std::string_view key) {
  end_sample();
  key_ = key;
  kinds_.clear();
  has_length_ = false;
  ++samples_;
}

void ShardRows::end_sample() {
  if (kinds_.empty() || has_length_) return;
  std::string kinds;
  for (const std::string& kind : kinds_) kinds += (kinds.empty() ? "." : ", .") + kind;
  if (asked_.empty() && !probes_ && field_.empty())
    throw InputError({source_}, fmt::format("its first sample, {}, states no length: it has {}", key_, kinds),
                     std::string(kFieldHint) + kAudioHint);
  const std::string wanted = probes_ && asked_.empty() ? "audio" : sink_.src().name();
  sink_.add_missing(0, fmt::format("sample {} has no {}, but {}", key_, wanted, kinds), wanted);
}

bool ShardRows::is_wanted(const std::string& kind) const {
  if (asked_.empty()) return probes_ ? is_audio(kind) : kind == "json";
  return kind == asked_ || (asked_.starts_with(kind + ".") && kind.ends_with("json"));
}

void ShardRows::take(TarReader& tar, const std::string& kind) {
  const std::string member = fmt::format("{}: {}", source_, tar.name());
  const bool is_json = kind.ends_with("json") && kind != asked_;
  if (has_length_) throw InputError({member}, "is a second file of the sample that has a length", kFieldHint);
  has_length_ = true;
  if (is_json) return take_json(json::parse_document(member, tar.take_bytes(), "check how it was made"), kind);
  if (is_audio(kind)) return take_audio(member, tar.take_bytes());
  if (kind == "txt" || kind == "text") return sink_.add_text(0, tar.take_bytes());
  throw InputError({member}, fmt::format("is of a kind whose length is not known here: .{}", kind), kFieldHint);
}

void ShardRows::take_audio(const std::string& member, const std::string& bytes) {
  if (!probes_) throw InputError({member}, "is audio", "--probe-audio takes its length from its header");
  try {
    const stream::AudioHeader header = read_audio_header(member, bytes);
    if (header.rate != sink_.file.options().frames.sample_rate && sink_.counts.other_rates++ == 0)
      sink_.counts.other_rate = header.rate;
    sink_.add_number(0, header.seconds());
  } catch (const InputError& error) {
    sink_.add_missing(0, fmt::format("{}: {}", member, error.problems().front().text), sink_.src().name());
  }
}

void ShardRows::take_json(const json::Json& record, const std::string& kind) {
  if (field_.empty()) choose_key(record, kind);
  const json::Json* value = &record;
  for (std::string_view rest = std::string_view(field_).substr(kind.size() + 1); !rest.empty();) {
    const auto whole = value->find(std::string(rest));
    const std::string_view part = whole != value->end() ? rest : rest.substr(0, rest.find('.'));
    const auto found = value->find(std::string(part));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (found == value->end() || (!rest.empty() && !found->is_object()))
      return sink_.add_missing(0, fmt::format("sample {} has no such key", key_), field_);
    value = &*found;
  }
  add_value(*value);
}

void ShardRows::add_value(const json::Json& value) {
  if (value.is_number()) return sink_.add_number(0, value.get<double>());
  if (value.is_string() && sink_.text.has_tokenizer()) return sink_.add_text(0, value.get<std::string>());
  if (value.is_string()) return sink_.add(0, value.get<std::string>());
  if (!value.is_array()) return sink_.add_missing(0, fmt::format("sample {} has no length there", key_), field_);
  if (std::ranges::any_of(value, [](const json::Json& element) { return element.is_object(); }))
    throw InputError({source_, 0, field_}, "is a list of objects, whose number is no length",
                     "write how many tokens a sample has into a key of its own");
  sink_.add_number(0, static_cast<double>(value.size()));
}

/// The first of the usual names in the first sample's JSON.
void ShardRows::choose_key(const json::Json& record, const std::string& kind) {
  std::vector<std::string> keys, lengths;
  for (const auto& [key, value] : record.items()) {
    keys.push_back(key);
    if (value.is_number() || value.is_array()) lengths.push_back(key);
  }
  const std::string usual = engine::usual_length_column(lengths);
  if (usual.empty())
    throw InputError(
        {source_},
        fmt::format("none of the keys of its first .json is known to hold lengths: {}", fmt::join(keys, ", ")),
        std::string(kFieldHint) + kAudioHint);
  engine::note_left_out(lengths, usual, sink_);
  set_column(fmt::format("{}.{}", kind, usual));
}

void ShardRows::set_column(const std::string& field) {
  field_ = field;
  if (is_audio(field)) return sink_.set_computed(field, lengths::LengthUnit::seconds);
  const bool text = field == "txt" || field == "text";
  sink_.set_columns(field, "", text ? lengths::LengthUnit::tokens : lengths::unit_of_column(field));
}

}  // namespace seqpoint::io::manifests::containers
