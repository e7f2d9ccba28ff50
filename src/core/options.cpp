#include "core/enum_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "core/numbers.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

/// All of `text` as a finite number of 0 or more; nothing for any other text.
std::optional<double> amount_in(std::string_view text) {
  const auto value = number_in<double>(text);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

/// Edit distance: letters to change, insert or delete, or neighbours to swap, until one text is the other (optimal
/// string alignment). Returns `enough` if the distance is that or more.
std::size_t edits(std::string_view a, std::string_view b, std::size_t enough) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), least(b.size() + 1);
  std::iota(least.begin(), least.end(), 0U);
  std::size_t least_before = 0;  // minimum of the previous row; every alignment passes through one of two consecutive
                                 // rows
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(least);
    least[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      least[j] = std::min({last[j] + 1, least[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        least[j] = std::min(least[j], before_last[j - 2] + 1);
    }
    const std::size_t least_now = *std::min_element(least.begin(), least.end());
    if (std::min(least_before, least_now) >= enough) return enough;
    least_before = least_now;
  }
  return std::min(least[b.size()], enough);
}

/// The difference of the lengths of two texts: edits() is never smaller.
std::size_t difference_in_size(std::string_view a, std::string_view b) {
  return std::max(a.size(), b.size()) - std::min(a.size(), b.size());
}

/// Throws the ParameterError of an option whose text is not `wanted`.
[[noreturn]] void refuse(std::string_view name, std::string_view text, const std::string& wanted,
                         std::string hint = {}) {
  throw ParameterError(name, fmt::format(": '{}' is not {}", text, wanted), std::move(hint));
}

}  // namespace

std::string_view nearest_name(std::string_view given, std::span<const std::string_view> known) {
  constexpr std::size_t kLongest = 64;  // longest name to compare; a longer text is not a mistyped name
  if (given.size() > kLongest) return "";
  std::size_t least = std::min(std::max<std::size_t>(2, given.size() / 3), given.size() / 2) + 1;
  std::string_view nearest;
  for (const std::string_view name : known) {
    if (difference_in_size(given, name) >= least) continue;
    if (const std::size_t distance = edits(given, name, least); distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string names_hint(std::string_view given, std::span<const std::string_view> known) {
  std::vector<std::string_view> meant;
  const std::string word = std::string(given) + "-";
  for (const std::string_view name : known)
    if (name.starts_with(word)) meant.push_back(name);
  if (const std::string_view nearest = nearest_name(given, known); meant.empty() && !nearest.empty())
    meant.push_back(nearest);
  constexpr std::size_t kListed = 12;  // more do not fit into a line
  if (meant.empty()) return fmt::format("one of: {}", fmt::join(known, ", "));
  const std::string guess = fmt::format("did you mean {}?", fmt::join(meant, " or "));
  return known.size() > kListed ? guess : fmt::format("{} one of: {}", guess, fmt::join(known, ", "));
}

std::string names_hint(std::string_view given, std::initializer_list<std::string_view> known) {
  return names_hint(given, std::span(known.begin(), known.size()));
}

std::string_view placeholder(OptionSpec::Kind kind) {
  switch (kind) {
    case OptionSpec::Kind::count: return "N";
    case OptionSpec::Kind::number: return "X";
    case OptionSpec::Kind::text: return "TEXT";
    case OptionSpec::Kind::file: return "FILE";
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
  const auto value = number_in<std::uint64_t>(*given);
  if (!value) refuse(name, *given, "a whole number of 0 or more");
  return value;
}

std::optional<double> OptionValues::number(std::string_view name) const {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto value = amount_in(*given);
  if (!value) refuse(name, *given, "a number of 0 or more");
  return value;
}

std::vector<double> OptionValues::numbers(std::string_view name) const {
  std::vector<double> values;
  const auto given = text(name);
  if (!given) return values;
  for (std::string_view rest = *given;;) {
    const std::size_t comma = rest.find(',');
    const auto value = amount_in(rest.substr(0, comma));
    if (!value) refuse(name, *given, "a list of numbers of 0 or more with commas between them", "for example 0.3,0.7");
    values.push_back(*value);
    if (comma == std::string_view::npos) return values;
    rest.remove_prefix(comma + 1);
  }
}

std::string_view OptionValues::one_of(std::string_view name, std::span<const std::string_view> words) const {
  const auto given = text(name);
  if (!given) return words.front();
  if (const auto found = std::find(words.begin(), words.end(), *given); found != words.end()) return *found;
  refuse(name, *given, "one of its values", names_hint(*given, words));
}

void OptionValues::require_known(std::span<const OptionSpec> known, std::string_view owner) const {
  for (const auto& [name, value] : values_) {
    bool found = false;
    for (const OptionSpec& spec : known) found = found || spec.name == name;
    if (found) continue;
    std::string hint;
    for (const OptionSpec& spec : known) hint += fmt::format("{}`{}`", hint.empty() ? "it has " : ", ", spec.name);
    throw ParameterError(name, "is not an option of " + std::string(owner), hint);
  }
}

}  // namespace seqpoint
