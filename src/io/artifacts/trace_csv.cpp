#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "core/trace/trace.hpp"
#include "io/artifacts/files.hpp"
#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"
#include "io/text/csv_table.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// The columns of whole numbers, and their destinations.
class IntegerColumns {
 public:
  explicit IntegerColumns(text::CsvTable& table) : table_(table) {}
  /// Appends column `name` to `to` at every add_row(). Does nothing if the table has no such column.
  void read_into(std::string_view name, std::vector<std::uint32_t>& to) {
    if (const auto column = table_.find(name)) columns_32_.emplace_back(*column, &to);
  }
  /// The same with 64 bits.
  void read_into(std::string_view name, std::vector<std::uint64_t>& to) {
    if (const auto column = table_.find(name)) columns_64_.emplace_back(*column, &to);
  }
  void add_row() {
    for (const auto& [column, to] : columns_32_)
      to->push_back(static_cast<std::uint32_t>(table_.integer(column, text::kMaxLength)));
    for (const auto& [column, to] : columns_64_) to->push_back(table_.integer(column));
  }

 private:
  text::CsvTable& table_;
  std::vector<std::pair<std::size_t, std::vector<std::uint32_t>*>> columns_32_;
  std::vector<std::pair<std::size_t, std::vector<std::uint64_t>*>> columns_64_;
};

/// The name of the column with the number of samples: "samples" without padding if the table has it, else "batch_size",
/// which the table may lack.
const char* samples_column(const text::CsvTable& table, trace::BatchLayout layout) {
  return layout == trace::BatchLayout::varlen && table.find("samples") ? "samples" : "batch_size";
}

/// Throws InputError for a table of measurements, and if a column that the layout needs is missing. `batch_size_given`:
/// the column batch_size may be missing.
void require_columns(const text::CsvTable& table, const std::string& source, bool batch_size_given,
                     trace::BatchLayout layout) {
  const bool varlen = layout == trace::BatchLayout::varlen;
  if (table.find("point"))
    throw InputError({source, 1, "point"},
                     "is a column of a profile: its rows are measurements, not the iterations of a run",
                     "give the trace that `seqpoint scan` or a training loop wrote");
  if (!varlen && !table.find("src_len"))
    throw InputError({source, 1}, "has no column 'src_len'",
                     table.find("sq_tokens") ? "of training without padding: --shape varlen"
                                             : "a trace has the columns iteration, src_len, batch_size");
  for (const char* const name : {"tokens", "sq_tokens"})
    if (varlen && !table.find(name))
      throw InputError({source, 1},
                       "has no column '" + std::string(name) + "', and --shape varlen goes by tokens and sq_tokens",
                       "the sums of lengths and of squared lengths of each batch: `seqpoint scan --shape varlen` "
                       "writes them; or leave the option out");
  if (!table.find(samples_column(table, layout)) && !batch_size_given)
    throw InputError({source, 1}, "has no column 'batch_size'",
                     "add it, or say --batch-size N if every iteration had as many");
}

/// The columns of a shape. The batch size is a parameter if no column has it.
class ShapeColumns {
 public:
  ShapeColumns(text::CsvTable& table, trace::ShapeKind kind, std::optional<std::uint32_t> batch_size)
      : table_(table), kind_(kind), batch_size_(batch_size) {
    for (const trace::Dimension dimension : trace::dimensions_of(kind))
      if (const auto column = table.find(trace::name_of(dimension))) columns_.emplace_back(dimension, *column);
  }
  /// The shape of the current row. A cell that is not a whole number becomes a problem and counts as 0.
  trace::Shape shape() {
    trace::PartialShape parts{.batch_size = batch_size_};
    for (const auto& [dimension, column] : columns_)
      parts[dimension] = table_.integer(column, trace::largest_value(dimension));
    return parts.whole(kind_).value();
  }

 private:
  text::CsvTable& table_;
  trace::ShapeKind kind_;
  std::optional<std::uint64_t> batch_size_;
  std::vector<std::pair<trace::Dimension, std::size_t>> columns_;
};

