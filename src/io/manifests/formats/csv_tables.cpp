// CSV and TSV with a header and a column of lengths.
#include <fmt/core.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/engine/block_parser.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/csv.hpp"
#include "io/text/input_head.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

/// The fields of a record to read, by index.
struct ColumnLayout {
  text::Dialect dialect;
  std::size_t fields = 0;  ///< number of fields of every record
  std::size_t src = 0, tgt = 0;
  bool paired = false;
  bool counts_src = true, counts_tgt = true;  ///< a list is one sample, not several rows
};

/// The text of a cell's length: for a list of numbers ("[101, 7592, 102]", as exported data sets have) the number of
/// its elements, as text in `counted`; else the cell itself.
std::string_view length_text_of(std::string_view cell, std::string& counted) {
  if (cell.find('[') == std::string_view::npos) return cell;
  std::string_view list = text::trim(cell);
  if (!list.starts_with('[') || !list.ends_with(']')) return cell;
  list = text::trim(list.substr(1, list.size() - 2));
  std::uint64_t elements = 0;
  for (bool more = !list.empty(); more; ++elements) {
    const std::size_t comma = list.find(',');
    if (text::parse_number(list.substr(0, comma)).fault != text::NumberFault::none) return cell;
    more = comma != std::string_view::npos;
    if (more) list.remove_prefix(comma + 1);
  }
  return counted = std::to_string(elements);
}

/// Bit i of the result: whether byte i of the 64 at `text` is `a` or `b`.
std::uint64_t match_mask_64(const char* text, char a, char b) {
#if defined(__SSE2__)
  std::uint64_t bits = 0;
  const __m128i first = _mm_set1_epi8(a), second = _mm_set1_epi8(b);
  for (unsigned part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * part));
    const __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(bytes, first), _mm_cmpeq_epi8(bytes, second));
    bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(hits))) << (16 * part);
  }
  return bits;
#else
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 64; ++i) bits |= static_cast<std::uint64_t>(text[i] == a || text[i] == b) << i;
  return bits;
#endif
}

/// The rows of blocks. Blocks without quotes, which are most, are split 64 bytes at a time.
class DelimitedParser : public engine::BlockParser {
 public:
  explicit DelimitedParser(const ColumnLayout& layout) : layout_(layout) {}

  std::uint64_t parse(const stream::Block& block, RowSink& rows) override {
    const bool quoted = layout_.dialect.quotes && block.bytes.find('"') != std::string_view::npos;
    return quoted ? parse_quoted(block, rows) : parse_plain(block, rows);
  }

 private:
  /// Parses a block in which fields may be quoted. Returns its number of lines.
  std::uint64_t parse_quoted(const stream::Block& block, RowSink& rows) {
    text::RecordSplitter records(block.bytes, layout_.dialect);
    while (records.next()) {
      const auto& fields = records.fields();
      if (!has_expected_width(records.line(), fields.size(), rows)) continue;
      add_row(records.line(), fields[layout_.src], fields[layout_.tgt], rows);
    }
    if (!records.fault().empty())
      rows.add_corrupt(records.line(), fmt::format("{} ({})", records.fault(), text::kQuoteHint));
    return records.next_line() - 1;
  }

  /// Parses a block without quotes. Returns its number of lines.
  std::uint64_t parse_plain(const stream::Block& block, RowSink& rows) {
    const char* const end = block.bytes.data() + block.bytes.size();
    const char* field = block.bytes.data();
    std::size_t column = 0;
    std::uint64_t line = 1;
    for (const char* part = field; part < end; part += 64) {
      std::uint64_t hits = match_mask_64(part, layout_.dialect.separator, '\n');
      if (end - part < 64) hits &= (std::uint64_t{1} << static_cast<unsigned>(end - part)) - 1;
      for (; hits != 0; hits &= hits - 1) {
        const char* const at = part + std::countr_zero(hits);
        store_field(column, {field, at});
        field = at + 1;
        if (*at != '\n') {
          ++column;
          continue;
        }
        finish_record(line++, column + 1, rows);
        column = 0;
      }
    }
    if (field == end && column == 0) return line - 1;
    store_field(column, {field, end});
    finish_record(line, column + 1, rows);
    return line;
  }

  /// Keeps a field of the current record if it is the first one or contains a length.
  void store_field(std::size_t column, std::string_view field) {
    if (column == layout_.src) src_ = field;
    if (column == layout_.tgt) tgt_ = field;
    if (column == 0) first_field_ = field;
  }

  /// Adds the row of the record whose fields were stored, or a problem if it has another width than the header. A blank
  /// line is skipped.
  void finish_record(std::uint64_t line, std::size_t fields, RowSink& rows) {
    if (fields == 1 && (first_field_.empty() || first_field_ == "\r")) return;  // a blank line
    if (has_expected_width(line, fields, rows)) add_row(line, src_, tgt_, rows);
  }

  /// Whether a record has as many fields as the header; adds a problem if not.
  bool has_expected_width(std::uint64_t line, std::size_t fields, RowSink& rows) const {
    if (fields == layout_.fields) return true;
    rows.add_corrupt(line, text::width_problem(fields, layout_.fields));
    return false;
  }

  void add_row(std::uint64_t line, std::string_view src, std::string_view tgt, RowSink& rows) {
    if (layout_.counts_src) src = length_text_of(src, src_count_text_);
    if (!layout_.paired) return rows.add(line, src);
    if (layout_.counts_tgt) tgt = length_text_of(tgt, tgt_count_text_);
    rows.add(line, src, tgt);
  }

  ColumnLayout layout_;
  std::string_view src_, tgt_, first_field_;
  std::string src_count_text_, tgt_count_text_;
};

/// Reads the columns that choose_columns() picks from the header. A list of numbers in a cell counts as its number of
/// elements, unless the column's name implies one number per row. Blank lines are skipped; a record of another width
/// than the header is a problem. Throws InputError for an empty file or a faulty header.
void read_delimited(stream::Input& input, RowSink& sink, text::Dialect dialect) {
  stream::BlockReader blocks(input, text::cut_of(dialect));
  stream::Block first;
  if (!blocks.next(first))
    throw InputError({sink.file.path()}, "is empty: it has neither a header nor rows", "check how it was made");
  text::RecordSplitter header(first.bytes, dialect);
  std::vector<std::string> names;
  if (header.next())
    names = text::header_names(header.fields());
  else if (!header.fault().empty())
    throw InputError({sink.file.path(), header.line()}, std::string(header.fault()), text::kQuoteHint);
  engine::choose_columns(names, header.line(), sink);
  ColumnLayout layout{
      .dialect = dialect,
      .fields = names.size(),
      .src = text::index_of(names, sink.src().name()),
      .tgt = sink.paired() ? text::index_of(names, sink.tgt_field()) : 0,
      .paired = sink.paired(),
      .counts_src = !engine::names_one_number(sink.src().name(), !sink.file.requested_field().empty()),
      .counts_tgt = !engine::names_one_number(sink.tgt_field(), !sink.file.requested_target_field().empty())};
  first.bytes = header.rest();
  engine::parse_blocks(blocks, std::move(first), header.next_line(), sink,
                       [&] { return std::make_unique<DelimitedParser>(layout); });
}

void read_csv(stream::Input& input, RowSink& sink) { read_delimited(input, sink, text::kCommas); }
void read_tsv(stream::Input& input, RowSink& sink) { read_delimited(input, sink, text::kTabs); }

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
