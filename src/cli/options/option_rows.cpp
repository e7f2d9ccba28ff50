#include "cli/options/option_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cli/parameters.hpp"
#include "core/trace/measured_value.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::cli::options {
namespace {

/// All of a text as one number.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

/// The number, or a UsageError.
template <class T>
T given_as(const std::string& name, const std::string& text, const std::optional<T>& number,
           const std::string& wanted) {
  if (!number) throw UsageError(fmt::format("{}: '{}' is not {}", name, text, wanted));
  return *number;
}

/// What `parse` makes of the text goes to a value or an optional one.
template <class To, class Parse>
Value number_to(const std::string& placeholder, To& to, Parse parse, const std::string& default_text = {}) {
  return {.placeholder = placeholder,
          .take = [&to, parse](const std::string& name, const std::string& text) { to = parse(name, text); },
          .default_text = default_text};
}

auto count_between(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& name, const std::string& text) {
    auto number = parse_number<std::uint64_t>(text);
    if (number && (*number < least || *number > most)) number.reset();
    return given_as(name, text, number,
                    fmt::format("a whole number of {} or more{}", least,
                                most == UINT64_MAX ? "" : ", at most " + std::to_string(most)));
  };
}

double measurable(const std::string& name, const std::string& text, double value) {
  if (!trace::is_measurable(value)) throw UsageError(fmt::format("{}: {}{}", name, text, trace::kNotMeasurable));
  return value;
}

double parse_positive(const std::string& name, const std::string& text) {
  auto number = parse_number<double>(text);
  if (number && !(*number > 0)) number.reset();
  return measurable(name, text, given_as(name, text, number, "a number above 0"));
}

double parse_seconds(const std::string& name, const std::string& text) {
  auto number = parse_number<double>(text);
  if (number && *number < 0) number.reset();
  return measurable(name, text, given_as(name, text, number, "a number of seconds, 0 or more; write 2.5"));
}

double parse_share(const std::string& name, const std::string& text) {
  const bool percent = text.ends_with('%');
  std::string_view digits = std::string_view(text).substr(0, text.size() - (percent ? 1 : 0));
  if (percent && digits.ends_with(' ')) digits.remove_suffix(1);  // as our own tables have it
  auto number = parse_number<double>(digits);
  std::string example = "5% or 0.05";
  if (number && !percent && *number > 1 && *number <= 100)
    example = fmt::format("{0:g}%{1}", *number, *number < 100 ? fmt::format(" or {:g}", *number / 100) : "");
  if (number && !percent && *number == 1)
    throw UsageError(name + ": " + text + " may mean 1 % or all", "write " + name + " 1% or " + name + " 100%");
  if (number && (*number < 0 || *number > (percent ? 100 : 1))) number.reset();
  return given_as(name, text, number, "a share; write " + example) / (percent ? 100 : 1);
}

std::uint64_t parse_seed(const std::string& name, const std::string& text) {
  auto number = parse_number<std::uint64_t>(text);
  if (!number)
    if (const auto negative = parse_number<std::int64_t>(text)) number = static_cast<std::uint64_t>(*negative);
  return given_as(name, text, number, "a whole number of 64 bits");
}

struct PlaceholderRow {
  std::string_view placeholder;
  ValueKind kind;
};
/// What a placeholder says that an option takes; others take text.
constexpr std::array kPlaceholders{
    PlaceholderRow{"FILE", ValueKind::file},
    PlaceholderRow{"LENGTHS", ValueKind::file},
    PlaceholderRow{"MANIFEST", ValueKind::file},
    PlaceholderRow{"PREFIX", ValueKind::file},
    PlaceholderRow{"PROFILE", ValueKind::file},
    PlaceholderRow{"PROJECTION", ValueKind::file},
    PlaceholderRow{"SEQPOINTS", ValueKind::file},
    PlaceholderRow{"TRACE", ValueKind::file},
    PlaceholderRow{"NAME=FILE", ValueKind::named_file},
    PlaceholderRow{"NAME=TRACE", ValueKind::named_file},
    PlaceholderRow{"DIR", ValueKind::folder},
};

/// Whether an option was given; with the value that is named behind it, if one is.
bool stands_there(const GivenOptions& given, std::string_view option) {
  const std::size_t space = option.find(' ');
  const std::string_view name = option.substr(0, space);
  if (space == std::string_view::npos) return is_given(given, name);
  const std::string_view value = option.substr(space + 1);
  return std::ranges::any_of(given, [&](const GivenOption& other) {
    return other.name == name && std::ranges::find(other.values, value) != other.values.end();
  });
}

/// Where an option stands that a file has set, in brackets; "" where it was typed.
std::string place_of(const GivenOptions& given, std::string_view option) {
  const std::string_view name = option.substr(0, option.find(' '));
  const auto found = std::ranges::find(given, name, &GivenOption::name);
  return found == given.end() || found->place.empty() ? "" : fmt::format(" ({})", found->place);
}

/// "--buckets or --compile-cost".
std::string alternatives_of(const std::vector<Relation>& relations) {
  std::string text;
  for (const Relation& relation : relations) text += (text.empty() ? "--" : " or --") + relation.other;
  return text;
}

}  // namespace

ValueKind kind_of(const Value& value) {
  if (value.placeholder.empty()) return ValueKind::nothing;
  if (value.choices) return ValueKind::listed;
  const auto* const row = std::ranges::find(kPlaceholders, value.placeholder, &PlaceholderRow::placeholder);
  return row == kPlaceholders.end() ? ValueKind::text : row->kind;
}