/// The number of ranks, and the padded tokens of the mean rank.
class RankColumns {
 public:
  explicit RankColumns(text::CsvTable& table)
      : table_(table),
        ranks_(table.find("ranks")),
        mean_(table.find("padded_tokens_mean")),
        all_(table.find("padded_tokens")) {}
  /// Sets the number of ranks and adds the padded tokens of the mean rank: column padded_tokens_mean, else
  /// padded_tokens divided by several ranks. Call after add_row() of the other columns.
  void add_row(trace::Trace& trace) {
    if (ranks_) add_ranks(trace);
    if (mean_ ? !has_mean(trace) : !all_ || trace.ranks <= 1) return;
    const double mean = mean_ ? text::parse_number(table_.field(*mean_)).value
                              : static_cast<double>(trace.padded_tokens.back()) / static_cast<double>(trace.ranks);
    const std::uint64_t heaviest = trace.shapes.back().padded_tokens();
    if (mean > static_cast<double>(heaviest) * (1 + 1e-9))
      table_.problem(
          mean_.value_or(all_.value_or(0)),
          fmt::format("makes {} of the mean rank, which cannot have more than the one with the most work, {}",
                      text::shortest(mean), heaviest));
    trace.mean_padded_tokens.push_back(mean);
  }

 private:
  /// Every row must have the same number of ranks, at least 1.
  void add_ranks(trace::Trace& trace) {
    const std::uint64_t ranks = table_.integer(*ranks_);
    if (ranks == 0) table_.problem(*ranks_, "is 0: a run has at least one rank");
    if (trace.size() > 1 && ranks != trace.ranks)
      table_.problem(*ranks_, fmt::format("{} follows {}: a run has as many ranks throughout", ranks, trace.ranks));
    trace.ranks = ranks;
  }
  /// Whether the mean is a finite number of 0 or more; anything else is a problem. Times the ranks it must be
  /// padded_tokens, within 0.5, which is a problem only.
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

/// The number of batches that a run has of which the rows are one of each part.
class BatchesColumn {
 public:
  explicit BatchesColumn(text::CsvTable& table) : table_(table), column_(table.find("batches")) {}
  void add_row(trace::Trace& trace) {
    if (!column_) return;
    const std::uint64_t batches = table_.integer(*column_), last = trace.iteration_number(trace.size() - 1);
    if (trace.size() > 1 && batches != trace.of_batches)
      table_.problem(*column_, fmt::format("{} follows {}: all rows are of one run", batches, trace.of_batches));
    if (batches <= last)
      table_.problem(*column_, fmt::format("is {}, and this is iteration {}, counted from 0", batches, last));
    if (!trace.epoch.empty() && trace.epoch.back() != trace.epoch.front())
      table_.problem(*column_, "is of a part of a run, and that is of one epoch");
    trace.of_batches = batches;
  }

 private:
  text::CsvTable& table_;
  std::optional<std::size_t> column_;
};

/// The batches of each rank: "5 17|33 2", rows of the data set with blanks between them, and bars between ranks.
class BatchColumn {
 public:
  BatchColumn(text::CsvTable& table, batching::RecordedOrder& order)
      : table_(table), column_(*table.find("rows")), order_(order) {}

  /// Adds the batches of the current row. Invalid text, and another number of ranks than in rows before, are problems.
  void add_row() {
    const std::size_t before = order_.rank_ends.size();
    const std::size_t bad = read(table_.field(column_)), ranks = order_.rank_ends.size() - before;
    order_.lines.push_back(table_.line());
    if (bad > 0) return table_.problem(column_, fmt::format("has no row of a data set at character {}", bad));
    if (knows_ranks_ && ranks != order_.ranks)
      table_.problem(column_, fmt::format("is of {}, the rows before are of {}", counted(ranks, "rank"), order_.ranks));
    order_.ranks = ranks;
    knows_ranks_ = true;
  }

