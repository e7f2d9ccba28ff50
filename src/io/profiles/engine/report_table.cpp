#include "io/profiles/engine/report_table.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {

std::string normalised(std::string_view column) {
  std::string name;
  for (const char c : text::trim(column))
    if (c != ' ' && c != '_' && c != '-') name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return name;
}

ReportTable::ReportTable(std::string source, std::string_view text, std::uint64_t line)
    : source_(std::move(source)), splitter_(text, text::kCommas, line), rest_(text) {
  if (!splitter_.next()) throw InputError({source_, line}, "has no header", "check how it was made");
  for (const std::string_view field : splitter_.fields()) columns_.emplace_back(text::trim(text::unquoted(field)));
  while (!columns_.empty() && columns_.back().empty()) columns_.pop_back();  // a comma after the last column
  for (const std::string& column : columns_) names_.push_back(normalised(column));
  least_fields_ = columns_.size();
}

std::optional<std::size_t> ReportTable::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names_.begin()));
}

std::size_t ReportTable::require(std::string_view name) const {
  const auto column = find(name);
  if (!column)
    throw InputError({source_, splitter_.line()},
                     fmt::format("has no column '{}' (case, blanks and underscores aside)", name),
                     "give a report of this profiler");
  return *column;
}

bool ReportTable::next() {
  rest_ = splitter_.rest();
  if (!splitter_.next()) {
    if (!splitter_.fault().empty())
      throw InputError({source_, splitter_.line()}, std::string(splitter_.fault()), "check that the file is whole");
    rest_ = {};
    return false;
  }
  const bool next_header =
      !names_.empty() && normalised(splitter_.fields().front()) == names_.front() && !names_.front().empty();
  return splitter_.fields().size() >= least_fields_ && !next_header;
}

bool ReportTable::next_of_only_table() {
  while (!next()) {
    if (text::trim(rest_).empty()) return false;
    const std::vector<std::string_view>& fields = splitter_.fields();
    const bool header = normalised(fields.front()) == names_.front();
    if (header && !std::equal(columns_.begin(), columns_.end(), fields.begin(), fields.end()))
      throw InputError({source_, line()}, "another table begins here", "give every table in a file of its own");
    if (header) continue;
    if (passed_over_++ == 0) first_passed_over_ = line();
  }
  return true;
}

std::string ReportTable::passed_over() const {
  if (passed_over_ == 0) return {};
  return fmt::format("{}: {} with too few cells skipped, the first in line {}; check that the file is whole", source_,
                     counted(passed_over_, "line"), first_passed_over_);
}

void ReportTable::fail(std::size_t column, const std::string& problem, const std::string& hint) const {
  throw InputError({source_, line(), columns_[column]}, problem, hint);
}

std::optional<HeaderPlace> find_header(std::string_view text, bool (*is_header)(std::string_view),
                                       std::uint64_t first_line) {
  for (std::uint64_t line = first_line; !text.empty(); ++line) {
    std::string_view rest = text;
    if (is_header(stream::take_line(rest))) return HeaderPlace{text, line};
    text = rest;
  }
  return std::nullopt;
}

}  // namespace seqpoint::io::profiles::engine
