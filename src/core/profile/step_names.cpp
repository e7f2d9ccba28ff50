#include "core/profile/measure.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "core/numbers.hpp"
#include "core/regular_expression.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::profile {
namespace {

/// Longer names are not searched for an identity.
constexpr std::size_t kLongestStepName = 4096;

/// Sets `to` to a whole decimal number of at most `most`. Returns false, without a change, for any other text.
bool set_whole(std::optional<std::uint64_t>& to, std::string_view text, std::uint64_t most = UINT64_MAX) {
  const auto value = number_in<std::uint64_t>(text);
  if (!value || *value > most) return false;
  to = value;
  return true;
}

/// ASCII only, independent of the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// A word of letters, digits and underscores, and the number after it.
struct Token {
  std::string_view word, number;
};

/// The digits after position `at`, after blanks and at most one of the separators. Empty if there are none, or if they
/// are part of a word or of a number with a point or comma.
std::string_view number_behind(std::string_view name, std::size_t at) {
  constexpr std::string_view kSeparators = "=:#-/";
  const auto blanks = [&] {
    while (at < name.size() && name[at] == ' ') ++at;
  };
  blanks();
  if (at < name.size() && kSeparators.find(name[at]) != std::string_view::npos) ++at;
  blanks();
  std::size_t end = at;
  while (end < name.size() && is_digit(name[end])) ++end;
  const bool goes_on = end + 1 < name.size() && (name[end] == '.' || name[end] == ',') && is_digit(name[end + 1]);
  if (end == at || goes_on || (end < name.size() && is_word(name[end]))) return {};
  return name.substr(at, end - at);
}

/// Splits `seqlen42` and `seq_len_42` into word and number; the number is empty if the word does not end with one.
Token split_word(std::string_view word) {
  std::size_t digits = word.size();
  while (digits > 0 && is_digit(word[digits - 1])) --digits;
  std::size_t letters = digits;
  if (letters > 0 && word[letters - 1] == '_') --letters;
  return {word.substr(0, letters), word.substr(digits)};
}

/// A point's id in a word, in lower case: `sp3` for `sp3` and, between underscores and in capitals, for `V1_SP3`. The
/// first one counts. Empty if there is none.
std::string point_id(std::string_view word) {
  while (!word.empty()) {
    const std::string_view part = word.substr(0, word.find('_'));
    const bool has_prefix = part.size() > 2 && (part[0] == 's' || part[0] == 'S') && (part[1] == 'p' || part[1] == 'P');
    if (has_prefix && part.find_first_not_of("0123456789", 2) == std::string_view::npos)
      return "sp" + std::string(part.substr(2));
    word.remove_prefix(std::min(part.size() + 1, word.size()));
  }
  return {};
}

/// Collects the fields in a name; empty if two of them contradict each other.
class NameReader {
 public:
  StepIdentity read(std::string_view name) {
    for (std::size_t at = 0; at < name.size();) {
      std::size_t end = at;
      while (end < name.size() && is_word(name[end])) ++end;
      if (end > at) read_word(name.substr(at, end - at), number_behind(name, end));
      at = end + 1;
    }
    return contradicts_ ? StepIdentity{} : identity_;
  }

 private:
  /// Takes one field from a word and the number `behind` it: a point's id, else the number that ends the word, else the
  /// number behind it. Words that are no field are skipped.
  void read_word(std::string_view word, std::string_view behind) {
    if (const std::string id = point_id(word); !id.empty()) return set("point", id);
    const Token joined = split_word(word);
    if (!joined.number.empty() && joined.word != "point")
      set(joined.word, joined.number);
    else if (!behind.empty() && word != "point")
      set(word, behind);
  }
  /// Sets a field. A second value that differs from the first is a contradiction. Values that set_field() rejects are
  /// skipped.
  void set(std::string_view field, std::string_view value) {
    StepIdentity before = identity_;
    if (!set_field(identity_, field, value)) return;
    StepIdentity merged = identity_;
    if (!before.point.empty()) merged.point = before.point;
    for (const trace::Dimension d : trace::kDimensions)
      if (before.key[d]) merged.key[d] = before.key[d];
    if (before.iteration) merged.iteration = before.iteration;
    contradicts_ = contradicts_ || merged != identity_;
  }