 private:
  /// Appends the rows and ranks of a cell to the order. Returns 0, or the position (from 1) of the first invalid
  /// number.
  std::size_t read(std::string_view cell) {
    const char *const begin = cell.data(), *const end = begin + cell.size();
    for (const char* at = begin; at != end; ++at) {
      if (*at == '|') order_.rank_ends.push_back(order_.rows.size());
      if (*at == '|' || *at == ' ') continue;
      const auto [rest, error] = std::from_chars(at, end, order_.rows.emplace_back());
      const bool ends = rest == end || *rest == ' ' || *rest == '|';
      if (error != std::errc{} || !ends || order_.rows.back() > text::kMaxLength)
        return static_cast<std::size_t>(at - begin) + 1;
      at = rest - 1;
    }
    order_.rank_ends.push_back(order_.rows.size());
    return 0;
  }

  text::CsvTable& table_;
  std::size_t column_;
  batching::RecordedOrder& order_;
  bool knows_ranks_ = false;
};

/// Without padding: unless column unpadded_tokens has set them, sets trace.tokens to padded_tokens, the sum over all
/// ranks, or if that is missing to the tokens of the rank with the most work. Adds a note on iterations with impossible
/// sq_tokens.
void complete_unpadded(TraceFile& file) {
  trace::Trace& trace = file.trace;
  const bool padded_up = !trace.tokens.empty();  // squares are of the tokens before that
  if (!padded_up) trace.tokens = trace.padded_tokens;
  const bool is_sum = !trace.tokens.empty();
  std::uint64_t inconsistent = 0;
  for (const trace::Shape& shape : trace.shapes) {
    const std::uint64_t tokens = shape.tokens;
    if (!is_sum) trace.tokens.push_back(tokens);
    inconsistent += !padded_up && (shape.sq_tokens < tokens || shape.sq_tokens > tokens * tokens) ? 1 : 0;
  }
  if (inconsistent > 0)
    file.notes.push_back(file.record.path + ": " + counted(inconsistent, "iteration") +
                         " whose sq_tokens no lengths of that many tokens have; it is to be the sum of their squares");
}

/// Conditions on every row of a trace: it has samples, and iteration numbers ascend. Violations are problems of the
/// table.
void check_row(text::CsvTable& table, const trace::Trace& trace) {
  const trace::BatchLayout layout = trace::properties_of(trace.kind).layout;
  const auto samples = table.find(samples_column(table, layout));
  const bool padded = layout == trace::BatchLayout::padded;
  if (samples && (padded ? trace.shapes.back().batch_size : trace.samples.back()) == 0)
    table.problem(*samples, "is 0: every iteration has samples");
  if (trace.iteration.size() > 1 && trace.iteration.back() <= trace.iteration[trace.iteration.size() - 2])
    table.problem(*table.find("iteration"),
                  std::to_string(trace.iteration.back()) + " follows " +
                      std::to_string(trace.iteration[trace.iteration.size() - 2]) +
                      ": iterations are numbered through all epochs (a column 'epoch' may restart)");
}

std::string cut_short(const std::string& source) {
  return source + ": the last line has no line end; check that the file is whole";
}

/// Clears iteration numbers that are 0, 1, 2, ..., which a trace need not store.
void drop_consecutive_numbering(trace::Trace& trace) {
  for (std::size_t i = 0; i < trace.iteration.size(); ++i)
    if (trace.iteration[i] != i) return;
  trace.iteration.clear();
}

/// Throws InputError for an iteration without rows.
void require_samples(const batching::RecordedOrder& order) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order.rows_of(i).empty())
      throw InputError({order.source, order.lines[i], "rows"}, "names no row: every iteration has samples",
                       "an IterableDataset has no rows: its batches are measured by their place in the run");
}

/// Sets ranks and samples from the column rows: samples only if no other column has them. Throws InputError for an
/// iteration without rows, and if the column ranks differs.
void complete_from_rows(const text::CsvTable& table, TraceFile& file) {
  trace::Trace& trace = file.trace;
  batching::RecordedOrder& order = *file.order;
  order.source = file.record.path;
  require_samples(order);
  if (table.find("ranks") && trace.ranks != order.ranks)
    throw InputError({file.record.path, order.lines.front(), "rows"},
                     fmt::format("is of {}, the column ranks says {}", counted(order.ranks, "rank"), trace.ranks),
                     "correct one of the two columns, or leave it out");
  trace.ranks = order.ranks;
  if (order.ranks == 1 || !trace.samples.empty()) return;
  for (std::size_t i = 0; i < order.size(); ++i) trace.samples.push_back(order.rows_of(i).size());
}

