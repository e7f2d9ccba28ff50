#include "io/manifests/row_sink.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace seqpoint::io::manifests {

RowSink::RowSink(ManifestFile manifest) : file(std::move(manifest)), text(file.options()) { set_columns(""); }

RowSink RowSink::make_part() const {
  RowSink empty(file);
  empty.src_.emplace(*src_);
  if (tgt_) empty.tgt_.emplace(*tgt_);
  return empty;
}

void RowSink::append(RowSink&& part, std::uint64_t lines) {
  rows.append(part.rows);
  counts.append(part.counts);
  problems_.append(std::move(part.problems_), lines);
  any_corrupt_ = any_corrupt_ || part.any_corrupt_;
  text.append(part.text);
  has_fractions_ = has_fractions_ || part.has_fractions_;
}

void RowSink::clear() {
  rows.clear();
  counts = {};
  problems_.clear();
  any_corrupt_ = false;
  text.clear();
  has_fractions_ = false;
}

void RowSink::throw_problems() const {
  const char* hint = "correct these rows, or leave out those without a usable length with --skip-missing";
  if (any_corrupt_)
    hint = "correct these lines, or take them out";
  else if (rows.unusable.size() == rows.size())  // without them, nothing would be left
    hint = src_->name().empty() ? "no row has a usable length: check how the file was made"
                                : "no row has a usable length: name another column with --length-field";
  problems_.throw_if_any(hint);
}

void RowSink::set_columns(const std::string& src, const std::string& tgt, std::optional<lengths::LengthUnit> unit) {
  const ReadOptions& options = file.options();
  src_.emplace(src, options.length_unit.value_or(unit.value_or(lengths::unit_of_column(src))), options.frames);
  tgt_.reset();
  if (!tgt.empty()) tgt_.emplace(tgt, options.length_unit.value_or(lengths::unit_of_column(tgt)), options.frames);
}

void RowSink::set_computed(lengths::LengthUnit unit) {
  const std::optional<lengths::LengthUnit> asked = file.options().length_unit;
  if (asked.value_or(unit) != unit)
    throw UsageError(fmt::format("--length-unit {}: the lengths of {} are in {}", lengths::name_of(*asked), file.path(),
                                 lengths::name_of(unit)));
  set_columns("", "", unit);
}

void RowSink::add_problem(std::uint64_t line, const std::string& field, std::string problem) {
  if (file.options().skip_missing) return;
  if (line == 0) problem = fmt::format("row {}: {}", rows.size(), problem);
  problems_.add({{file.path(), line, field}, std::move(problem)});
}

void RowSink::append_seconds(double number) {
  if (const auto duration = src_->seconds(number)) rows.seconds.push_back(*duration);
}

/// Outside of read(), which every row calls, so that read() stays small enough to be inlined.
template <class Written>
[[gnu::noinline]] void RowSink::add_cell_problem(std::uint64_t line, Written written, const LengthColumn& column) {
  add_problem(line, column.name(), column.problem(written));
}

template <class Written>
inline LengthColumn::Cell RowSink::read(std::uint64_t line, Written written, const LengthColumn& column) {
  const Cell cell = column.read(written);
  if (!cell.good) add_cell_problem(line, written, column);
  return cell;
}

void RowSink::add(std::uint64_t line, std::string_view src) {
  const Cell cell = read(line, src, *src_);
  append_row(cell, cell.good);
}

void RowSink::add(std::uint64_t line, std::string_view src, std::string_view tgt) {
  const Cell source = read(line, src, *src_);
  append_pair(source, read(line, tgt, *tgt_));
}

void RowSink::add_number(std::uint64_t line, double src) {
  const Cell cell = read(line, src, *src_);
  append_row(cell, cell.good);
}

void RowSink::add_number(std::uint64_t line, double src, double tgt) {
  const Cell source = read(line, src, *src_);
  append_pair(source, read(line, tgt, *tgt_));
}

void RowSink::add_counted(std::uint64_t line, std::uint64_t length) {
  if (length > std::numeric_limits<std::uint32_t>::max()) return add_corrupt(line, "is longer than 4294967295 tokens");
  rows.src.push_back(static_cast<std::uint32_t>(length));
}

void RowSink::add_missing(std::uint64_t line, const std::string& problem, const std::string& field) {
  add_problem(line, field, problem);
  if (paired()) rows.tgt.push_back(0);
  append_row({}, false);
}

void RowSink::add_marked() {
  rows.marked.push_back(rows.size());
  if (paired()) rows.tgt.push_back(0);
  append_row({}, true);
}

bool RowSink::add_key(std::uint64_t line, std::string_view key) {
  const RowKeys::Place* const before = keys.add(key, {rows.size(), line});
  if (before != nullptr) add_corrupt(line, fmt::format("'{}' stands in line {} already", key, before->line));
  return before == nullptr;
}

void RowSink::add_corrupt(std::uint64_t line, std::string problem, std::string field) {
  any_corrupt_ = true;
  problems_.add({{file.path(), line, std::move(field)}, std::move(problem)});
}

bool are_doubtful(const std::vector<std::uint32_t>& lengths) {
  constexpr std::size_t kMany = 16;
  const bool equal = std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) == lengths.end();
  return equal && !lengths.empty() && (lengths.front() == 0 || lengths.size() >= kMany);
}

}  // namespace seqpoint::io::manifests
