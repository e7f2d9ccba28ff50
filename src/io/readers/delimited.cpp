// CSV and TSV with a header and a column of lengths; and the lengths that `scan --lengths-only` writes, which are a CSV.
#include <algorithm>

#include "columns.hpp"
#include "csv.hpp"
#include "delimited.hpp"
#include "formats.hpp"

namespace seqpoint {
namespace {

std::size_t index_of(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<std::string> read_header(RecordReader& records, const std::string& source) {
  if (!records.next()) throw InputError({source}, "is empty: it has neither a header nor rows", "check how it was made");
  std::vector<std::string> names;
  for (const std::string_view field : records.fields()) names.emplace_back(trim(unquoted(field)));
  return names;
}

/// A cell's length: a number, or how many there are in a list of numbers ("[101, 7592, 102]", as data sets are exported).
/// `counted` holds the text in that case.
std::string_view length_cell(std::string_view cell, std::string& counted) {
  std::string_view list = trim(cell);
  if (!list.starts_with('[') || !list.ends_with(']')) return cell;
  list = trim(list.substr(1, list.size() - 2));
  std::uint64_t elements = 0;
  for (std::size_t comma = 0; !list.empty() && comma != std::string_view::npos; ++elements) {
    comma = list.find(',');
    if (parse_number(list.substr(0, comma)).fault != NumberFault::none) return cell;
    list.remove_prefix(comma == std::string_view::npos ? 0 : comma + 1);
    if (list.empty()) return cell;
  }
  return counted = std::to_string(elements);
}

bool is_zero(std::string_view cell) {
  const Number number = parse_number(cell);
  return number.fault == NumberFault::none && number.value == 0;
}

void note_failed(std::uint64_t failed, std::string_view column, RowSink& sink) {
  if (failed > 0)
    sink.note(std::to_string(failed) + (failed == 1 ? " row" : " rows") + " left out: '" + std::string(column) +
              "' is 0, the request failed (--format csv keeps such rows)");
}

void read_csv(Input& input, RowSink& sink) { read_delimited(input, sink, kCommas); }
void read_tsv(Input& input, RowSink& sink) { read_delimited(input, sink, kTabs); }

bool has_length_column(const Probe& probe, Dialect dialect) {
  const std::vector<std::string> names = header_fields(probe.head, dialect);
  if (!probe.length_field.empty() && index_of(names, probe.length_field) < names.size()) return true;
  return !usual_length_column(names).empty();
}

bool is_csv(const Probe& probe) { return has_length_column(probe, kCommas); }
bool is_tsv(const Probe& probe) {
  return first_line(probe.head).find('\t') != std::string_view::npos && has_length_column(probe, kTabs);
}
bool is_lengths(const Probe& probe) {
  const std::string_view header = first_line(probe.head);
  return header == "src_len" || header == "src_len,tgt_len";
}

}  // namespace

void read_delimited(Input& input, RowSink& sink, Dialect dialect, const ColumnRules& rules) {
  RecordReader records(input, dialect);
  const std::vector<std::string> names = read_header(records, sink.source());
  choose_columns(names, records.line(), sink, rules.usual);
  const std::string fields = sink.fields();
  const std::size_t comma = fields.find(',');
  const std::size_t src = index_of(names, sink.paired() ? fields.substr(0, comma) : fields);
  const std::size_t tgt = sink.paired() ? index_of(names, fields.substr(comma + 1)) : 0;
  const std::size_t failed = rules.failed.empty() ? names.size() : index_of(names, rules.failed);
  std::uint64_t left_out = 0;
  std::string src_count, tgt_count;
  while (records.next()) {
    const auto& row = records.fields();
    if (row.size() != names.size())
      sink.corrupt(records.line(), "has " + std::to_string(row.size()) + " fields, the header has " + std::to_string(names.size()));
    else if (failed < names.size() && is_zero(row[failed]))
      ++left_out;
    else if (sink.paired())
      sink.add(records.line(), length_cell(row[src], src_count), length_cell(row[tgt], tgt_count));
    else
      sink.add(records.line(), length_cell(row[src], src_count));
  }
  if (records.unterminated()) sink.note_unterminated();
  note_failed(left_out, rules.failed, sink);
}

const Reader kCsv{"csv", "comma-separated with a header and a length column", "utterance,samples\\n103-1240-0000,225360",
                        is_csv, read_csv};
const Reader kTsv{"tsv", "tab-separated with a header and a length column; no quotes", "src_tokens<TAB>tgt_tokens\\n9<TAB>10",
                  is_tsv, read_tsv};
const Reader kLengths{"lengths", "what `seqpoint scan --lengths-only` writes", "src_len,tgt_len\\n9,10", is_lengths, read_csv};

}  // namespace seqpoint
