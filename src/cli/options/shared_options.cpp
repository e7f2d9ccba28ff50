#include "cli/options/shared_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "cli/parameters.hpp"
#include "core/enum_names.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// The help of an option that several rows have: "bins, random: MEANING [DEFAULT]; sorted: MEANING". Rows with the same
/// meaning are grouped.
std::string help_of_rows(std::span<const OwnedOption> options, std::string_view name) {
  std::vector<std::pair<std::string, std::string>> owners_of;  // meaning, owners
  for (const auto& [spec, owner] : options) {
    if (spec.name != name) continue;
    std::string meaning = with_options(spec.help);
    if (!spec.default_value.empty()) meaning += fmt::format(" [{}]", spec.default_value);
    const auto known =
        std::find_if(owners_of.begin(), owners_of.end(), [&](const auto& entry) { return entry.first == meaning; });
    if (known == owners_of.end())
      owners_of.emplace_back(meaning, owner);
    else
      known->second += ", " + std::string(owner);
  }
  std::string text;
  for (const auto& [meaning, owners] : owners_of)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", owners, meaning);
  return text;
}

/// The type of an option's value: a file if it is one in some row, for shell completion; else text if the types of rows
/// differ, which each row then parses itself.
OptionSpec::Kind kind_of_rows(std::span<const OwnedOption> options, const OptionSpec& option) {
  bool differs = false;
  for (const auto& [spec, owner] : options) {
    if (spec.name != option.name) continue;
    if (spec.kind == OptionSpec::Kind::file) return spec.kind;
    differs = differs || spec.kind != option.kind;
  }
  return differs ? OptionSpec::Kind::text : option.kind;
}

/// The hint for a file without a name, a common mistake: any name will do. Empty unless `form` is NAME=FILE or
/// NAME=TRACE.
std::string named_file(const std::string& text, const std::string& option, const std::string& form) {
  if (form != "NAME=FILE" && form != "NAME=TRACE") return "";
  const std::string file = text.substr(text.find('=') + 1);  // all of it if there is none
  return fmt::format("name it as you like: {}v1={}", option.empty() ? "" : option + " ",
                     file.empty() ? form.substr(form.find('=') + 1) : file);
}

}  // namespace

CLI::Option* add_shape(OptionGroup& group, trace::BatchLayout& layout) {
  return group.word(
      "--signature", layout, "padded|varlen", trace::kBatchLayouts,
      "shape of an iteration: padded lengths, or (varlen, no padding) tokens and squared tokens [padded]");
}

void add_table(OptionGroup& group, std::span<const OwnedOption> options, OptionValues& values) {
  std::set<std::string_view> names;
  for (const auto& [spec, owner] : options) {
    if (!names.insert(spec.name).second) continue;
    const OptionSpec::Kind kind = kind_of_rows(options, spec);
    const std::string name(spec.name), option = "--" + name, help = help_of_rows(options, spec.name);
    const auto take = [&values, kind, name](const auto&, const std::string& text) {
      values.set(name, kind == OptionSpec::Kind::flag ? "true" : text);
      if (kind == OptionSpec::Kind::count) values.count(name);
      if (kind == OptionSpec::Kind::number) values.number(name);
    };
    if (kind == OptionSpec::Kind::flag)
      group.callback(
          option, [take] { take("", ""); }, help);
    else
      group.other(option, std::string(placeholder(kind)), take, help);
  }
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

}  // namespace seqpoint::cli::options