/// Conditions on every row of an order: samples, epochs one after the other, and iterations from 0 without gaps, which
/// may restart in each epoch. Violations are problems of the table.
void check_order_row(text::CsvTable& table, const batching::RecordedOrder& order,
                     const std::vector<std::uint64_t>& iterations) {
  const auto batch_size = table.find("batch_size");
  if (batch_size && table.optional_integer(*batch_size, text::kMaxLength) == 0U)
    table.problem(*batch_size, "is 0: every iteration has samples");
  const std::size_t n = order.size();
  const bool is_first = n == 1;
  const std::uint64_t skipped =
      order.epoch.empty() || is_first ? 0 : order.epoch.back() - order.epoch[n - 2];  // wraps if epochs go back
  if (skipped > 1)
    table.problem(*table.find("epoch"), fmt::format("{} follows {}: an order has epochs one after the other",
                                                    order.epoch.back(), order.epoch[n - 2]));
  if (iterations.empty()) return;
  const std::uint64_t here = iterations.back(), next = is_first ? 0 : iterations[n - 2] + 1;
  if (here != next && !(skipped == 1 && here == 0))
    table.problem(*table.find("iteration"),
                  is_first ? fmt::format("is {}: an order begins with iteration 0", here)
                           : fmt::format("{} follows {}: an order has every iteration, counted through the run or anew "
                                         "in each epoch",
                                         here, next - 1));
}

/// The column `interrupted`: it names other work (`validation`, `checkpoint`) that is part of an iteration's recorded
/// time.
class InterruptedColumn {
 public:
  explicit InterruptedColumn(const text::CsvTable& table) : column_(table.find("interrupted")) {}
  void add_row(const text::CsvTable& table) {
    if (!column_) return;
    const std::string_view kind = text::trim(table.field(*column_));
    rows_.push_back(!kind.empty());
    if (!kind.empty()) kinds_.emplace(kind);
  }
  /// Gives interrupted rows the time of other rows of their shape. A note reports the time that they took beyond it.
  void finish(trace::Trace& trace, const std::string& source, std::vector<std::string>& notes) const {
    if (kinds_.empty()) return;
    const double before = total_time(trace);
    trace::fill_interrupted(trace, rows_);
    const auto number = static_cast<std::uint64_t>(std::ranges::count(rows_, true));
    notes.push_back(fmt::format(
        "{}: {} with {} took {:.3g} s more than their shapes do, and count as these (`project` --epoch-overhead)",
        source, counted(number, "iteration"), fmt::join(kinds_, " or "), before - total_time(trace)));
  }

 private:
  /// Sum of the finite times of the trace's time metric; 0 if there is none.
  static double total_time(const trace::Trace& trace) {
    double total = 0;
    if (const trace::Metric* const times = trace.time_metric())
      for (const double value : times->values) total += std::isfinite(value) ? value : 0;
    return total;
  }

  std::optional<std::size_t> column_;
  std::vector<bool> rows_;
  std::set<std::string, std::less<>> kinds_;
};

/// Removes what says nothing more than other columns, adds what the rows of the data set imply, and, without padding,
/// the shapes' sizes. An order without rows is removed.
void complete(const text::CsvTable& table, bool varlen, TraceFile& file) {
  trace::Trace& trace = file.trace;
  drop_consecutive_numbering(trace);
  if (table.find("ranks") && trace.ranks == 1) trace.mean_padded_tokens.clear();
  if (file.order && file.order->rows.empty()) file.order.reset();  // an IterableDataset
  if (file.order) complete_from_rows(table, file);
  if (varlen) complete_unpadded(file);
}

}  // namespace