Value flag_to(bool& to) {
  return {.take = [&to](const auto&, const auto&) { to = true; }};
}

Value text_to(std::string& to, std::string placeholder) {
  Value value = path_to(to, std::move(placeholder));
  value.default_text = to;
  return value;
}

Value path_to(std::string& to, std::string placeholder) {
  return converted(std::move(placeholder), [&to](const std::string& text) { to = text; });
}

Value list_to(std::vector<std::string>& to, std::string placeholder) {
  std::string before;
  for (const std::string& text : to) before += (before.empty() ? "" : " ") + text;
  const auto add = [&to, first = true](const auto&, const std::string& text) mutable {
    if (std::exchange(first, false)) to.clear();
    to.push_back(text);
  };
  return {.placeholder = std::move(placeholder), .take = add, .default_text = before, .repeatable = true};
}

Value count_to(std::uint64_t& to, std::uint64_t least, std::uint64_t most) {
  return number_to("N", to, count_between(least, most), to < least ? "" : std::to_string(to));
}
Value count_to(std::optional<std::uint64_t>& to, std::uint64_t least, std::uint64_t most) {
  return number_to("N", to, count_between(least, most));
}

Value length_to(std::uint32_t& to) { return number_to("N", to, parse_length); }
Value length_to(std::optional<std::uint32_t>& to) { return number_to("N", to, parse_length); }

Value positive_to(double& to) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), to);
  return number_to("X", to, parse_positive, {text.data(), written.ptr});
}
Value positive_to(std::optional<double>& to) { return number_to("X", to, parse_positive); }

Value seconds_to(std::optional<double>& to) { return number_to("SECONDS", to, parse_seconds); }
Value share_to(std::optional<double>& to) { return number_to("P", to, parse_share); }
Value seed_to(std::optional<std::uint64_t>& to) { return number_to("S", to, parse_seed); }

Value converted(std::string placeholder, std::function<void(const std::string& text)> take, std::string default_text) {
  return {.placeholder = std::move(placeholder),
          .take = [take = std::move(take)](const auto&, const std::string& text) { take(text); },
          .default_text = std::move(default_text)};
}

OptionRow required(OptionRow row) {
  row.required = true;
  return row;
}

std::string_view long_name_of(const OptionRow& row) {
  const std::string_view names = row.names;
  const auto dashes = names.find("--");
  return dashes == std::string_view::npos ? "" : names.substr(dashes, names.find(',', dashes) - dashes);
}

OptionRow needing(OptionRow row, std::vector<Relation> needs) {
  row.needs = std::move(needs);
  return row;
}

OptionRow excluding(OptionRow row, std::vector<Relation> excludes) {
  row.excludes = std::move(excludes);
  return row;
}

OptionRows usual(std::initializer_list<std::string_view> names, OptionRows rows) {
  for (OptionRow& row : rows) row.rare = std::ranges::find(names, long_name_of(row)) == names.end();
  return rows;
}

OptionRows grouped(const std::string& group, OptionRows rows) {
  for (OptionRow& row : rows)
    if (row.group == kOptionGroup) row.group = group;
  return rows;
}

OptionRows joined(std::initializer_list<OptionRows> parts) {
  OptionRows rows;
  for (const OptionRows& part : parts) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

bool is_given(const GivenOptions& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(),
                     [&](const GivenOption& option) { return option.name == name && !option.values.empty(); });
}

void require_compatible(const OptionRows& rows, const GivenOptions& given) {
  for (const OptionRow& row : rows) {
    const std::string_view name = long_name_of(row);
    if (name.empty() || !is_given(given, name.substr(2))) continue;
    const auto stands = [&](const Relation& relation) { return stands_there(given, relation.other); };
    if (const auto clash = std::ranges::find_if(row.excludes, stands); clash != row.excludes.end())
      throw UsageError(fmt::format("{}{} and --{}{} exclude each other", name, place_of(given, name.substr(2)),
                                   clash->other, place_of(given, clash->other)),
                       clash->hint);
    if (!row.needs.empty() && std::ranges::none_of(row.needs, stands))
      throw UsageError(fmt::format("{}{} changes nothing without {}", name, place_of(given, name.substr(2)),
                                   alternatives_of(row.needs)),
                       row.needs.front().hint);
  }
}

OptionsInForce options_in_force(const GivenOptions& options, std::span<const std::string> given_only) {
  OptionsInForce in_force;
  for (const auto& [name, group, values, default_text, place] : options) {
    if (group == kOutputGroup || group == kMessageGroup || group == kRunningGroup) continue;
    const bool default_counts = std::find(given_only.begin(), given_only.end(), group) == given_only.end();
    if (!values.empty())
      in_force.emplace_back(name, values);
    else if (default_counts && !default_text.empty())
      in_force.emplace_back(name, std::vector{std::string(default_text)});
  }
  return in_force;
}

void refuse_word(const std::string& name, const std::string& text, std::span<const std::string_view> words) {
  throw UsageError(fmt::format("{}: there is no '{}'", name, text), names_hint(text, words));
}

Choice choice_of(std::string_view name, std::string_view summary) { return {std::string(name), with_options(summary)}; }

std::uint32_t parse_length(const std::string& name, const std::string& text) {
  OptionValues given;
  given.set(name.substr(2), text);
  const std::uint64_t number = *given.count(name.substr(2));
  if (number > UINT32_MAX) throw UsageError(name + " must be at most 4294967295");
  return static_cast<std::uint32_t>(number);
}

}  // namespace seqpoint::cli::options
