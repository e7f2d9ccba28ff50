#include "io/manifests/engine/audio_rows.hpp"

#include <fmt/core.h>

#include "io/text/shortest_number.hpp"

namespace seqpoint::io::manifests::engine {

void require_probing(RowSink& sink, const std::string& field) {
  if (!sink.wants_audio_probed())
    throw InputError({sink.file.path()}, "names audio files but has no lengths",
                     "--probe-audio takes them from the headers of the audio files");
  sink.set_computed(field, lengths::LengthUnit::seconds);
}

std::optional<stream::AudioHeader> probe_audio(std::uint64_t line, const std::string& path, const std::string& field,
                                               RowSink& rows) {
  if (path.empty()) {
    rows.add_missing(line, "names no audio file", field);
    return std::nullopt;
  }
  const std::string located = rows.file.locate(path);
  try {
    const stream::AudioHeader header = rows.file.files().audio_header(located);
    if (header.rate != rows.file.options().frames.sample_rate && rows.counts.other_rates++ == 0)
      rows.counts.other_rate = header.rate;
    return header;
  } catch (const InputError& error) {
    rows.add_missing(line, fmt::format("audio file {}: {}", located, error.problems().front().text), field);
    return std::nullopt;
  }
}

void add_probed(std::uint64_t line, const std::string& path, const std::string& field, RowSink& rows) {
  if (const auto header = probe_audio(line, path, field, rows)) rows.add_number(line, header->seconds());
}

void note_other_rates(RowSink& sink) {
  if (sink.counts.other_rates == 0) return;
  sink.note(
      fmt::format("audio files that are not at {} Hz (--sample-rate): {}, the first at {} Hz; their lengths are those "
                  "after resampling",
                  text::shortest(sink.file.options().frames.sample_rate), sink.counts.other_rates,
                  text::shortest(sink.counts.other_rate)));
}

}  // namespace seqpoint::io::manifests::engine
