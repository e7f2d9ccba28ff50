#include "seqpoint/options.hpp"

#include <charconv>
#include <cmath>

#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

/// Reads all of `text` as one number; nothing where it is not one.
template <class T>
std::optional<T> whole_text_as(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(std::string_view name, std::string_view text, const std::string& wanted,
                         std::string hint = {}) {
  throw UsageError("--" + std::string(name) + ": '" + std::string(text) + "' is not " + wanted, std::move(hint));
}

}  // namespace

std::string_view placeholder(OptionSpec::Kind kind) {
  switch (kind) {
    case OptionSpec::Kind::count: return "N";
    case OptionSpec::Kind::number: return "X";
    case OptionSpec::Kind::text: return "TEXT";
    case OptionSpec::Kind::flag: break;
  }
  return "";
}

std::optional<std::string_view> OptionValues::text(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint64_t> OptionValues::count(std::string_view name) const {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto value = whole_text_as<std::uint64_t>(*given);
  if (!value) refuse(name, *given, "a whole number of 0 or more");
  return value;
}

std::optional<double> OptionValues::number(std::string_view name) const {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto value = whole_text_as<double>(*given);
  if (!value || !std::isfinite(*value) || *value < 0) refuse(name, *given, "a number of 0 or more");
  return value;
}

std::vector<std::uint64_t> OptionValues::counts(std::string_view name) const {
  std::vector<std::uint64_t> values;
  const auto given = text(name);
  if (!given) return values;
  for (std::string_view rest = *given;;) {
    const std::size_t comma = rest.find(',');
    const auto value = whole_text_as<std::uint64_t>(rest.substr(0, comma));
    if (!value) refuse(name, *given, "a list of whole numbers with commas between them", "for example 100,200");
    values.push_back(*value);
    if (comma == std::string_view::npos) return values;
    rest.remove_prefix(comma + 1);
  }
}

std::string_view OptionValues::one_of(std::string_view name, std::span<const std::string_view> words) const {
  const auto given = text(name);
  if (!given) return words.front();
  std::string list;
  for (const std::string_view word : words) {
    if (word == *given) return word;
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  refuse(name, *given, "one of its values", "one of: " + list);
}

void OptionValues::require_known(std::span<const OptionSpec> known, std::string_view owner) const {
  for (const auto& [name, value] : values_) {
    bool found = false;
    for (const OptionSpec& spec : known) found = found || spec.name == name;
    if (found) continue;
    std::string hint;
    for (const OptionSpec& spec : known) hint += (hint.empty() ? "it has --" : ", --") + std::string(spec.name);
    throw UsageError("--" + name + " is not an option of " + std::string(owner), hint);
  }
}

}  // namespace seqpoint
