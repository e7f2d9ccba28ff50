#include <charconv>
#include <cstring>

#include "io/manifests/formats/formats.hpp"
#include "io/text/csv_table.hpp"
#include "seqpoint/io/artifacts/artifacts.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// The columns that are whole numbers, and where their values go.
class IntegerColumns {
 public:
  explicit IntegerColumns(text::CsvTable& table) : table_(table) {}
  void read_into(std::string_view name, std::vector<std::uint32_t>& to) {
    if (const auto column = table_.find(name)) columns_32_.emplace_back(*column, &to);
  }
  void read_into(std::string_view name, std::vector<std::uint64_t>& to) {
    if (const auto column = table_.find(name)) columns_64_.emplace_back(*column, &to);
  }
  /// Sums of squared lengths, which may take all 64 bits.
  void read_squares_into(std::vector<std::uint64_t>& to) { squares_.emplace_back(*table_.find("sq_tokens"), &to); }
  void add_row() {
    for (const auto& [column, to] : columns_32_)
      to->push_back(static_cast<std::uint32_t>(table_.integer(column, text::kMostLength)));
    for (const auto& [column, to] : columns_64_) to->push_back(table_.integer(column));
    for (const auto& [column, to] : squares_)
      to->push_back(table_.integer(column, std::numeric_limits<std::uint64_t>::max()));
  }

 private:
  text::CsvTable& table_;
  std::vector<std::pair<std::size_t, std::vector<std::uint32_t>*>> columns_32_;
  std::vector<std::pair<std::size_t, std::vector<std::uint64_t>*>> columns_64_, squares_;
};

void require_columns(const text::CsvTable& table, const std::string& source, bool batch_size_given,
                     trace::BatchLayout layout) {
  const bool varlen = layout == trace::BatchLayout::varlen;
  if (table.find("point"))
    throw InputError({source, 1, "point"},
                     "is a column of a profile: its rows are measurements, not the iterations of a run",
                     "give the trace that `seqpoint scan` or a training loop wrote");
  if (!varlen && !table.find("src_len"))
    throw InputError({source, 1}, "has no column 'src_len'",
                     table.find("sq_tokens") ? "of training without padding: --signature varlen"
                                             : "a trace has the columns iteration, src_len, batch_size");
  for (const char* const name : {"tokens", "sq_tokens"})
    if (varlen && !table.find(name))
      throw InputError({source, 1},
                       "has no column '" + std::string(name) + "', and --signature varlen goes by tokens and sq_tokens",
                       "the sums of lengths and of squared lengths of each batch: `seqpoint scan --signature varlen` "
                       "writes them; or leave the option out");
  const bool samples = varlen && table.find("samples");
  if (!samples && !table.find("batch_size") && !batch_size_given)
    throw InputError({source, 1}, "has no column 'batch_size'",
                     "add it, or say --batch-size N if every iteration had as many");
}

/// Of a trace without padding: what it has of the samples, and the batch of one row.
void read_unpadded(IntegerColumns& columns, const text::CsvTable& table, trace::Trace& trace) {
  columns.read_into("tokens", trace.batch_tokens);
  columns.read_squares_into(trace.sq_tokens);
  columns.read_into(table.find("samples") ? "samples" : "batch_size", trace.samples);
}

void read_padded(IntegerColumns& columns, trace::Trace& trace) {
  columns.read_into("src_len", trace.src_len);
  columns.read_into("tgt_len", trace.tgt_len);
  columns.read_into("batch_size", trace.batch_size);
  columns.read_into("samples", trace.samples);
  columns.read_into("tokens", trace.tokens);
}

