// CSV and TSV with a header and a column of lengths.
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/engine/delimited.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/input_head.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

void read_csv(stream::Input& input, RowSink& sink) { engine::read_delimited(input, sink, text::kCommas); }
void read_tsv(stream::Input& input, RowSink& sink) { engine::read_delimited(input, sink, text::kTabs); }

/// Whether the header contains the column that the user names, or a usual column of lengths.
bool has_length_column(const Probe& probe, text::Dialect dialect) {
  const std::vector<std::string> names = text::header_fields(probe.head, dialect);
  if (!probe.length_field.empty() && text::index_of(names, probe.length_field) < names.size()) return true;
  return !engine::usual_length_column(names).empty();
}

bool is_csv(const Probe& probe) { return has_length_column(probe, text::kCommas); }
bool is_tsv(const Probe& probe) {
  return text::first_line(probe.head).find('\t') != std::string_view::npos && has_length_column(probe, text::kTabs);
}

}  // namespace

const Reader kCsv{
    .name = "csv",
    .summary = "comma-separated with a header and a length column",
    .example = "utterance,samples\\n103-1240-0000,225360",
    .recognises = is_csv,
    .read = read_csv,
};
const Reader kTsv{
    .name = "tsv",
    .summary = "tab-separated with a header and a length column; no quotes",
    .example = "src_tokens<TAB>tgt_tokens\\n9<TAB>10",
    .recognises = is_tsv,
    .read = read_tsv,
};

}  // namespace seqpoint::io::manifests::formats
