#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/text/csv_table.hpp"
#include "io/text/shortest_number.hpp"
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

/// How many ranks a run has, and the padded tokens of the mean one.
class RankColumns {
 public:
  explicit RankColumns(text::CsvTable& table)
      : table_(table),
        ranks_(table.find("ranks")),
        mean_(table.find("padded_tokens_mean")),
        all_(table.find("padded_tokens")) {}
  /// After the other columns of the row.
  void add_row(trace::Trace& trace) {
    if (ranks_) add_ranks(trace);
    if (mean_ ? !has_mean(trace) : !all_ || trace.ranks <= 1) return;
    const double mean = mean_ ? text::parse_number(table_.field(*mean_)).value
                              : static_cast<double>(trace.padded_tokens.back()) / static_cast<double>(trace.ranks);
    const std::uint64_t heaviest = trace.signature(trace.size() - 1).padded_tokens();
    if (mean > static_cast<double>(heaviest) * (1 + 1e-9))
      table_.problem(
          mean_.value_or(all_.value_or(0)),
          fmt::format("makes {} of the mean rank, which cannot have more than the one with the most work, {}",
                      text::shortest(mean), heaviest));
    trace.mean_padded_tokens.push_back(mean);
  }

 private:
  void add_ranks(trace::Trace& trace) {
    const std::uint64_t ranks = table_.integer(*ranks_);
    if (ranks == 0) table_.problem(*ranks_, "is 0: a run has at least one rank");
    if (trace.size() > 1 && ranks != trace.ranks)
      table_.problem(*ranks_, fmt::format("{} follows {}: a run has as many ranks throughout", ranks, trace.ranks));
    trace.ranks = ranks;
  }
  /// Whether the cell is a number that its neighbours do not contradict.
  bool has_mean(const trace::Trace& trace) {
    const text::Number mean = text::parse_number(table_.field(*mean_));
    const bool is_one = mean.fault == text::NumberFault::none && mean.value >= 0 && std::isfinite(mean.value);
    if (!is_one) table_.problem(*mean_, text::describe(text::NumberFault::not_a_number, table_.field(*mean_)));
    if (is_one && ranks_ && all_ &&
        std::abs(mean.value * static_cast<double>(trace.ranks) - static_cast<double>(trace.padded_tokens.back())) > 0.5)
      table_.problem(*mean_, fmt::format("{} times {} ranks is not padded_tokens, {}", text::shortest(mean.value),
                                         trace.ranks, trace.padded_tokens.back()));
    return is_one;
  }

  text::CsvTable& table_;
  std::optional<std::size_t> ranks_, mean_, all_;
};

/// Sets trace.tokens: without padding it is padded_tokens, the sum over all ranks, or else the tokens of the rank
/// with the most work.
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

/// "5 17|33 2": samples with blanks between them, and bars between ranks.
std::vector<std::uint32_t> rows_in(text::CsvTable& table, std::size_t column) {
  const std::string_view text = table.field(column), digits = "0123456789";
  std::vector<std::uint32_t> rows;
  for (std::size_t begin = 0, end = 0; end < text.size(); begin = end + 1) {
    end = std::min(text.find_first_not_of(digits, begin), text.size());
    const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, rows.emplace_back());
    if (error == std::errc() && (end == text.size() || text[end] == ' ' || text[end] == '|')) continue;
    table.problem(column, fmt::format("has no row of a data set at character {}", begin + 1));
    break;
  }
  return rows;
}

/// Clears iteration numbers that are 0, 1, 2, ..., which a trace need not hold.
void drop_consecutive_numbering(trace::Trace& trace) {
  for (std::size_t i = 0; i < trace.iteration.size(); ++i)
    if (trace.iteration[i] != i) return;
  trace.iteration.clear();
}

}  // namespace

TraceFile read_trace(stream::Input input, std::optional<std::uint32_t> batch_size, trace::BatchLayout layout,
                     bool rows) {
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
  RankColumns ranks(table);
  text::StatisticColumns statistics(table);
  const auto rows_column = rows ? table.find("rows") : std::nullopt;
  while (table.next()) {
    columns.add_row();
    if (!samples && varlen) trace.samples.push_back(*batch_size);
    if (!samples && !varlen) trace.batch_size.push_back(*batch_size);
    check_row(table, trace);
    ranks.add_row(trace);
    statistics.add_row(table);
    if (rows_column) file.rows.push_back(rows_in(table, *rows_column));
  }
  trace.statistics = statistics.finish(table, input.name(), file.notes);
  table.problems().throw_if_any("correct these cells; a column that holds no measurement can be left out");
  if (trace.size() == 0) throw InputError({input.name()}, "has a header but no iterations", "check how it was made");
  if (table.unterminated())
    file.notes.push_back(input.name() + ": the last line has no line end; it was read, but was the file cut short?");
  drop_consecutive_numbering(trace);
  if (table.find("ranks") && trace.ranks == 1) trace.mean_padded_tokens.clear();
  file.record = {.path = input.name(),
                 .format = "trace",
                 .fields = "",
                 .unit = "",
                 .digest = input.digest(),
                 .rows = trace.size()};
  if (varlen) complete_unpadded(file);
  return file;
}

}  // namespace seqpoint::io::artifacts
