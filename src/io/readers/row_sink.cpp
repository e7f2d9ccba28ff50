#include "row_sink.hpp"

#include <limits>

#include "../numbers.hpp"
#include "text.hpp"

namespace seqpoint {

void ProblemList::raise(const std::string& hint) const {
  if (!problems_.empty()) throw InputError(problems_, unlisted_, hint);
}

void ProblemList::append(ProblemList&& part, std::uint64_t lines) {
  for (Problem& problem : part.problems_) {
    if (problem.where.line > 0) problem.where.line += lines;
    add(std::move(problem));
  }
  unlisted_ += part.unlisted_;
}

void RowSink::clear() {
  for (auto* const lengths : {&src_lengths, &tgt_lengths}) lengths->clear();
  seconds.clear();
  bad_rows.clear();
  marked_rows.clear();
  remarks = {};
  failed = 0;
  problems_ = {};
  corrupt_ = false;
}

void RowSink::raise_problems() const {
  problems_.raise(corrupt_ ? "correct these lines, or take them out"
                           : "correct these rows, or leave out those without a usable length with --skip-missing");
}

RowSink RowSink::part() const {
  RowSink empty(source_, options_, side_, surroundings_);
  empty.src_field_ = src_field_;
  empty.tgt_field_ = tgt_field_;
  empty.src_unit_ = src_unit_;
  empty.src_.emplace(*src_);
  empty.tgt_.emplace(*tgt_);
  return empty;
}

void RowSink::reserve(std::uint64_t rows) {
  src_lengths.reserve(rows);
  if (paired()) tgt_lengths.reserve(rows);
  if (!seconds.empty()) seconds.reserve(rows);
}

void RowSink::append(RowSink&& part, std::uint64_t lines) {
  for (const std::uint64_t row : part.bad_rows) bad_rows.push_back(rows() + row);
  for (const std::uint64_t row : part.marked_rows) marked_rows.push_back(rows() + row);
  src_lengths.insert(src_lengths.end(), part.src_lengths.begin(), part.src_lengths.end());
  tgt_lengths.insert(tgt_lengths.end(), part.tgt_lengths.begin(), part.tgt_lengths.end());
  seconds.insert(seconds.end(), part.seconds.begin(), part.seconds.end());
  failed += part.failed;
  problems_.append(std::move(part.problems_), lines);
  corrupt_ = corrupt_ || part.corrupt_;
  asked_for_audio_ = asked_for_audio_ || part.asked_for_audio_;
  counted_text_ = counted_text_ || part.counted_text_;
  if (remarks.other_rates == 0) remarks.other_rate = part.remarks.other_rate;
  remarks.marked += part.remarks.marked;
  remarks.sharded += part.remarks.sharded;
  remarks.other_rates += part.remarks.other_rates;
}

RowSink::RowSink(std::string source, const ReadOptions& options, Side side, Surroundings surroundings)
    : source_(std::move(source)), options_(options), side_(side), surroundings_(surroundings) {
  set_columns("");
}

const std::string& RowSink::asked_field() const {
  return is_target() && !options_.tgt_length_field.empty() ? options_.tgt_length_field : options_.length_field;
}

void RowSink::set_columns(const std::string& src, const std::string& tgt, std::optional<LengthUnit> unit) {
  src_field_ = src;
  tgt_field_ = tgt;
  src_unit_ = options_.unit.value_or(unit.value_or(unit_of_column(src)));
  src_.emplace(src_unit_, options_.frames);
  tgt_.emplace(options_.unit.value_or(unit_of_column(tgt)), options_.frames);
}

void RowSink::set_computed(const std::string& src, LengthUnit unit) {
  if (options_.unit.value_or(unit) != unit)
    throw UsageError("--length-unit " + std::string(name_of(*options_.unit)) + ": the lengths of " + source_ + " are in " +
                     std::string(name_of(unit)));
  set_columns(src, "", unit);
}

std::string RowSink::unit() const { return std::string(name_of(src_unit_)); }

bool RowSink::refuse(std::uint64_t line, const std::string& field, std::string problem) {
  converted_ = 0;
  number_ = 0;
  if (line == 0) problem = "row " + std::to_string(rows()) + ": " + problem;
  if (!options_.skip_missing) problems_.add({{source_, line, field}, std::move(problem)});
  return false;
}

bool RowSink::convert_number(std::uint64_t line, double number, std::string_view text, const std::string& field,
                             const std::optional<LengthConverter>& converter) {
  const auto [value, fault] = (*converter)(number);
  converted_ = value;
  number_ = number;
  return fault == LengthConverter::Fault::none || refuse_number(line, number, text, field, fault);
}

bool RowSink::refuse_number(std::uint64_t line, double number, std::string_view text, const std::string& field,
                            LengthConverter::Fault fault) {
  std::string problem = (text.empty() ? shortest(number) : std::string(trim(text))) + " " + std::string(describe(fault));
  if (fault == LengthConverter::Fault::fractional) problem += "; is its unit seconds?";
  return refuse(line, field, problem);
}

bool RowSink::convert(std::uint64_t line, std::string_view text, const std::string& field,
                      const std::optional<LengthConverter>& converter) {
  const Number number = parse_number(text);
  if (number.fault != NumberFault::none) return refuse(line, field, describe(number.fault, text));
  return convert_number(line, number.value, text, field, converter);
}

void RowSink::add_pair(bool src_good, std::uint32_t src, bool tgt_good) {
  tgt_lengths.push_back(converted_);
  converted_ = src;
  add_row(src_good && tgt_good);
}

void RowSink::add(std::uint64_t line, std::string_view src, std::string_view tgt) {
  const bool src_good = convert(line, src, src_field_, src_);
  const std::uint32_t src_length = converted_;
  keep_seconds();
  add_pair(src_good, src_length, convert(line, tgt, tgt_field_, tgt_));
}

void RowSink::add_number(std::uint64_t line, double src) {
  add_row(convert_number(line, src, {}, src_field_, src_));
  keep_seconds();
}

void RowSink::add_number(std::uint64_t line, double src, double tgt) {
  const bool src_good = convert_number(line, src, {}, src_field_, src_);
  const std::uint32_t src_length = converted_;
  keep_seconds();
  add_pair(src_good, src_length, convert_number(line, tgt, {}, tgt_field_, tgt_));
}

void RowSink::add_seconds() {
  if (const auto duration = src_->seconds(number_)) seconds.push_back(*duration);
}

void RowSink::add_counted(std::uint64_t line, std::uint64_t length) {
  if (length > std::numeric_limits<std::uint32_t>::max()) return corrupt(line, "is longer than 4294967295 tokens");
  converted_ = static_cast<std::uint32_t>(length);
  add_row(true);
}

void RowSink::add_missing(std::uint64_t line, const std::string& text, const std::string& field) {
  refuse(line, field, text);
  add_empty(false);
}

void RowSink::add_marked() {
  marked_rows.push_back(rows());
  converted_ = 0;
  number_ = 0;
  add_empty(true);
}

void RowSink::add_empty(bool good) {
  if (paired()) tgt_lengths.push_back(0);
  add_row(good);
  keep_seconds();
}

bool RowSink::add_key(std::uint64_t line, std::string_view key) {
  const auto [entry, added] = keys.places.try_emplace(std::string(key), RowKeys::Place{rows(), line});
  if (added)
    keys.in_order.push_back(&entry->first);
  else
    corrupt(line, "'" + entry->first + "' stands in line " + std::to_string(entry->second.line) + " already");
  return added;
}

std::string RowSink::folder() const {
  const auto slash = source_.rfind('/');
  return slash == std::string::npos ? "" : source_.substr(0, slash + 1);
}

std::string RowSink::located(const std::string& path) const {
  std::string beside = joined_path(folder(), path);
  return files().exists(beside) || !files().exists(path) ? beside : path;
}

std::uint64_t RowSink::count_tokens(std::string_view text, bool target_side) {
  counted_text_ = true;
  const std::uint64_t tokens = has_tokenizer() ? surroundings_.tokenizer->count(text) : seqpoint::count_tokens(text, options_.split);
  return tokens + (target_side ? options_.add_tgt : options_.add_src);
}

void RowSink::corrupt(std::uint64_t line, std::string text, std::string field) {
  corrupt_ = true;
  problems_.add({{source_, line, std::move(field)}, std::move(text)});
}

}  // namespace seqpoint
