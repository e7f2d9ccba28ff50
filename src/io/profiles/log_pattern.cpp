#include "io/profiles/log_pattern.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <stdexcept>

#include "core/profile/measure.hpp"
#include "core/regular_expression.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles {
namespace {

constexpr auto kHint =
    "for example `match` 'step (?<step>[0-9]+).*?time (?<time_ms>[0-9.]+)'; groups: step, of, epoch, time and clock "
    "(also _ms, _us), tokens, seqlen, rank";

/// A group's name, without the meaning of its suffix.
struct GroupName {
  std::string_view base;
  text::DecimalUnit unit = text::DecimalUnit::s;
  std::optional<std::uint64_t> first{};
};

/// Splits a group's name into the field's name and a suffix: a unit (`_ms`, `_us`), or the number of the first step or
/// epoch (`0`, `1`).
GroupName taken_apart(std::string_view name) {
  const auto without = [&](std::size_t ending) { return name.substr(0, name.size() - ending); };
  if (name.ends_with("_ms")) return {.base = without(3), .unit = text::DecimalUnit::ms};
  if (name.ends_with("_us")) return {.base = without(3), .unit = text::DecimalUnit::us};
  if (name.ends_with("0")) return {.base = without(1), .first = 0};
  if (name.ends_with("1")) return {.base = without(1), .first = 1};
  return {.base = name};
}

bool may_have_first(LogField field) { return field == LogField::step || field == LogField::epoch; }
bool is_time(LogField field) { return field == LogField::time || field == LogField::clock; }

/// The field of a group's name; nothing if there is none of that name, or if the suffix does not suit the field.
std::optional<LogField> field_of(const GroupName& name) {
  constexpr std::pair<std::string_view, LogField> kNames[] = {
      {"step", LogField::step},     {"iteration", LogField::step}, {"of", LogField::of},
      {"epoch", LogField::epoch},   {"time", LogField::time},      {"clock", LogField::clock},
      {"tokens", LogField::tokens}, {"src_len", LogField::seqlen}, {"rank", LogField::rank}};
  const std::string_view base = trace::canonical_field(name.base);
  const auto at = std::ranges::find(kNames, base, &std::pair<std::string_view, LogField>::first);
  if (at == std::end(kNames)) return std::nullopt;
  const bool fits =
      (!name.first || may_have_first(at->second)) && (name.unit == text::DecimalUnit::s || is_time(at->second));
  return fits ? std::optional(at->second) : std::nullopt;
}

/// Throws the ParameterError of `match`.
[[noreturn]] void refuse(const std::string& reason) { throw ParameterError("match", ": " + reason, kHint); }

/// Compiles the expression. Throws ParameterError if it is invalid.
std::unique_ptr<const RE2> compiled(const std::string& expression) try {
  return regular_expression(in_re2_syntax(expression));
} catch (const std::invalid_argument& error) {
  refuse(fmt::format("'{}' is not a regular expression of RE2: {}", expression, error.what()));
}

bool is_digit(char c) { return '0' <= c && c <= '9'; }

/// LogPattern::takes_any_digit() of an expression. True only if that is certain: digits are in the names of groups,
/// counts of repetitions and the class 0-9 alone.
bool takes_any_digit(const std::string& expression) {
  static const auto certain =
      regular_expression(R"((?s)(\\[^Qx\d])"                                            // an escape
                         R"(|\(\?P<\w+>)"                                               // the name of a group
                         R"(|\{\d+(,\d*)?\})"                                           // a repetition
                         R"(|\[\^?-?(\\[^Qx\d]|0-9|[^\d\\\]\[-](-[^\d\\\]\[])?)+-?\])"  // a class
                         R"(|[^\d\\\[])*)");                                            // any other character
  return RE2::FullMatch(expression, *certain);
}

}  // namespace

bool LogPattern::describes_log(const std::string& expression) try {
  const auto pattern = regular_expression(in_re2_syntax(expression));
  return std::ranges::any_of(pattern->CapturingGroupNames(), [](const auto& group) {
    const auto field = field_of(taken_apart(group.second));
    return field && is_time(*field);
  });
} catch (const std::invalid_argument&) {
  return false;
}

