// SpeechBrain's JSON (speechbrain/dataio/dataset.py: DynamicItemDataset.from_json): one object, a member a sample,
// whose value is an object. Its recipes write seconds as `length` or `duration` beside the paths of the audio.
#include <fmt/core.h>

#include <algorithm>

#include "io/json/json_scan.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/engine/json_records.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

namespace json = io::json;

constexpr std::array<std::string_view, 2> kSeconds{"duration", "length"};

bool has_key(const std::vector<json::Member>& members, std::string_view key) {
  return std::ranges::find(members, key, &json::Member::key) != members.end();
}

/// The members of the first sample, as far as the text goes; none where the text is of another form.
std::vector<json::Member> first_sample(std::string_view text) {
  text = json::first_value(text);
  const std::vector<json::Member> samples = json::members(text, 0);
  return samples.empty() || !samples.front().value.starts_with('{') ? std::vector<json::Member>{}
                                                                    : json::members(samples.front().value, 0);
}

bool is_speechbrain_json(const Probe& probe) {
  const std::vector<json::Member> sample = first_sample(probe.head);
  const bool audio = std::ranges::any_of(sample, [](const json::Member& m) { return m.key.ends_with("wav"); });
  return audio && (!probe.length_field.empty() || has_key(sample, kSeconds[0]) || has_key(sample, kSeconds[1]));
}

/// Lists for voice activity detection have samples as `length`: 32000 is then two seconds, not nine hours.
void refuse_samples(const std::vector<json::Member>& sample, std::string_view key, const RowSink& sink) {
  constexpr double kHour = 3600;
  const std::string_view length = json::unquoted(std::ranges::find(sample, key, &json::Member::key)->value);
  if (const text::Number number = text::parse_number(length);
      number.fault == text::NumberFault::none && number.value > kHour)
    throw InputError({sink.file.path(), 1, std::string(key)},
                     fmt::format("{} seconds are more than an hour: are they samples?", length),
                     "say which with --length-unit samples or --length-unit seconds");
}

void choose_length(const std::vector<json::Member>& sample, RowSink& sink) {
  std::vector<std::string> keys;
  for (const json::Member& member : sample) keys.emplace_back(member.key);
  std::string_view usual;
  for (const std::string_view key : kSeconds)
    if (usual.empty() && has_key(sample, key)) usual = key;
  engine::choose_columns(keys, 1, sink, usual);
  if (sink.src().name() != usual || sink.file.options().unit) return;
  refuse_samples(sample, usual, sink);
  sink.set_columns(std::string(usual), "", lengths::LengthUnit::seconds);
}

void read_speechbrain_json(stream::Input& input, RowSink& sink) {
  const std::string text = engine::read_valid_json(input);
  choose_length(first_sample(text), sink);
  std::uint64_t line = 1;
  std::size_t counted_to = 0;
  for (const json::Member& sample : json::members(text, json::skip_blanks(text, 0))) {
    const auto at = static_cast<std::size_t>(sample.key.data() - text.data());
    line += static_cast<std::uint64_t>(std::count(text.data() + counted_to, text.data() + at, '\n'));
    counted_to = at;
    if (!sink.add_key(line, sample.key)) continue;
    std::string_view length;
    for (const json::Member& member : json::members(sample.value, 0))  // SpeechBrain's own examples quote numbers
      if (member.key == sink.src().name() && member.value != "null") length = json::unquoted(member.value);
    sink.add(line, length);
  }
}

}  // namespace

const Reader kSpeechBrainJson{
    .name = "speechbrain-json",
    .summary = "SpeechBrain's JSON, an object a sample: the seconds in duration or length",
    .example = R"({"utt1": {"wav": "{data_root}/a.wav", "length": 3.5, "words": "ONE"}})",
    .recognises = is_speechbrain_json,
    .read = read_speechbrain_json,
};

}  // namespace seqpoint::io::manifests::formats
