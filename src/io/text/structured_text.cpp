#include "io/text/structured_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <vector>

#include "io/stream/input.hpp"
#include "io/text/foreign_files.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::text {
namespace {

using Lines = std::vector<std::string_view>;

/// The whole lines of a head, without their ends.
Lines lines_of(std::string_view head) {
  const bool cut = head.size() >= stream::Input::kHeadSize;
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  Lines lines;
  while (!head.empty()) lines.push_back(stream::take_line(head));
  if (cut && !lines.empty()) lines.pop_back();
  return lines;
}

Lines without_blank_ones(Lines lines) {
  std::erase_if(lines, [](std::string_view line) { return trim(line).empty(); });
  return lines;
}

/// Whether a line has nothing but symbols of amino acids or bases.
bool is_sequence(std::string_view line) {
  return std::ranges::all_of(trim(line), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*' || c == '-' || c == '.';
  });
}

/// The fields between separators; for a blank, between runs of blanks.
Lines fields_of(std::string_view line, char separator) {
  Lines fields;
  std::size_t begin = 0;
  while (begin <= line.size()) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    if (separator != ' ' || end > begin) fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

/// How many fields every line has; 0 if lines differ.
std::size_t columns_of(const Lines& lines, char separator) {
  const std::size_t columns = lines.empty() ? 0 : fields_of(lines.front(), separator).size();
  const bool same =
      std::ranges::all_of(lines, [&](std::string_view line) { return fields_of(line, separator).size() == columns; });
  return same ? columns : 0;
}

// --- Each of these returns nothing if the text is something else.

std::optional<StructuredText> fasta(const Lines& all) {
  const Lines lines = without_blank_ones(all);
  const auto is_header = [](std::string_view line) { return line.starts_with('>'); };
  const auto headers = static_cast<std::size_t>(std::ranges::count_if(lines, is_header));
  const auto fits = [&](std::string_view line) { return is_header(line) || is_sequence(line); };
  if (lines.empty() || !is_header(lines.front()) || headers == lines.size() || !std::ranges::all_of(lines, fits))
    return std::nullopt;
  return StructuredText{
      "is FASTA: a sequence has a header and lines of its own", "count its residues",
      R"(awk '/^>/ {if (any++) print n; n = 0; next} {gsub(/[ \t\r]/, ""); n += length($0)} END {print n}')"};
}

std::optional<StructuredText> fastq(const Lines& lines) {
  constexpr std::size_t kRecord = 4;  // lines
  if (lines.size() < kRecord || !lines[0].starts_with('@') || !lines[2].starts_with('+') || !is_sequence(lines[1]) ||
      trim(lines[1]).size() != trim(lines[3]).size())
    return std::nullopt;
  return StructuredText{"is FASTQ: a sequence has four lines", "count its bases",
                        R"(awk 'NR % 4 == 2 {sub(/\r$/, ""); print length($0)}')"};
}

/// Comments, and words in ten columns. Only whole numbers are words: a range such as `1-2 don't` stands above its two.
std::optional<StructuredText> conllu(const Lines& all) {
  constexpr std::size_t kColumns = 10;
  Lines words = without_blank_ones(all);
  std::erase_if(words, [](std::string_view line) { return line.starts_with('#'); });
  if (columns_of(words, '\t') != kColumns ||
      !std::ranges::all_of(words, [](std::string_view line) { return line.front() >= '0' && line.front() <= '9'; }))
    return std::nullopt;
  return StructuredText{
      "is CoNLL-U: a sentence has a line for each word", "count the words of its sentences",
      R"(awk '{sub(/\r$/, "")} NF == 0 {if (n) print n; n = 0} $1 ~ /^[0-9]+$/ {n++} END {if (n) print n}')"};
}

/// A token a line, in columns, and blank lines between sentences.
std::optional<StructuredText> tokens_in_columns(const Lines& all) {
  constexpr std::size_t kFewest = 4;  // tokens
  const Lines tokens = without_blank_ones(all);
  const auto is_blank = [](std::string_view line) { return trim(line).empty(); };
  const auto first = std::ranges::find_if_not(all, is_blank);
  const auto gap = std::find_if(first, all.end(), is_blank);
  if (tokens.size() < kFewest || std::find_if_not(gap, all.end(), is_blank) == all.end()) return std::nullopt;
  const char separator = tokens.front().find('\t') != std::string_view::npos ? '\t' : ' ';
  const std::size_t columns = columns_of(tokens, separator);
  if (columns < 2) return std::nullopt;
  return StructuredText{
      fmt::format("has a token a line, in {} columns, and blank lines between sentences, as CoNLL's files", columns),
      "count the tokens of its sentences",
      R"(awk '/^[ \t\r]*$/ {if (n) print n; n = 0; next} !/^-DOCSTART-/ {n++} END {if (n) print n}')"};
}

/// The column, from 0, that is text in most lines: it has blanks between words. The last of several, the second if none
/// has any.
std::size_t column_of_text(const Lines& lines, char separator, std::size_t columns) {
  for (std::size_t column = columns; column-- > 1;) {
    const auto is_text = [&](std::string_view line) {
      return trim(fields_of(line, separator)[column]).find(' ') != std::string_view::npos;
    };
    if (2 * static_cast<std::size_t>(std::ranges::count_if(lines, is_text)) > lines.size()) return column;
  }
  return 1;
}

/// Whether the first fields are names, such as paths: without blanks, and all different. Text with bars between words
/// and their parts of speech has others.
bool begin_with_names(const Lines& lines, char separator) {
  std::set<std::string_view> names;
  return std::ranges::all_of(lines, [&](std::string_view line) {
    const std::string_view name = fields_of(line, separator).front();
    return !name.empty() && name.find(' ') == std::string_view::npos && names.insert(name).second;
  });
}

std::optional<StructuredText> table(const Lines& all, char separator, std::string_view separators) {
  const Lines lines = without_blank_ones(all);
  const std::size_t columns = columns_of(lines, separator);
  if (lines.size() < 2 || columns < 2 || (separator == '|' && !begin_with_names(lines, separator))) return std::nullopt;
  const std::size_t column = column_of_text(lines, separator, columns);
  return StructuredText{
      fmt::format("has {} columns with {} between them, and no names of columns", columns, separators),
      fmt::format("count the characters of column {}", column + 1),
      fmt::format(R"(python3 -c "import sys; [print(len(row.rstrip('\r\n').split('{}')[{}])) for row in sys.stdin]")",
                  separator == '\t' ? "\\t" : std::string(1, separator), column)};
}

}  // namespace

std::string StructuredText::way_for(const std::string& path) const {
  return way + ": " + filtered(command, path, "lengths.txt");
}

std::optional<StructuredText> structured_text(std::string_view head) {
  const Lines lines = lines_of(head);
  std::optional<StructuredText> found = fasta(lines);
  if (!found) found = fastq(lines);
  if (!found) found = conllu(lines);
  if (!found) found = tokens_in_columns(lines);
  if (!found) found = table(lines, '|', "bars");
  if (!found) found = table(lines, '\t', "tabs");
  return found;
}

}  // namespace seqpoint::io::text
