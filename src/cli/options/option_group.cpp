#include "cli/options/option_group.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "core/numbers.hpp"
#include "core/trace/trace.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// All of a text as one finite number; nothing for any other text.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  const auto value = number_in<T>(text);
  if constexpr (std::is_floating_point_v<T>)
    if (value && !std::isfinite(*value)) return std::nullopt;
  return value;
}

/// The number. Throws UsageError "NAME: 'TEXT' is not WANTED" if there is none.
template <class T>
T given_as(const std::string& name, const std::string& text, const std::optional<T>& number,
           const std::string& wanted) {
  if (!number) throw UsageError(fmt::format("{}: '{}' is not {}", name, text, wanted));
  return *number;
}

/// A parser of whole numbers from `least` to `most`, both inclusive; it throws UsageError for other texts.
auto count_between(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& name, const std::string& text) {
    auto number = parse_number<std::uint64_t>(text);
    if (number && (*number < least || *number > most)) number.reset();
    return given_as(name, text, number,
                    fmt::format("a whole number of {} or more{}", least,
                                most == UINT64_MAX ? "" : ", at most " + std::to_string(most)));
  };
}

/// The value. Throws UsageError if it is too large for a measurement.
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

/// A share: "5%" and "5 %" from 0 to 100 %, "0.05" from 0 to 1 exclusive. Throws UsageError for other texts; 1 without
/// the sign may mean 1 % or all.
double parse_share(const std::string& name, const std::string& text) {
  const bool percent = text.ends_with('%');
  std::string_view digits = std::string_view(text).substr(0, text.size() - (percent ? 1 : 0));
  if (percent && digits.ends_with(' ')) digits.remove_suffix(1);  // the form of our own tables
  auto number = parse_number<double>(digits);
  std::string example = "5% or 0.05";
  if (number && !percent && *number > 1 && *number <= 100)
    example = fmt::format("{0:g}%{1}", *number, *number < 100 ? fmt::format(" or {:g}", *number / 100) : "");
  if (number && !percent && *number == 1)
    throw UsageError(name + ": " + text + " may mean 1 % or all", "write " + name + " 1% or " + name + " 100%");
  if (number && (*number < 0 || *number > (percent ? 100 : 1))) number.reset();
  return given_as(name, text, number, "a percentage; write " + example) / (percent ? 100 : 1);
}

/// A whole number of 64 bits; a negative one is taken modulo 2^64.
std::uint64_t parse_seed(const std::string& name, const std::string& text) {
  auto number = parse_number<std::uint64_t>(text);
  if (!number)
    if (const auto negative = parse_number<std::int64_t>(text)) number = static_cast<std::uint64_t>(*negative);
  return given_as(name, text, number, "a whole number of 64 bits");
}

/// The last of several names, for messages: "--output" of "-o,--output".
std::string last_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

bool is_positional(const std::string& names) { return !names.starts_with('-'); }

/// Passes the text to `parse`, and assigns the result to a value or an optional one.
template <class To, class Parse>
Take number_to(To& to, Parse parse) {
  return [&to, parse](const std::string& name, const std::string& text) { to = parse(name, text); };
}

/// Options that do not affect a result: an output file does not record them.
constexpr std::array<std::string_view, 11> kOfNoResult{"--ci",    "--color",    "--dry-run", "--export",
                                                       "--help",  "--help-all", "--json",    "--output",
                                                       "--quiet", "--threads",  "--verbose"};

}  // namespace

CLI::Option* OptionGroup::other(const std::string& names, const std::string& placeholder, Take take,
                                const std::string& help, const std::string& default_text) {
  const auto give = [take = std::move(take), name = last_name(names)](const std::string& text) { take(name, text); };
  return headed(app_.add_option_function<std::string>(names, give, help))
      ->type_name(placeholder)
      ->default_str(default_text);
}

CLI::Option* OptionGroup::flag(const std::string& names, bool& to, const std::string& help) {
  return callback(
      names, [&to] { to = true; }, help);
}

CLI::Option* OptionGroup::callback(const std::string& names, std::function<void()> call, const std::string& help) {
  return headed(app_.add_flag_callback(names, std::move(call), help));
}

CLI::Option* OptionGroup::text(const std::string& names, std::string& to, const std::string& placeholder,
                               const std::string& help) {
  return other(
      names, placeholder, [&to](const auto&, const std::string& text) { to = text; }, help, to);
}

