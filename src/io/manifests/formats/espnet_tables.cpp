// ESPnet2's lists of lengths (espnet2/fileio/read_text.py). With --tgt, the two are matched by key like in its
// samplers.
#include <fmt/core.h>

#include "io/manifests/engine/lines.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/input_head.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

/// Reads shapes such as `520,80`: the first number is the length, the others are the dimensions of a feature. Any other
/// text is a missing length.
void read_shape(stream::Input& input, RowSink& sink) {
  sink.set_columns("");
  engine::read_keyed_rows(input, sink, [&](std::uint64_t line, std::string_view shape) {
    const auto comma = shape.find(',');
    if (shape.find_first_not_of("0123456789,") != std::string_view::npos || shape.ends_with(',') ||
        shape.find(",,") != std::string_view::npos)
      sink.add_missing(line, fmt::format("\"{}\" is not a shape: whole numbers apart by commas", shape), "");
    else
      sink.add(line, shape.substr(0, comma));
  });
}

void read_utt2num_samples(stream::Input& input, RowSink& sink) {
  sink.set_columns("", "", lengths::LengthUnit::samples);
  engine::read_keyed_rows(input, sink, [&](std::uint64_t line, std::string_view samples) { sink.add(line, samples); });
}

/// Whether a file name is that of shapes: `speech_shape`, `text_shape.bpe`.
bool is_shape_file(std::string_view name) {
  constexpr std::string_view kEnding = "_shape";
  const auto at = name.find(kEnding);
  if (at == std::string_view::npos) return false;
  const std::string_view behind = name.substr(at + kEnding.size());
  return behind.empty() || behind.starts_with('.');
}

/// Whether the first line is a key and whole numbers separated by commas. `several`: at least one comma is required.
bool has_shapes(const Probe& probe, bool several) {
  std::string_view rest = text::first_line(probe.head);
  engine::take_word(rest);
  return !rest.empty() && rest.find_first_not_of("0123456789,") == std::string_view::npos &&
         (!several || rest.find(',') != std::string_view::npos);
}

/// Whether the first line has a shape: of at least two numbers, unless the file's name is that of shapes.
bool is_shape(const Probe& probe) { return has_shapes(probe, !is_shape_file(text::file_name(probe.path))); }
bool is_utt2num_samples(const Probe& probe) { return text::file_name(probe.path) == "utt2num_samples"; }

}  // namespace

const Reader kEspnetShape{
    .name = "espnet-shape",
    .summary = "ESPnet's shape files: key and length[,dimension...]",
    .example = "u1 520,80",
    .recognises = is_shape,
    .read = read_shape,
};
const Reader kEspnetSamples{
    .name = "espnet-utt2num-samples",
    .summary = "ESPnet's utt2num_samples: key and samples",
    .example = "u1 83200",
    .recognises = is_utt2num_samples,
    .read = read_utt2num_samples,
};

}  // namespace seqpoint::io::manifests::formats