/// Sets trace.tokens: without padding it is padded_tokens, the sum over all ranks, or else the tokens of the largest
/// rank.
void complete_unpadded(TraceFile& file) {
  trace::Trace& trace = file.trace;
  trace.tokens = trace.padded_tokens;
  if (trace.tokens.empty()) trace.tokens.assign(trace.batch_tokens.begin(), trace.batch_tokens.end());
  std::uint64_t inconsistent = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::uint64_t tokens = trace.batch_tokens[i];
    inconsistent += trace.sq_tokens[i] < tokens || trace.sq_tokens[i] > tokens * tokens ? 1 : 0;
  }
  if (inconsistent > 0)
    file.notes.push_back(file.record.path + ": " + counted(inconsistent, "iteration") +
                         " whose sq_tokens no lengths of that many tokens have: is it the sum of their squares?");
}

void check_row(text::CsvTable& table, const trace::Trace& trace) {
  const bool varlen = trace.kind() == trace::SignatureKind::varlen;
  const auto samples = table.find(varlen && table.find("samples") ? "samples" : "batch_size");
  if (samples && (varlen ? trace.samples.back() == 0 : trace.batch_size.back() == 0))
    table.problem(*samples, "is 0: every iteration has samples");
  if (trace.iteration.size() > 1 && trace.iteration.back() <= trace.iteration[trace.iteration.size() - 2])
    table.problem(*table.find("iteration"),
                  std::to_string(trace.iteration.back()) + " follows " +
                      std::to_string(trace.iteration[trace.iteration.size() - 2]) +
                      ": iterations are numbered through all epochs (a column 'epoch' may restart)");
}

/// Clears iteration numbers that are 0, 1, 2, ..., which a trace need not hold.
void drop_consecutive_numbering(trace::Trace& trace) {
  for (std::size_t i = 0; i < trace.iteration.size(); ++i)
    if (trace.iteration[i] != i) return;
  trace.iteration.clear();
}

/// The texts of 0 to 999, with leading zeros: most lengths are one or two of them.
struct ThreeDigits {
  std::array<std::array<char, 4>, 1000> text{};
  constexpr ThreeDigits() {
    for (std::size_t n = 0; n < text.size(); ++n)
      text[n] = {static_cast<char>('0' + n / 100), static_cast<char>('0' + n / 10 % 10),
                 static_cast<char>('0' + n % 10), 0};
  }
};
constexpr ThreeDigits kThreeDigits;

/// Writes a number and returns where it ends. `to` has room for 20 digits.
char* write_number(char* to, std::uint64_t value) {
  constexpr std::uint64_t kThousand = 1000;
  if (value >= kThousand * kThousand) return std::to_chars(to, to + 20, value).ptr;
  const auto write_digits = [&to](std::uint64_t number, int digits) {
    std::memcpy(to, kThreeDigits.text[number].data() + 3 - digits, static_cast<std::size_t>(digits));
    to += digits;
  };
  const std::uint64_t first = value < kThousand ? value : value / kThousand;
  if (first >= 100)
    write_digits(first, 3);
  else if (first >= 10)
    write_digits(first, 2);
  else
    write_digits(first, 1);
  if (value >= kThousand) write_digits(value % kThousand, 3);
  return to;
}

/// Writes lines of numbers through a buffer: a call of the sink for every line takes longer than formatting it.
class NumberLineWriter {
 public:
  explicit NumberLineWriter(const ByteSink& sink) : sink_(sink) {}
  void add(std::uint64_t value, char end) {
    if (text_.size() - used_ < kLongestNumber) flush();
    char* const behind = write_number(text_.data() + used_, value);
    *behind = end;
    used_ = static_cast<std::size_t>(behind + 1 - text_.data());
  }
  void flush() {
    sink_({text_.data(), used_});
    used_ = 0;
  }

 private:
  static constexpr std::size_t kLongestNumber = 24;  // for any number and what ends it
  const ByteSink& sink_;
  std::array<char, 16 * 1024> text_{};
  std::size_t used_ = 0;
};

void append_number(std::string& line, std::uint64_t value) {
  std::array<char, 24> text{};
  line.append(text.data(), write_number(text.data(), value));
}

}  // namespace