OrderFile read_order(stream::Input input) {
  OrderFile file;
  batching::RecordedOrder& order = file.order;
  order.source = input.name();
  text::CsvTable table(input);
  if (!table.find("rows"))
    throw InputError({input.name(), 1}, "has no column 'rows', the dataset rows of each batch",
                     "`seqpoint scan --rows` writes one, and so does the companion for PyTorch of a job's own loader");
  IntegerColumns columns(table);
  BatchColumn batches(table, order);
  std::vector<std::uint64_t> iterations;
  columns.read_into("epoch", order.epoch);
  columns.read_into("iteration", iterations);
  columns.read_into("step", order.optimiser_step);
  columns.read_into("src_len", order.src_len);
  columns.read_into("tgt_len", order.tgt_len);
  columns.read_into("batch_size", order.batch_size);
  while (table.next()) {
    columns.add_row();
    batches.add_row();
    check_order_row(table, order, iterations);
  }
  table.problems().throw_if_any("correct these cells; of the columns only rows has to be there");
  if (order.size() == 0) throw InputError({input.name()}, "has a header but no iterations");
  require_samples(order);
  if (table.unterminated()) file.notes.push_back(cut_short(input.name()));
  for (const std::size_t c : table.metric_columns())
    file.notes.push_back(
        fmt::format("{}: an order does not use the column '{}'; remove it", input.name(), table.columns()[c]));
  file.record = manifests::record_of(input, "order", order.size());
  return file;
}

std::string stretch_of(const std::string& profile) {
  return std::filesystem::path(profile).replace_extension(".stretch.csv").string();
}

std::string process_in(const std::string& path) {
  stream::Input input = stream::Input::open(path);
  text::CsvTable table(input);
  const std::optional<std::size_t> column = table.find("session");
  return column && table.next() ? std::string(table.field(*column)) : "";
}

TraceFile read_trace(stream::Input input, std::optional<std::uint32_t> batch_size, trace::BatchLayout layout,
                     bool rows) {
  TraceFile file;
  trace::Trace& trace = file.trace;
  text::CsvTable table(input);
  require_columns(table, input.name(), batch_size.has_value(), layout);
  const bool varlen = layout == trace::BatchLayout::varlen,
             samples_given = varlen && !table.find(samples_column(table, layout));
  trace.kind = trace::kind_of(layout, table.find("tgt_len").has_value());
  ShapeColumns shapes(table, trace.kind, batch_size);
  IntegerColumns columns(table);
  columns.read_into(varlen ? samples_column(table, layout) : "samples", trace.samples);
  columns.read_into(varlen ? "unpadded_tokens" : "tokens", trace.tokens);
  columns.read_into("padded_tokens", trace.padded_tokens);
  columns.read_into("iteration", trace.iteration);
  columns.read_into("epoch", trace.epoch);
  columns.read_into("step", trace.optimiser_step);
  RankColumns ranks(table);
  BatchesColumn part_of(table);
  std::optional<BatchColumn> batches;
  if (rows && table.find("rows")) batches.emplace(table, file.order.emplace());
  text::MeasuredColumns measured(table);
  InterruptedColumn interrupted(table);
  while (table.next()) {
    interrupted.add_row(table);
    trace.shapes.push_back(shapes.shape());
    columns.add_row();
    if (batches) batches->add_row();
    if (samples_given) trace.samples.push_back(*batch_size);
    check_row(table, trace);
    ranks.add_row(trace);
    part_of.add_row(trace);
    measured.add_row(table);
  }
  trace.metrics = measured.finish(table, input.name(), file.notes);
  table.problems().throw_if_any("correct these cells; a column that holds no measurement can be left out");
  if (trace.size() == 0) throw InputError({input.name()}, "has a header but no iterations");
  interrupted.finish(trace, input.name(), file.notes);
  if (table.unterminated()) file.notes.push_back(cut_short(input.name()));
  file.record = manifests::record_of(input, "trace", trace.size());
  complete(table, varlen, file);
  return file;
}

}  // namespace seqpoint::io::artifacts
