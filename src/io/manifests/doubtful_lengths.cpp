// Detects numbers that can hardly be the lengths that their column's name implies: a wrong unit, running totals. They
// are rejected unless the user confirms the unit.
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/json/json_scan.hpp"
#include "io/manifests/row_sink.hpp"
#include "io/text/csv.hpp"
#include "io/text/foreign_files.hpp"
#include "io/text/input_head.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests {
namespace {

// --- The first rows of a table or of JSON records, with all of their columns

/// The text of a column in one row, by the column's name or dotted key; empty if there is none. Valid during the call
/// that it is passed to.
using ColumnText = std::function<std::string(std::string_view column)>;
using TakeRow = std::function<void(const ColumnText&)>;
using JsonRow = nlohmann::json;

/// The value at a dotted key; null if there is none. A key that itself contains the dots takes precedence.
const JsonRow* value_at(const JsonRow& record, std::string_view key) {
  if (const auto whole = record.find(std::string(key)); whole != record.end()) return &*whole;
  const auto dot = key.find('.');
  const auto found = dot == std::string_view::npos ? record.end() : record.find(std::string(key.substr(0, dot)));
  return found != record.end() && found->is_object() ? value_at(*found, key.substr(dot + 1)) : nullptr;
}

/// The value at a dotted key as text: a string's characters, else its JSON. Empty if the value is missing, null, an
/// array or an object.
std::string text_of(const JsonRow& record, std::string_view key) {
  const JsonRow* const value = value_at(record, key);
  if (value == nullptr || value->is_structured() || value->is_null()) return {};
  return value->is_string() ? value->get<std::string>() : value->dump();
}

/// Passes on the JSON object in `text`. Truncated or damaged text, and other values, are skipped.
void take_record(std::string_view text, const TakeRow& take) {
  const JsonRow record = JsonRow::parse(text.begin(), text.end(), nullptr, false);
  if (record.is_object()) take([&](std::string_view key) { return text_of(record, key); });
}

void take_json_lines(std::string_view head, const TakeRow& take) {
  while (!head.empty()) take_record(stream::take_line(head), take);
}

/// Passes on the rows after the header that have as many fields as the header. The last of several rows is left out
/// without its line end, because `head` may end inside a number.
void take_table(std::string_view head, text::Dialect dialect, const TakeRow& take) {
  if (const std::size_t end = head.rfind('\n'); end != head.find('\n')) head = head.substr(0, end + 1);
  text::RecordSplitter records(head, dialect);
  if (!records.next()) return;
  const std::vector<std::string> names = text::header_names(records.fields());
  while (records.next()) {
    const std::vector<std::string_view>& fields = records.fields();
    if (fields.size() != names.size()) continue;
    take([&](std::string_view column) {
      const std::size_t at = text::index_of(names, column);
      return at < fields.size() ? std::string(fields[at]) : std::string();
    });
  }
}

/// Calls `take` for every complete row in the first bytes of a file: JSON lines, an array of JSON records, else a CSV
/// (or a TSV, if the first line contains a tab) with a header. In a table the last row may lack the end of its last
/// field.
void for_each_first_row(std::string_view head, const TakeRow& take) {
  const std::string_view text = json::first_value(head);
  if (json::is_array(head))
    json::for_each_element(text, 0, [&](std::string_view record) { take_record(record, take); });
  else if (text.starts_with('{'))
    take_json_lines(text, take);
  else
    take_table(text, text::first_line(text).find('\t') < text.size() ? text::kTabs : text::kCommas, take);
}

// --- a unit of time, compared with other columns

/// Columns that grow with a recording's duration, and their possible range per second.
struct Measure {
  std::span<const std::string_view> columns;
  std::string_view what;
  bool is_text;        ///< its bytes in UTF-8 are counted; else the column is a number
  double least, most;  ///< range per second
};

constexpr std::array<std::string_view, 6> kTranscripts{"text",     "transcript",      "transcription",
                                                       "sentence", "normalized_text", "raw_text"};
constexpr std::array<std::string_view, 6> kBytes{"wav_filesize", "num_bytes", "bytes",
                                                 "filesize",     "file_size", "size_bytes"};
constexpr std::array<std::string_view, 3> kSamples{"num_samples", "n_samples", "samples"};

/// Text: nobody speaks more than a hundred characters a second, five times the usual rate; below 0.1 a second the
/// numbers may be milliseconds, because the rate then is below a hundred. Bytes: speech is not coded below 6 kbit/s
/// (Opus), and eight channels of 192 kHz in 32 bits are 6 MB/s. Samples: 4 kHz is less than a telephone's, 384 kHz the
/// most that is sold.
constexpr std::array<Measure, 3> kMeasures{{{kTranscripts, "characters of text", true, 0.1, 100},
                                            {kBytes, "bytes", false, 500, 1e7},
                                            {kSamples, "samples", false, 1000, 1e6}}};

/// The number in `text`; 0 if it is not a number above 0.
double amount_in(const std::string& text) {
  const text::Number number = text::parse_number(text);
  return number.fault == text::NumberFault::none && number.value > 0 ? number.value : 0;
}

/// Whether a text is no transcript, but says that there is none: it has no letter and no digit (`-`), or is a word for
/// that.
bool is_placeholder(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{"n/a", "na",    "nan",     "none", "null",
                                                   "unk", "<unk>", "unknown", "dummy"};
  std::string plain;
  bool any = false;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z', other = static_cast<unsigned char>(c) >= 0x80;  // of other alphabets
    any = any || other || upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    plain += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return !any || std::ranges::find(kWords, plain) != kWords.end();
}

/// A measure's sum over the first rows, and the seconds of these rows.
struct Amount {
  double of_it = 0, seconds = 0;
  std::set<std::string> texts{};  ///< the different values of a text
  std::size_t rows = 0;           ///< that count
  /// The measure per second of duration.
  double a_second() const { return of_it / seconds; }
};

/// The amount of a measure in the complete rows of `head`. A row counts if its duration is above 0 and one of the
/// measure's columns is not empty; the first such column is taken. Placeholders do not count, and a text that is the
/// same in all of several rows makes the amount 0: nobody says the same in each.
Amount amount_of(const Measure& measure, const RowSink& sink, std::string_view head) {
  Amount amount;
  for_each_first_row(head, [&](const ColumnText& column) {
    const double seconds = sink.src().seconds(amount_in(column(sink.src().name()))).value_or(0);
    const auto has =
        std::ranges::find_if(measure.columns, [&](std::string_view name) { return !column(name).empty(); });
    if (has == measure.columns.end() || *has == sink.src().name() || seconds == 0) return;
    const std::string value = column(*has);
    if (measure.is_text && is_placeholder(value)) return;
    if (measure.is_text && amount.texts.size() < 2) amount.texts.insert(value);
    ++amount.rows;
    amount.of_it += measure.is_text ? static_cast<double>(value.size()) : amount_in(value);
    amount.seconds += seconds;
  });
  if (amount.rows > 1 && amount.texts.size() == 1) amount.of_it = 0;
  return amount;
}

constexpr auto kUnitHint = "say what the numbers are: --length-unit seconds, ms or samples";

/// Whether more than half of the rows last 500 s or longer. A thousandth of that, half a second, is the duration of a
/// word, and hardly any row is shorter: so the numbers may be a thousand times too large for their unit.
bool may_be_thousandths(const RowSink& sink) {
  constexpr double kWord = 500;  // milliseconds: people speak two to three words per second
  const bool seconds = sink.src().unit() == lengths::LengthUnit::seconds;
  const std::uint32_t frames = sink.src().read(seconds ? kWord : 1000 * kWord).length;
  const std::vector<std::uint32_t>& all = sink.rows.src;
  const auto large = std::ranges::count_if(all, [=](std::uint32_t length) { return length >= frames; });
  return 2 * static_cast<std::size_t>(large) > all.size();
}

/// Throws InputError: in its unit the column would make `a_second` of `of_what` (such as "bytes") per second.
[[noreturn]] void refuse_unit(const RowSink& sink, double a_second, std::string_view of_what) {
  throw InputError(
      {sink.file.path(), 0, sink.src().name()},
      fmt::format("cannot be in {}: that makes {} {} a second", name_of(sink.src().unit()),
                  a_second < 10 ? fmt::format("{:.2g}", a_second) : fmt::format("{:.0f}", a_second), of_what),
      kUnitHint);
}

/// Whether another column agrees with the unit of the source column; the first measure with any data decides. Throws
/// InputError if that measure contradicts the unit. False if there is no other column, or no column names.
bool is_confirmed(const RowSink& sink, std::string_view head) {
  if (sink.src().name().empty()) return false;
  for (const Measure& measure : kMeasures) {
    const Amount amount = amount_of(measure, sink, head);
    if (amount.of_it == 0) continue;
    const double a_second = amount.a_second();
    if (a_second > measure.most || (a_second < measure.least && may_be_thousandths(sink)))
      refuse_unit(sink, a_second, measure.what);
    return true;
  }
  return false;
}

/// Throws InputError for a column in seconds of whole numbers that are mostly 500 or more: without another column to
/// compare, they may be milliseconds.
void refuse_whole_numbers(const RowSink& sink) {
  if (sink.has_fractions() || !may_be_thousandths(sink)) return;
  throw InputError({sink.file.path(), 0, sink.src().name()},
                   "its numbers are whole, and most of them 500 or more: seconds, or milliseconds", kUnitHint);
}

/// Throws InputError if a recording is a thousand times as long as most are: seconds and milliseconds in one column, or
/// a typing error.
void refuse_two_units(const RowSink& sink) {
  constexpr std::uint64_t kThousand = 1000;
  const std::vector<std::uint32_t>& rows = sink.rows.src;
  if (rows.empty()) return;
  std::vector<std::uint32_t> copy = rows;
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::ranges::nth_element(copy, middle);
  const auto longest = std::ranges::max_element(rows);
  if (*middle == 0 || *longest < kThousand * *middle) return;
  throw InputError({sink.file.path(), 0, sink.src().name()},
                   fmt::format("recording {} of {} is {:.0f} times as long as the median", longest - rows.begin() + 1,
                               rows.size(), static_cast<double>(*longest) / *middle),
                   fmt::format("if units are mixed, correct the column; --max-length N leaves long ones out; if all "
                               "are in {}: --length-unit {}",
                               name_of(sink.src().unit()), name_of(sink.src().unit())));
}

// --- running totals

/// Differences between consecutive rows. `falls`: some row is smaller than the row before.
struct Steps {
  bool falls = false;
  std::size_t equal = 0;  ///< steps of 0
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max(), most = 0;
};

/// The differences between consecutive rows, up to the first row that falls. If one falls, the other members mean
/// nothing.
Steps steps_of(const std::vector<std::uint32_t>& rows) {
  Steps steps;
  for (std::size_t i = 1; i < rows.size() && !steps.falls; ++i) {
    steps.falls = rows[i] < rows[i - 1];
    const std::uint32_t step = rows[i] - rows[i - 1];
    steps.equal += step == 0 ? 1 : 0;
    steps.least = std::min(steps.least, step);
    steps.most = std::max(steps.most, step);
  }
  return steps;
}

/// The expected number of pairs of equal rows in a sorted, non-empty list of lengths, if lengths between the first and
/// the last are equally frequent. Any other distribution has more pairs.
double expected_equals(const std::vector<std::uint32_t>& rows) {
  const auto n = static_cast<double>(rows.size());
  return n * (n - 1) / 2 / (1.0 + rows.back() - rows.front());
}

/// Whether the rows are running totals that begin again at 0 in each of several documents: they begin with 0, rise
/// strictly between zeros, and would hardly do so by chance. Lengths between zeros rise by chance once in the product
/// of the factorials of their numbers.
bool are_totals_of_documents(const std::vector<std::uint32_t>& rows) {
  const double rare = std::log(40'320);  // as many as kFewest rows that rise
  if (rows.empty() || rows.front() != 0) return false;
  double chance = 0;
  std::size_t in_document = 0, documents = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    in_document = rows[i] == 0 ? 0 : in_document + 1;
    if (in_document == 0) continue;
    if (in_document > 1 && rows[i] <= rows[i - 1]) return false;
    chance += std::log(in_document);
    documents += in_document == 2 ? 1 : 0;
  }
  return documents > 1 && chance >= rare;
}

/// Whether at least 8 rows are one running total. A sorted list of lengths never falls either. But it hardly begins
/// with one 0 and continues almost without equals; and a long one has equals, because there are more pairs of rows than
/// lengths. The list 1, 2, 3, ... is not a running total of sequences.
bool are_running_totals(const std::vector<std::uint32_t>& rows) {
  constexpr std::size_t kFewest = 8;      // rows: as many distinct ones rise by chance once in 40,320 times
  constexpr std::size_t kOneIn = 20;      // rows that may be empty
  constexpr double kExpectedEquals = 20;  // none of them by chance: once in 5e8 times
  if (rows.size() < kFewest) return false;
  const Steps steps = steps_of(rows);
  if (steps.falls || steps.most <= 1) return false;
  if (rows[0] == 0 && rows[1] > 0) return steps.equal * kOneIn <= rows.size();
  return steps.equal == 0 && steps.least < steps.most && expected_equals(rows) >= kExpectedEquals;
}

/// The command that writes the differences of a list, after ": ". Totals that begin with 0 are one more than lengths.
std::string differences(const std::string& path, bool from_zero, bool restart) {
  const std::string_view awk = restart     ? "awk '$1 > 0 {print $1 - last} {last = $1}'"
                               : from_zero ? "awk 'NR > 1 {print $1 - last} {last = $1}'"
                                           : "awk '{print $1 - last; last = $1}'";
  return ": " + text::filtered(awk, path, "lengths.txt");
}

/// Throws InputError if the rows of one side are running totals. `field`: name of their column, for the error.
void refuse_running_totals(const RowSink& sink, const std::vector<std::uint32_t>& rows, const std::string& field) {
  const bool restart = are_totals_of_documents(rows);
  if (!restart && !are_running_totals(rows)) return;
  throw InputError({sink.file.path(), 0, field},
                   fmt::format("its {} rows rise from {}{} as running totals do, not lengths", rows.size(),
                               rows.front(), restart ? " again and again" : fmt::format(" to {}", rows.back())),
                   fmt::format("write the differences{}; if these are lengths, name their --length-unit",
                               field.empty() ? differences(sink.file.path(), rows.front() == 0, restart) : ""));
}

}  // namespace

void refuse_doubtful_lengths(const RowSink& sink, std::string_view head) {
  const ReadOptions& options = sink.file.options();
  if (options.length_unit || sink.text.was_used()) return;
  refuse_running_totals(sink, sink.rows.src, sink.src().name());
  refuse_running_totals(sink, sink.rows.tgt, sink.tgt_field());
  const bool is_time =
      sink.src().unit() == lengths::LengthUnit::seconds || sink.src().unit() == lengths::LengthUnit::milliseconds;
  if (is_time) refuse_two_units(sink);
  if (!is_time || is_confirmed(sink, head)) return;
  if (sink.src().unit() == lengths::LengthUnit::seconds) refuse_whole_numbers(sink);
}

}  // namespace seqpoint::io::manifests