TraceFile read_trace(stream::Input input, std::optional<std::uint32_t> batch_size, trace::BatchLayout layout) {
  TraceFile file;
  trace::Trace& trace = file.trace;
  text::CsvTable table(input);
  require_columns(table, input.name(), batch_size.has_value(), layout);
  const bool varlen = layout == trace::BatchLayout::varlen,
             samples = table.find("batch_size") || (varlen && table.find("samples"));
  IntegerColumns columns(table);
  if (varlen)
    read_unpadded(columns, table, trace);
  else
    read_padded(columns, trace);
  columns.read_into("padded_tokens", trace.padded_tokens);
  columns.read_into("iteration", trace.iteration);
  columns.read_into("epoch", trace.epoch);
  columns.read_into("step", trace.optimiser_step);
  text::StatisticColumns statistics(table);
  while (table.next()) {
    columns.add_row();
    if (!samples && varlen) trace.samples.push_back(*batch_size);
    if (!samples && !varlen) trace.batch_size.push_back(*batch_size);
    check_row(table, trace);
    statistics.add_row(table);
  }
  trace.statistics = statistics.finish(table, input.name(), file.notes);
  table.problems().throw_if_any("correct these cells; a column that holds no measurement can be left out");
  if (trace.size() == 0) throw InputError({input.name()}, "has a header but no iterations", "check how it was made");
  if (table.unterminated())
    file.notes.push_back(input.name() + ": the last line has no line end; it was read, but was the file cut short?");
  drop_consecutive_numbering(trace);
  file.record = {.path = input.name(),
                 .format = "trace",
                 .fields = "",
                 .unit = "",
                 .digest = input.digest(),
                 .rows = trace.size()};
  if (varlen) complete_unpadded(file);
  return file;
}

TraceWriter::TraceWriter(Columns columns, ByteSink sink) : columns_(columns), sink_(std::move(sink)) {
  line_ = "iteration";
  if (columns_.epochs) line_ += ",epoch";
  if (columns_.steps) line_ += ",step";
  line_ += ",src_len";
  if (columns_.paired) line_ += ",tgt_len";
  line_ += ",batch_size,samples,tokens";
  if (columns_.layout == trace::BatchLayout::varlen) line_ += ",sq_tokens";
  if (columns_.ranks) line_ += ",padded_tokens";
  if (columns_.rows) line_ += ",rows";
  sink_(line_ += '\n');
}

void TraceWriter::add(const trace::IterationRow& row, const batching::MicroBatch& step) {
  line_.clear();
  const auto next = [&](std::uint64_t value) {
    if (!line_.empty()) line_ += ',';
    append_number(line_, value);
  };
  next(row.iteration);
  if (columns_.epochs) next(row.epoch);
  if (columns_.steps) next(row.optimiser_step);
  next(row.padded_signature.src_len);
  if (columns_.paired) next(row.padded_signature.tgt_len);
  next(row.padded_signature.batch_size);
  next(row.samples);
  const bool varlen = columns_.layout == trace::BatchLayout::varlen;
  next(varlen ? row.signature.tokens : row.tokens);
  if (varlen) next(row.signature.sq_tokens);
  if (columns_.ranks) next(row.padded_tokens);
  if (columns_.rows) line_ += ',';
  for (std::size_t r = 0; columns_.rows && r < step.ranks(); ++r) {
    if (r > 0) line_ += '|';
    bool first = true;
    for (const std::uint32_t sample : step.rows_of_rank(r)) {
      if (!first) line_ += ' ';
      append_number(line_, sample);
      first = false;
    }
  }
  sink_(line_ += '\n');
}

void write_lengths(const lengths::Lengths& lengths, const ByteSink& sink) {
  sink(lengths.paired() ? "src_len,tgt_len\n" : "src_len\n");
  NumberLineWriter lines(sink);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lines.add(lengths.src[i], lengths.paired() ? ',' : '\n');
    if (lengths.paired()) lines.add(lengths.tgt[i], '\n');
  }
  lines.flush();
}

}  // namespace seqpoint::io::artifacts