LogPattern::LogPattern(const std::string& expression)
    : expression_(compiled(expression)), takes_any_digit_(profiles::takes_any_digit(expression_->pattern())) {
  for (const auto& [number, name] : expression_->CapturingGroupNames()) add_group(name, number);
  if (!has(LogField::step) && has(LogField::epoch)) count_epochs();
  if (!has(LogField::step)) refuse("has no group 'step' or 'epoch' that says which step or epoch a line is of");
  if (!has(LogField::time) && !has(LogField::clock)) refuse("has no group 'time' or 'clock'");
  if (has(LogField::time) && has(LogField::clock))
    refuse("has a group 'time' and a group 'clock': a step's time is the one or a difference of the other");
}
LogPattern::~LogPattern() = default;
LogPattern::LogPattern(LogPattern&&) noexcept = default;
LogPattern& LogPattern::operator=(LogPattern&&) noexcept = default;

void LogPattern::add_group(const std::string& name, int number) {
  const GroupName parts = taken_apart(name);
  const std::optional<LogField> field = field_of(parts);
  if (!field) refuse(fmt::format("a log has no field '{}'", name));
  if (*field == LogField::step && parts.base != "step") unit_ = profile::LogUnit::iteration;
  if (parts.first) set_first(*field, *parts.first);
  groups_.push_back({*field, parts.unit, number});
}

void LogPattern::count_epochs() {
  unit_ = profile::LogUnit::epoch;
  for (Group& group : groups_)
    if (group.field == LogField::epoch) group.field = LogField::step;
  first_[static_cast<std::size_t>(LogField::step)] = first(LogField::epoch);
}

void LogPattern::set_first(LogField field, std::uint64_t first) {
  std::optional<std::uint64_t>& known = first_[static_cast<std::size_t>(field)];
  if (known.value_or(first) != first) refuse("says that numbers are counted from 0 and from 1");
  known = first;
}

bool LogPattern::has(LogField field) const {
  return std::ranges::any_of(groups_, [field](const Group& group) { return group.field == field; });
}

std::optional<LogMatch> LogPattern::find(std::string_view line, std::size_t from) const {
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(expression_->NumberOfCapturingGroups()) + 1);
  if (!expression_->Match({line.data(), line.size()}, from, line.size(), RE2::UNANCHORED, found.data(),
                          static_cast<int>(found.size())))
    return std::nullopt;
  const auto end_of = [&](const re2::StringPiece& part) {
    return static_cast<std::size_t>(part.data() + part.size() - line.data());
  };
  LogMatch match;
  match.end = match.body = end_of(found[0]);
  for (const Group& group : groups_) {
    const re2::StringPiece& part = found[static_cast<std::size_t>(group.number)];
    if (part.data() == nullptr) continue;
    match.parts[static_cast<std::size_t>(group.field)] = {end_of(part) - part.size(), end_of(part)};
    if (is_time(group.field)) match.unit = group.unit;
    if (is_time(group.field) || group.field == LogField::step) match.body = std::min(match.body, end_of(part));
  }
  return match;
}

std::vector<LogMatch> LogPattern::matches(std::string_view line) const {
  std::vector<LogMatch> all;
  for (std::size_t from = 0; from < line.size();) {
    std::optional<LogMatch> match = find(line, from);
    if (!match) break;
    const std::optional<LogMatch> other = find(line, match->body);
    match->is_mixed = other && other->end == match->end;
    from = std::max(match->end, from + 1);  // a match may be empty
    all.push_back(*match);
  }
  return all;
}

const std::vector<LogMatch>& LogMatcher::matches(std::string_view line) {
  constexpr std::size_t kLongest = 1024, kMost = 4096;  // at most 4 MB of lines
  if (!pattern_.takes_any_digit() || line.size() > kLongest) return single_ = pattern_.matches(line);
  zeros_.assign(line);
  for (char& c : zeros_)
    if (is_digit(c)) c = '0';
  const auto known = known_.find(zeros_);
  if (known != known_.end()) return known->second;
  if (known_.size() == kMost) known_.clear();
  return known_.emplace(zeros_, pattern_.matches(line)).first->second;
}

}  // namespace seqpoint::io::profiles