  StepIdentity identity_;
  bool contradicts_ = false;
};

constexpr auto kMatchHint = "for example `match` 'seqlen=(?<seqlen>[0-9]+)'; docs/profiles.md lists all groups";

/// Compiles `--match`, also with groups written `(?<name>`. Throws ParameterError if it is not an expression of RE2.
std::shared_ptr<const RE2> compiled(const std::string& expression) try {
  return regular_expression(in_re2_syntax(expression));
} catch (const std::invalid_argument& error) {
  throw ParameterError("match", ": '" + expression + "' is not a regular expression of RE2: " + error.what(),
                       kMatchHint);
}

}  // namespace

std::string without_digits(std::string_view name) {
  std::string text;
  std::ranges::remove_copy_if(name, std::back_inserter(text), is_digit);
  return text;
}

bool is_identity_field(std::string_view field) {
  const std::string_view name = trace::canonical_field(field);
  return name == "point" || name == "iteration" || trace::dimension(name);
}

bool set_field(StepIdentity& identity, std::string_view field, std::string_view value) {
  const std::string_view name = trace::canonical_field(field);
  if (name == "point") return !(identity.point = value).empty();
  if (name == "iteration") return set_whole(identity.iteration, value);
  const std::optional<trace::Dimension> part = trace::dimension(name);
  return part && set_whole(identity.key[*part], value, trace::largest_value(*part));
}

StepIdentity identity_in_name(std::string_view name) {
  if (name.size() > kLongestStepName) return {};
  return NameReader().read(name);
}

NamePattern::NamePattern(const std::string& expression) : expression_(compiled(expression)) {
  const std::map<int, std::string>& names = expression_->CapturingGroupNames();
  if (names.empty())
    throw ParameterError("match", ": '" + expression + "' has no named group that says which step is which point",
                         kMatchHint);
  for (const auto& [number, name] : names)
    if (!is_identity_field(name)) throw ParameterError("match", ": unknown field '" + name + "'", kMatchHint);
}

StepIdentity NamePattern::identity(std::string_view name) const {
  StepIdentity identity;
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(expression_->NumberOfCapturingGroups()) + 1);
  if (!expression_->Match({name.data(), name.size()}, 0, name.size(), RE2::UNANCHORED, groups.data(),
                          static_cast<int>(groups.size())))
    return identity;
  for (const auto& [number, field] : expression_->CapturingGroupNames()) {
    const re2::StringPiece& group = groups[static_cast<std::size_t>(number)];
    if (group.data() == nullptr) continue;
    const std::string value = group.as_string();
    if (!set_field(identity, field, value))
      throw ParameterError(
          "match",
          ": in '" + std::string(name) + "' the group " + field + " is '" + value + "', which is not a whole number",
          kMatchHint);
  }
  return identity;
}

StepIdentity NameRules::identity(const ProfiledStep& step) const {
  if (map)
    if (const auto found = map->by_key.find(step.key); found != map->by_key.end()) return found->second;
  const auto of_name = [&](std::string_view name) {
    return pattern ? pattern->identity(name) : identity_in_name(name);
  };
  if (!pattern && !step.identity.empty()) return step.identity;
  StepIdentity identity = of_name(step.key);
  if (!identity.empty()) return identity;
  std::string kind;
  for (const std::string& label : step.labels) {
    const StepIdentity another = of_name(label);
    if (identity.empty()) {
      identity = another;
      kind = without_digits(label);
    } else if (!another.empty() && another != identity && without_digits(label) == kind) {
      return {};
    }
  }
  return identity;
}

bool NameRules::names_step(std::string_view name) const {
  if (map && map->by_key.contains(name)) return true;
  if (pattern) return !pattern->identity(name).empty();
  return !identity_in_name(name).empty();
}

}  // namespace seqpoint::profile