CLI::Option* OptionGroup::path(const std::string& names, std::string& to, const std::string& help,
                               const std::string& placeholder) {
  return text(names, to, placeholder, help)->default_str("");
}

CLI::Option* OptionGroup::list(const std::string& names, std::vector<std::string>& to, const std::string& placeholder,
                               const std::string& help) {
  std::string before;
  for (const std::string& text : to) before += (before.empty() ? "" : " ") + text;
  const auto take = [&to](const std::vector<std::string>& texts) { to = texts; };
  return list(names, take, placeholder, help)->default_str(before);
}

// CLI11 takes [a,b] for two values and {} for none: the one wherever a list may have more values than it has to, the
// other where it converts them. So a positional has to have as many as there can be, which the policy TakeAll does not
// demand, and the values are taken as they are.
CLI::Option* OptionGroup::list(const std::string& names, std::function<void(const std::vector<std::string>&)> take,
                               const std::string& placeholder, const std::string& help) {
  constexpr int kMost = CLI::detail::expected_max_vector_size;
  const auto take_all = [take = std::move(take)](const CLI::results_t& texts) {
    take(texts);
    return true;
  };
  CLI::Option* const option = headed(app_.add_option(names, take_all, help));
  return option->expected(is_positional(names) ? kMost : 1, kMost)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name(placeholder);
}

CLI::Option* OptionGroup::count(const std::string& names, std::uint64_t& to, const std::string& help,
                                std::uint64_t least, std::uint64_t most) {
  return other(names, "N", number_to(to, count_between(least, most)), help, to < least ? "" : std::to_string(to));
}

CLI::Option* OptionGroup::count(const std::string& names, std::optional<std::uint64_t>& to, const std::string& help,
                                std::uint64_t least, std::uint64_t most) {
  return other(names, "N", number_to(to, count_between(least, most)), help);
}

CLI::Option* OptionGroup::length(const std::string& names, std::uint32_t& to, const std::string& help) {
  return other(names, "N", number_to(to, parse_length), help);
}

CLI::Option* OptionGroup::length(const std::string& names, std::optional<std::uint32_t>& to, const std::string& help) {
  return other(names, "N", number_to(to, parse_length), help);
}

CLI::Option* OptionGroup::positive(const std::string& names, double& to, const std::string& help) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), to);
  return other(names, "X", number_to(to, parse_positive), help, {text.data(), written.ptr});
}

CLI::Option* OptionGroup::positive(const std::string& names, std::optional<double>& to, const std::string& help) {
  return other(names, "X", number_to(to, parse_positive), help);
}

CLI::Option* OptionGroup::seconds(const std::string& names, std::optional<double>& to, const std::string& help) {
  return other(names, "SECONDS", number_to(to, parse_seconds), help);
}

CLI::Option* OptionGroup::share(const std::string& names, std::optional<double>& to, const std::string& help) {
  return other(names, "PERCENT", number_to(to, parse_share), help);
}

CLI::Option* OptionGroup::seed(const std::string& names, std::optional<std::uint64_t>& to, const std::string& help) {
  return other(names, "S", number_to(to, parse_seed), help);
}

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? "" : "--" + option.get_lnames().front();
}

bool is_given(const CLI::App& app, const std::string& name) {
  const CLI::Option* const option = app.get_option_no_throw(name);
  return option != nullptr && option->count() > 0;
}

void refuse_word(const std::string& name, const std::string& text, std::span<const std::string_view> words) {
  throw UsageError(fmt::format("{}: unknown value '{}'", name, text), names_hint(text, words));
}

OptionsInForce options_in_force(const CLI::App& app, std::span<const CLI::Option* const> given_only) {
  OptionsInForce in_force;
  for (const CLI::Option* const option : app.get_options()) {
    const std::string name = name_of(*option);
    if (name.empty() || std::ranges::find(kOfNoResult, name) != kOfNoResult.end()) continue;
    if (option->count() > 0)
      in_force.emplace_back(name.substr(2), option->results());
    else if (!option->get_default_str().empty() && std::ranges::find(given_only, option) == given_only.end())
      in_force.emplace_back(name.substr(2), std::vector{option->get_default_str()});
  }
  return in_force;
}

std::uint32_t parse_length(const std::string& name, const std::string& text) {
  OptionValues given;
  given.set(name.substr(2), text);
  const std::uint64_t number = *given.count(name.substr(2));
  if (number > UINT32_MAX) throw UsageError(name + " must be at most 4294967295");
  return static_cast<std::uint32_t>(number);
}

}  // namespace seqpoint::cli::options
