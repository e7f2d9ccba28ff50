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
  std::string_view name;          ///< spelling in every input and output
  Value value;                    ///< the value that it names
  std::string_view summary = {};  ///< a description for people, in a few words; may be empty
};

/// The value of a word; nothing if the table lacks the word.
template <class Words>
auto value_of(const Words& words, std::string_view name) -> std::optional<decltype(std::begin(words)->value)> {
  for (const auto& word : words)
    if (word.name == name) return word.value;
  return std::nullopt;
}

/// The word for a value; "" if the table lacks it.
template <class Words, class Value>
std::string_view name_in(const Words& words, Value value) {
  for (const auto& word : words)
    if (word.value == value) return word.name;
  return "";
}

// --- Options that belong to one sampler or one method. A row of the table of samplers (methods) lists its own, so the
// command line, `seqpoint list samplers` and the checks all use that row.

/// The known name that a mistyped one most likely stands for; "" if none is near. Near means at most 2 wrong letters,
/// or a third of the given letters if that is more, and never more than half of them. A letter is wrong if it differs,
/// is missing, is superfluous, or swapped with its neighbour. Ties go to the first name of the list. The view is into
/// `known`.
std::string_view nearest_name(std::string_view given, std::span<const std::string_view> known);

/// The hint for a name that a list lacks: "did you mean sorted? one of: sequential, sorted". Names that begin with the
/// given word are preferred to those with a similar spelling.
std::string names_hint(std::string_view given, std::span<const std::string_view> known);
/// The same for names that are written out.
std::string names_hint(std::string_view given, std::initializer_list<std::string_view> known);

/// The names of the rows of a table: any range whose elements have a member `name`. The views are into them.
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
  /// A whole number of 0 or more; nothing if the option was not set. Throws ParameterError that names the option.
  std::optional<std::uint64_t> count(std::string_view name) const;
  /// As count(), with a default if the option was not set.
  std::uint64_t count_or(std::string_view name, std::uint64_t otherwise) const {
    return count(name).value_or(otherwise);
  }
  /// A finite number of 0 or more, with or without a fraction; nothing if the option was not set. Throws
  /// ParameterError that names the option.
  std::optional<double> number(std::string_view name) const;
  /// Finite numbers of 0 or more, with or without fractions, with commas between them; empty if the option was not set.
  /// Throws ParameterError that names the option.
  std::vector<double> numbers(std::string_view name) const;
  /// One of `words`, which is not empty; its first element if the option was not set. Throws a ParameterError that
  /// lists them.
  std::string_view one_of(std::string_view name, std::span<const std::string_view> words) const;
  /// Every option that was set, by name.
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

  /// Throws ParameterError if an option is set that `known` does not list. `owner` is the row's name in the message.
  void require_known(std::span<const OptionSpec> known, std::string_view owner) const;

 private:
  /// Empty if the option was not set, nothing if its text is not such a list.
  template <class Value>
  std::optional<std::vector<Value>> list(std::string_view name) const;

  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace seqpoint
