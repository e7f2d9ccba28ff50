#include <fmt/core.h>

#include "io/text/csv_table.hpp"
#include "io/text/foreign_files.hpp"
#include "io/text/input_head.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "core/enum_names.hpp"
#include "core/numbers.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::io::text {
namespace {

/// Columns that identify a row, its batch, and its recorder.
constexpr std::array<std::string_view, 26> kReserved{
    "global_rank", "local_rank",  "iteration",   "epoch",           "step",
    "rank",        "ranks",       "samples",     "tokens",          "sq_tokens",
    "rows",        "selection",   "host",        "device",          "config",
    "session",     "recorded_by", "load",        "gpu_clock_mhz",   "gpu_memory_clock_mhz",
    "execution",   "executions",  "interrupted", "unpadded_tokens", "run_iterations",
    "batches"};

/// Whether the name is reserved, so that the column cannot be a metric: it identifies a row, its batch or its recorder,
/// or begins with src_, tgt_ or padded_tokens.
bool is_reserved_column(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end() || name.starts_with("src_") ||
         name.starts_with("tgt_") || name.starts_with("padded_tokens");
}

}  // namespace

bool is_key_column(std::string_view name) {
  const std::string_view canonical = trace::canonical_field(name);
  return canonical == "point" || canonical == "src_len" || canonical == "iteration";
}

Dialect dialect_of(std::string_view head) {
  const std::string_view header = first_line(head);
  if (header.find(';') != std::string_view::npos && header.find_first_of(",\t") == std::string_view::npos)
    return kSemicolons;
  return header.find('\t') != std::string_view::npos && header.find(',') == std::string_view::npos ? kTabs : kCommas;
}

CsvTable::CsvTable(stream::Input& input)
    : source_(input.name()),
      records_(input, dialect_of(input.head())),
      decimal_comma_(dialect_of(input.head()).separator == ';') {
  refuse_foreign_text(source_, input.head());
  if (!records_.next()) throw InputError({source_}, "is empty: it has neither a header nor rows");
  std::set<std::string> known;
  for (const std::string_view field : records_.fields()) {
    std::string name(trace::canonical_field(trim(unquoted(field))));
    if (!known.insert(name).second)
      throw InputError({source_, records_.line(), name}, "there are two columns of that name", "rename or remove one");
    columns_.push_back(std::move(name));
  }
}

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  const auto at = std::find(columns_.begin(), columns_.end(), name);
  if (at == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - columns_.begin());
}

std::vector<std::size_t> CsvTable::metric_columns() const {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (!is_reserved_column(columns_[c]) && columns_[c] != "batch_size" && columns_[c] != "point" &&
        !columns_[c].empty())
      found.push_back(c);
  return found;
}

bool CsvTable::next() {
  while (records_.next()) {
    const std::string wrong = width_problem(records_.fields().size(), columns_.size());
    if (wrong.empty()) {
      if (decimal_comma_) convert_decimal_commas();
      return true;
    }
    problems_.add({{source_, records_.line()}, wrong});
  }
  return false;
}

void CsvTable::convert_decimal_commas() {
  converted_fields_.assign(records_.fields().begin(), records_.fields().end());
  for (std::string& field : converted_fields_) std::replace(field.begin(), field.end(), ',', '.');
}

void CsvTable::problem(std::size_t column, std::string text) {
  problems_.add({{source_, line(), columns_[column]}, std::move(text)});
}

std::optional<std::uint64_t> CsvTable::optional_integer(std::size_t column, std::uint64_t most) const {
  const std::string_view text = trim(field(column));
  if (const auto value = number_in<std::uint64_t>(text); value && *value <= most) return value;
  // 64.0, the form of whole numbers in pandas for a column with gaps.
  const Number number = parse_number(text);
  constexpr std::uint64_t kMaxExact = std::uint64_t{1} << 53U;
  if (number.fault == NumberFault::none && number.value >= 0 && number.value == std::floor(number.value) &&
      number.value <= static_cast<double>(std::min(most, kMaxExact)))
    return static_cast<std::uint64_t>(number.value);
  return std::nullopt;
}

std::uint64_t CsvTable::integer(std::size_t column, std::uint64_t most) {
  if (const auto value = optional_integer(column, most)) return *value;
  const std::string_view text = trim(field(column));
  const Number number = parse_number(text);
  if (number.fault != NumberFault::none)
    problem(column, describe(number.fault, text));
  else
    problem(column, fmt::format("{} is not a whole number from 0 to {}", text, most));
  return 0;
}

void add_distinct(const CsvTable& table, const std::optional<std::size_t>& column, DistinctTexts& known) {
  if (!column) return;
  std::string text(trim(unquoted(table.field(*column))));
  if (!text.empty() && std::ranges::find(known, text, &DistinctTexts::value_type::first) == known.end())
    known.emplace_back(std::move(text), table.line());
}

MeasuredColumns::MeasuredColumns(const CsvTable& table) {
  for (const std::size_t c : table.metric_columns()) columns_.push_back({c, {table.columns()[c], {}}, false, 0, 0, {}});
}

void MeasuredColumns::add_row(CsvTable& table) {
  for (Column& column : columns_) {
    const std::string_view text = table.field(column.index);
    const Number number = parse_number(text);
    const bool is_number = number.fault == NumberFault::none;
    const bool measured = is_number && std::isfinite(number.value);
    column.any_number = column.any_number || is_number;
    column.not_finite += is_number && !measured ? 1 : 0;
    column.metric.values.push_back(measured ? number.value : std::numeric_limits<double>::quiet_NaN());
    std::string problem;
    if (!is_number && number.fault != NumberFault::missing) problem = describe(number.fault, text);
    if (measured && number.value < 0 && trace::is_time_metric(column.metric.name))
      problem = std::string(trim(text)) + " is negative; a time is 0 or more";
    if (measured && !trace::is_measurable(number.value)) problem = std::string(trim(text)) + trace::kNotMeasurable;
    if (problem.empty() || column.bad_line != 0) continue;
    column.bad_line = table.line();
    column.bad_text = std::move(problem);
  }
}

std::vector<trace::Metric> MeasuredColumns::finish(CsvTable& table, const std::string& source,
                                                   std::vector<std::string>& notes) {
  std::vector<trace::Metric> metrics;
  for (Column& column : columns_) {
    const bool meant = column.any_number || trace::is_time_metric(column.metric.name);  // as numbers
    if (meant && column.bad_line != 0)
      table.problems().add({{source, column.bad_line, column.metric.name}, column.bad_text});
    else if (column.any_number) {
      if (column.not_finite > 0)
        notes.push_back(fmt::format("{}: column '{}': {} not finite, taken as not measured; check how it was written",
                                    source, column.metric.name, counted(column.not_finite, "value")));
      metrics.push_back(std::move(column.metric));
    } else
      notes.push_back(
          fmt::format("{}: column '{}' contains no numbers and is left out; remove it", source, column.metric.name));
  }
  return metrics;
}

}  // namespace seqpoint::io::text
