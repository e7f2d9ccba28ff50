/// \file
/// Words that users write: the names of enumeration values, and the options of samplers and methods.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace seqpoint {

// --- Vocabularies: one table lists the words of an enumeration, by which they are read, written, listed and completed.

/// One word of a vocabulary, with the type of its values.
template <class Value>
struct Word {
  std::string_view name;  ///< spelling in every input and output
  Value value;            ///< the value that it names
};

/// The value of the word of this name; nothing if the table lacks the name.
template <class Words>
auto value_of(const Words& words, std::string_view name) -> std::optional<decltype(std::begin(words)->value)> {
  for (const auto& word : words)
    if (word.name == name) return word.value;
  return std::nullopt;
}

/// The name of a value, its first one if the table has several; "" if the table lacks the value.
template <class Words, class Value>
std::string_view name_in(const Words& words, Value value) {
  for (const auto& word : words)
    if (word.value == value) return word.name;
  return "";
}

// --- Options that belong to one sampler or one method. A row of the table of samplers (methods) lists its own, so the
// command line, `seqpoint list samplers` and the checks all use that row.

/// The known name that a mistyped one most likely stands for; "" if none is near, or the given text is longer than 64
/// characters. Near: at most 2 wrong letters, or a third of the given letters if that is more, and never more than
/// half. Wrong letters differ, are missing or superfluous, or are swapped with a neighbour. Ties go to the first name.
/// The view is into `known`.
std::string_view nearest_name(std::string_view given, std::span<const std::string_view> known);

/// The hint for a name that a list lacks: "did you mean sorted? one of: sequential, sorted". Suggests all names that
/// begin with the given word and a hyphen, else nearest_name(). With a suggestion, more than 12 names are not listed.
std::string names_hint(std::string_view given, std::span<const std::string_view> known);
/// The same for a list of names in braces.
std::string names_hint(std::string_view given, std::initializer_list<std::string_view> known);

/// The names of the rows of a table, in its order. A table is any range whose elements have a member `name`. The views
/// are into the rows.
template <class Rows>
std::vector<std::string_view> row_names(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

/// An option of one sampler or one method, under the name that its framework (or docs/method.md) gives it. A row of a
/// table that lives as long as the program.
struct OptionSpec {
  /// The type of an option's value: nothing, a whole number of 0 or more, a finite number of 0 or more, any text, or
  /// the path of a file.
  enum class Kind { flag, count, number, text, file };
  std::string_view name;           ///< without dashes: "generator-seed"
  Kind kind;                       ///< a flag takes no value
  std::string_view default_value;  ///< shown to the user; "" if there is none
  std::string_view help;           ///< one line
};

/// `N`, `X`, `TEXT` or `FILE`: the placeholder of the value in lists of options; "" for a flag.
std::string_view placeholder(OptionSpec::Kind kind);

/// The options that the user set, by name. A flag that is set has the value "true". Values are kept as text and parsed
/// on access, so that an error names the option.
class OptionValues {
 public:
  /// Sets an option, or replaces its value. Accepts any name; require_known() checks it.
  void set(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }  ///< whether the option was set
  /// The option's text; nothing if it was not set. The view is valid until the option is set again.
  std::optional<std::string_view> text(std::string_view name) const;
  /// The option's value, a whole number of 0 or more; nothing if the option was not set. Throws ParameterError that
  /// names the option if its text is not such a number.
  std::optional<std::uint64_t> count(std::string_view name) const;
  /// As count(), with a default if the option was not set.
  std::uint64_t count_or(std::string_view name, std::uint64_t otherwise) const {
    return count(name).value_or(otherwise);
  }
  /// The option's value, a finite number of 0 or more, with or without a fraction; nothing if the option was not set.
  /// Throws ParameterError that names the option if its text is not such a number.
  std::optional<double> number(std::string_view name) const;
  /// The option's value, finite numbers of 0 or more with commas between them; empty if the option was not set. Throws
  /// ParameterError that names the option if its text is not such a list; an empty text is not.
  std::vector<double> numbers(std::string_view name) const;
  /// The option's value, which has to be one of `words` (not empty); the first of `words` if the option was not set.
  /// Throws ParameterError that lists `words` for another value.
  std::string_view one_of(std::string_view name, std::span<const std::string_view> words) const;
  /// Every option that was set, by name.
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

  /// Throws ParameterError if an option is set that `known` does not list. `owner` is the row's name in the message.
  void require_known(std::span<const OptionSpec> known, std::string_view owner) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace seqpoint
