#include "io/text/csv.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::text {
namespace {

/// Position of the quote that closes the one at `open`, skipping "" inside; npos if there is none.
std::size_t closing_quote(std::string_view text, std::size_t open) {
  for (std::size_t i = text.find('"', open + 1); i != std::string_view::npos; i = text.find('"', i + 2))
    if (i + 1 == text.size() || text[i + 1] != '"') return i;
  return std::string_view::npos;
}

/// Whether the quote at position `quote` opens a field: it is at the beginning of the text, or after a separator or a
/// newline. Elsewhere a quote is an ordinary character.
bool opens_field(std::string_view text, std::size_t quote, char separator) {
  return quote == 0 || text[quote - 1] == separator || text[quote - 1] == '\n';
}

/// The end of the last whole record of some text with quotes; 0 if there is none. Line ends inside quotes do not end a
/// record.
std::size_t after_last_record(std::string_view text, char separator) {
  std::size_t plain = 0;  // all text before it is processed
  std::size_t safe = 0;
  for (;;) {
    const std::size_t quote = text.find('"', plain);
    const auto newline = text.substr(plain, quote - plain).rfind('\n');
    if (newline != std::string_view::npos) safe = plain + newline + 1;
    if (quote == std::string_view::npos) return safe;
    plain = quote + 1;
    if (!opens_field(text, quote, separator)) continue;
    const std::size_t close = closing_quote(text, quote);
    if (close == std::string_view::npos) return safe;
    plain = close + 1;
  }
}

}  // namespace

stream::BlockReader::Cut cut_of(Dialect dialect) {
  if (!dialect.quotes) return stream::BlockReader::after_last_newline;
  if (dialect.separator == kSemicolons.separator)
    return [](std::string_view text) { return after_last_record(text, kSemicolons.separator); };
  return [](std::string_view text) { return after_last_record(text, kCommas.separator); };
}

bool RecordSplitter::next() {
  do {
    if (rest_.empty() || !fault_.empty()) return false;
    line_ = next_line_;
    split();
  } while (fault_.empty() && fields_.size() == 1 && fields_.front().empty());
  return fault_.empty();
}

void RecordSplitter::split() {
  fields_.clear();
  for (;;) {
    const bool quoted = dialect_.quotes && rest_.starts_with('"');
    fields_.push_back(quoted ? take_quoted() : take_plain());
    if (rest_.empty() || !fault_.empty()) break;
    const char end = rest_.front();
    rest_.remove_prefix(1);
    if (end == '\n') {
      ++next_line_;
      break;
    }
    if (!rest_.empty()) continue;
    fields_.emplace_back();  // a separator was the last character
    break;
  }
  if (fields_.back().ends_with('\r')) fields_.back().remove_suffix(1);
}

std::string_view RecordSplitter::take_plain() {
  std::size_t end = 0;
  while (end < rest_.size() && rest_[end] != dialect_.separator && rest_[end] != '\n') ++end;
  const std::string_view field = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return field;
}

std::string_view RecordSplitter::take_quoted() {
  const std::size_t close = closing_quote(rest_, 0);
  if (close == std::string_view::npos) {
    fault_ = "a quote that opens here never closes";
    return {};
  }
  const std::string_view field = rest_.substr(1, close - 1);
  next_line_ += static_cast<std::uint64_t>(std::count(field.begin(), field.end(), '\n'));
  rest_.remove_prefix(close + 1);
  if (rest_.starts_with("\r\n") || rest_ == "\r") rest_.remove_prefix(1);
  const bool ended = rest_.empty() || rest_.front() == dialect_.separator || rest_.front() == '\n';
  if (!ended) fault_ = "there is text behind a closing quote";
  return field;
}

RecordReader::RecordReader(stream::Input& input, Dialect dialect)
    : source_(input.name()), dialect_(dialect), blocks_(input, cut_of(dialect)), splitter_({}, dialect) {}

bool RecordReader::next() {
  while (!splitter_.next()) {
    if (!splitter_.fault().empty())
      throw InputError({source_, splitter_.line()}, std::string(splitter_.fault()), kQuoteHint);
    const std::uint64_t line = splitter_.next_line();
    if (!blocks_.next(block_)) return false;
    splitter_ = RecordSplitter(block_.bytes, dialect_, line);
  }
  return true;
}

std::string unquoted(std::string_view field) {
  std::string text;
  for (std::size_t quote; (quote = field.find("\"\"")) != std::string_view::npos; field.remove_prefix(quote + 2))
    text += field.substr(0, quote + 1);
  return text += field;
}

std::size_t index_of(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<std::string> header_names(const std::vector<std::string_view>& fields) {
  std::vector<std::string> names;
  for (const std::string_view field : fields) names.emplace_back(trim(unquoted(field)));
  return names;
}

std::string width_problem(std::size_t fields, std::size_t columns) {
  if (fields == columns) return {};
  return fmt::format("has {} fields, the header has {}", fields, columns);
}

std::vector<std::string> header_fields(std::string_view head, Dialect dialect) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  RecordSplitter records(head, dialect);
  return records.next() ? header_names(records.fields()) : std::vector<std::string>();
}

}  // namespace seqpoint::io::text
