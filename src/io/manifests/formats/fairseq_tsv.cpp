// fairseq's list of audio (data/audio/raw_audio_dataset.py: FileAudioDataset): the root folder, then one line per file
// with its number of samples. Models on raw audio train on samples, so these are the sequence lengths.
#include "io/manifests/engine/lines.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

/// Adds the row of a line, or a problem unless the line has exactly one tab.
void add_tsv_line(std::uint64_t line, std::string_view text, RowSink& sink) {
  text = text::trim(text);
  const auto tab = text.find('\t');
  if (tab == std::string_view::npos || text.find('\t', tab + 1) != std::string_view::npos)
    sink.add_corrupt(line, "is not a path and a number of samples, apart by one tab");
  else
    sink.add(line, text.substr(tab + 1));
}

/// Blank lines are problems: fairseq stops at them too.
void read_fairseq_tsv(stream::Input& input, RowSink& sink) {
  sink.set_columns("");
  const bool whole = engine::for_each_line(input, [&](std::uint64_t line, std::string_view text) {
    if (line > 1) add_tsv_line(line, text, sink);
  });
  if (!whole) sink.note_unterminated();
}

/// Whether the first line has no tab, and the second is a path, a tab and a whole number.
bool is_fairseq_tsv(const Probe& probe) {
  std::string_view head = probe.head;
  const std::string_view root = stream::take_line(head), row = stream::take_line(head);
  const auto tab = row.find('\t');
  const std::string_view samples = tab == std::string_view::npos ? "" : row.substr(tab + 1);
  return root.find('\t') == std::string_view::npos && tab > 0 && !samples.empty() &&
         samples.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

const Reader kFairseqTsv{
    .name = "fairseq-tsv",
    .summary = "fairseq's audio list: root folder, then path and samples, which are the length",
    .example = "/data/audio\\na.flac<TAB>225360",
    .recognises = is_fairseq_tsv,
    .read = read_fairseq_tsv,
};

}  // namespace seqpoint::io::manifests::formats
