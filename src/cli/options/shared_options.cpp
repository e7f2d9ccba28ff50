#include "cli/options/shared_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "cli/options/option_group.hpp"
#include "cli/parameters.hpp"
#include "core/enum_names.hpp"
#include "io/text/command_words.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// The hint for a file without a name, a common mistake: any name will do. Empty unless `form` is NAME=FILE or
/// NAME=LOG.
std::string named_file(const std::string& text, const std::string& option, const std::string& form) {
  if (form != "NAME=FILE" && form != "NAME=LOG") return "";
  const std::string file = text.substr(text.find('=') + 1);  // all of it if there is none
  return fmt::format("name it as you like: {}v1={}", option.empty() ? "" : option + " ",
                     file.empty() ? form.substr(form.find('=') + 1) : file);
}

constexpr auto kBudgetForms = "--budget 24 (batches), 90s, 15min or 2h";

/// Seconds in a unit; 0 for an unknown one.
double seconds_in(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "min" || unit == "m") return 60;
  if (unit == "h") return 3600;
  return 0;
}

}  // namespace

void add_shape(OptionGroup& group, trace::BatchLayout& layout) {
  group.word("--shape", layout, "padded|varlen", trace::kBatchLayouts,
             "shape of a batch: padded lengths, or (varlen, no padding) tokens and squared tokens [padded]");
}

void add_option(OptionGroup& group, const OptionSpec& spec, std::string_view owners, OptionValues& values) {
  const std::string name(spec.name), option = "--" + name;
  std::string help = fmt::format("{}: {}", owners, with_options(spec.help));
  if (!spec.default_value.empty()) help += fmt::format(" [{}]", spec.default_value);
  const auto take = [&values, kind = spec.kind, name](const auto&, const std::string& text) {
    values.set(name, kind == OptionSpec::Kind::flag ? "true" : text);
    if (kind == OptionSpec::Kind::count) values.count(name);
    if (kind == OptionSpec::Kind::number) values.number(name);
  };
  if (spec.kind == OptionSpec::Kind::flag)
    group.callback(
        option, [take] { take("", ""); }, help);
  else
    group.other(option, std::string(placeholder(spec.kind)), take, help);
}

double confidence_of(const std::optional<double>& given) {
  const double confidence = given.value_or(0.95);
  if (confidence >= 0.5 && confidence < 1) return confidence;  // one-sided bounds are those of 2 * confidence - 1
  throw UsageError("--confidence must be from 50 to below 100 %", "for example --confidence 95%");
}

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option,
                                                     const std::string& form) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(fmt::format("{}'{}' is not of the form {}", option.empty() ? "" : option + ": ", text, form),
                     named_file(text, option, form));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// --- Budgets and times as they are typed

select::ProfilingBudget parse_budget(const std::string& text) {
  select::ProfilingBudget budget;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), budget.amount);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  budget.seconds = !unit.empty();
  if (budget.seconds) budget.amount *= seconds_in(unit);
  const bool whole = budget.seconds || budget.amount == std::floor(budget.amount);
  if (failed != std::errc{} || !(budget.amount > 0) || !std::isfinite(budget.amount) || !whole)
    throw UsageError(fmt::format("--budget: '{}' is neither a number of batches nor a time", text), kBudgetForms);
  return budget;
}

double parse_duration(const std::string& option, const std::string& text) {
  double amount = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), amount);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double seconds = amount * seconds_in(unit);
  const bool known = seconds_in(unit) > 0 || (unit.empty() && amount == 0);
  if (failed != std::errc{} || !known || !(seconds >= 0) || !std::isfinite(seconds))
    throw UsageError(
        fmt::format("{}: '{}' is no time{}", option, text, unit.empty() && amount > 0 ? " without a unit" : ""),
        fmt::format("{} 90s, 15min or 2h", option));
  return seconds;
}

// --- The command line as text, for pages

std::string command_of(const CLI::App& app) {
  std::vector<std::string> words{"seqpoint", app.get_name()};
  const OptionsInForce in_force = options_in_force(app);
  const auto has_result = [&](const std::string& name) {
    return std::ranges::any_of(in_force, [&](const auto& option) { return "--" + option.first == name; });
  };
  for (const CLI::Option* const option : app.get_options()) {
    const std::string name = name_of(*option);
    if (!option->get_positional() && !has_result(name)) continue;
    for (const std::string& value : option->results()) {
      if (!option->get_positional()) words.push_back(name);
      if (option->get_type_size() > 0) words.push_back(value);
    }
  }
  return io::text::shell_words(words);
}

}  // namespace seqpoint::cli::options
