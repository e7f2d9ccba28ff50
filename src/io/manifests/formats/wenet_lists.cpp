// WeNet's data.list: JSON lines that name audio (wenet/dataset/processor.py: parse_json, decode_wav). Lengths are in
// the audio's headers, but for cuts of a longer file, which say where they start and end.
#include <algorithm>
#include <cmath>

#include "io/json/first_record.hpp"
#include "io/manifests/engine/audio_rows.hpp"
#include "io/manifests/engine/flat_json_record.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/record_sets.hpp"
#include "io/text/input_head.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

/// Samples before a time, as WeNet counts them: int(seconds * rate).
double samples_before(double seconds, double rate) { return std::trunc(seconds * rate); }

class WenetRecord : public engine::FlatJsonRecord {
 public:
  WenetRecord() : engine::FlatJsonRecord({{"key"}, {"wav"}, {"start"}, {"end"}}) {}

 protected:
  void add_row(std::uint64_t line, RowSink& rows) const override {
    for (const Index index : {kKey, kWav})
      if (!field(index).is_text())
        return rows.add_corrupt(line, "is missing, or no text", std::string(field(index).key));
    if (field(kStart).present != field(kEnd).present)
      return rows.add_corrupt(line, "has only one of start and end", field(kStart).present ? "start" : "end");
    if (field(kStart).present) return add_cut(line, rows);
    if (rows.wants_audio_probed()) return engine::add_probed(line, std::string(field(kWav).text), "wav", rows);
    rows.add_missing(line, "has no length; --probe-audio takes it from the audio's header", "wav");
  }

 private:
  enum Index : std::size_t { kKey, kWav, kStart, kEnd };

  void add_cut(std::uint64_t line, RowSink& rows) const {
    const text::Number start = text::parse_number(field(kStart).number_text()),
                       end = text::parse_number(field(kEnd).number_text());
    if (start.fault != text::NumberFault::none)
      return rows.add_missing(line, text::describe(start.fault, field(kStart).raw), "start");
    if (end.fault != text::NumberFault::none)
      return rows.add_missing(line, text::describe(end.fault, field(kEnd).raw), "end");
    if (!(start.value >= 0 && end.value > start.value)) return rows.add_missing(line, "is not behind start", "end");
    double rate = rows.file.options().frames.sample_rate, last = end.value;
    if (rows.wants_audio_probed()) {
      const auto header = engine::probe_audio(line, std::string(field(kWav).text), "wav", rows);
      if (!header) return;
      rate = header->rate;
      last = std::min(last, header->seconds());
    }
    const double samples = samples_before(last, rate) - samples_before(start.value, rate);
    rows.add_number(line, std::max(samples, 0.0) / rate);
  }
};

void read_wenet(stream::Input& input, RowSink& sink) {
  if (!text::trim(text::first_line(input.head())).starts_with('{'))
    throw InputError({sink.file.path(), 1}, "names shards: tar files, whose lengths no list has",
                     "give the raw data.list that the shards were made from, or the shards with --probe-audio");
  sink.set_computed("wav", lengths::LengthUnit::seconds);
  sink.wants_audio_probed();  // there may be rows without start and end
  engine::read_json_records(input, sink, [] { return std::make_unique<WenetRecord>(); });
}

bool is_wenet(const Probe& probe) {
  if (text::file_name(probe.path) == "data.list" && probe.length_field.empty()) return true;
  const io::json::FirstRecord record(probe.head);
  return !io::json::is_array(probe.head) && probe.length_field.empty() && record.has("key") && record.has("wav") &&
         record.has("txt");
}

}  // namespace

const Reader kWenetList{
    .name = "wenet",
    .summary =
        "WeNet's raw data.list: JSON lines with key, wav, txt; with --probe-audio unless they have start and end",
    .example = R"({"key": "u1", "wav": "u1.wav", "txt": "hello", "start": 12.5, "end": 15.75})",
    .recognises = is_wenet,
    .read = read_wenet,
    .copy_records = copy_text<engine::walk_json>,
};

}  // namespace seqpoint::io::manifests::formats
