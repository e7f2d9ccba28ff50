#include "cli/options/shared_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "cli/parameters.hpp"
#include "io/stream/output.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::cli::options {
namespace {

/// What an option means, row by row; rows that mean the same stand together.
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

/// What its rows take: a file where one of them does, for who completes it; else text where they differ, which each of
/// them then reads as its own kind.
OptionSpec::Kind kind_of_rows(std::span<const OwnedOption> options, const OptionSpec& option) {
  bool differs = false;
  for (const auto& [spec, owner] : options) {
    if (spec.name != option.name) continue;
    if (spec.kind == OptionSpec::Kind::file) return spec.kind;
    differs = differs || spec.kind != option.kind;
  }
  return differs ? OptionSpec::Kind::text : option.kind;
}

/// A file without a name is the usual mistake: the name is free.
std::string named_file(const std::string& text, const std::string& option, const std::string& form) {
  if (form != "NAME=FILE" && form != "NAME=TRACE") return "";
  const std::string file = text.substr(text.find('=') + 1);  // all of it where there is none
  return fmt::format("name it as you like: {}v1={}", option.empty() ? "" : option + " ",
                     file.empty() ? form.substr(form.find('=') + 1) : file);
}

}  // namespace

OptionRow signature_row(trace::BatchLayout& layout) {
  return {"--signature", word_to(layout, "padded|varlen", trace::kBatchLayouts),
          "what distinguishes iterations: padded lengths, or, without padding (varlen), tokens and squared lengths "
          "[padded]"};
}

std::vector<std::string> owners_of(std::span<const OwnedOption> options, std::string_view name) {
  if (name.starts_with("--")) name.remove_prefix(2);
  std::vector<std::string> owners;
  for (const auto& [spec, owner] : options)
    if (spec.name == name) owners.emplace_back(owner);
  return owners;
}

OptionRows table_rows(std::span<const OwnedOption> options, OptionValues& values) {
  OptionRows rows;
  std::set<std::string_view> added;
  for (const auto& [spec, owner] : options) {
    if (!added.insert(spec.name).second) continue;
    const OptionSpec::Kind kind = kind_of_rows(options, spec);
    const auto take = [&values, kind, name = std::string(spec.name)](const std::string& text) {
      values.set(name, kind == OptionSpec::Kind::flag ? "true" : text);
      if (kind == OptionSpec::Kind::count) values.count(name);
      if (kind == OptionSpec::Kind::number) values.number(name);
    };
    rows.push_back({"--" + std::string(spec.name), converted(std::string(placeholder(kind)), take),
                    help_of_rows(options, spec.name)});
  }
  return rows;
}

double confidence_of(const std::optional<double>& given) {
  const double confidence = given.value_or(0.95);
  if (confidence > 0 && confidence < 1) return confidence;
  throw UsageError("--confidence must be above 0 and below 100 %", "for example --confidence 95%");
}

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option,
                                                     const std::string& form) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(fmt::format("{}'{}' is not of the form {}", option.empty() ? "" : option + ": ", text, form),
                     named_file(text, option, form));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<NamedFile> named_files(const std::vector<std::string>& texts, const std::string& option,
                                   const std::string& once) {
  std::vector<NamedFile> files;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    NamedFile file{std::filesystem::path(text).filename(), text};
    if (equals != std::string::npos && equals < text.find('/'))
      std::tie(file.name, file.path) = split_assignment(text, option, "NAME=FILE");
    for (const NamedFile& other : files) {
      if (io::stream::final_path(other.path) == io::stream::final_path(file.path))
        throw UsageError(fmt::format("{}: {} is given twice", option, file.path), once);
      if (other.name == file.name)
        throw UsageError(fmt::format("{}: {} and {} are both called '{}'", option, other.path, file.path, file.name),
                         fmt::format("give one a name of its own: {} NAME=FILE", option));
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace seqpoint::cli::options
