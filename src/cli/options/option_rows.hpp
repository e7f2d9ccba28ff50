/// \file
/// Options as data: what each is called, what it takes and where that goes. Only parser.cpp knows the library that
/// reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seqpoint/words.hpp"

namespace seqpoint::cli::options {

/// A word that may stand behind an option.
struct Choice {
  std::string name, summary;  ///< the summary may be empty
};

/// What kind of thing stands behind an option, or for a positional: as shells complete it, and as files of options have
/// it.
enum class ValueKind {
  nothing,     ///< a flag
  text,        ///< anything: a number, a pattern, the name of a column
  listed,      ///< one of a list
  file,        ///< the path of a file
  named_file,  ///< NAME=FILE
  folder
};

/// What stands behind an option.
struct Value {
  std::string placeholder = {};  ///< "N", "FILE"; empty: a flag, behind which nothing stands
  /// Puts a text where it goes; `name` is the option's, for the UsageError that it throws. A flag gets none. Null:
  /// --help.
  std::function<void(const std::string& name, const std::string& text)> take = {};
  std::string default_text = {};                      ///< as --help shows it; empty: none
  bool repeatable = false;                            ///< a positional takes all that is left
  std::function<std::vector<Choice>()> choices = {};  ///< for the manual and completions; null: they are no list
};

ValueKind kind_of(const Value&);

// Values of a kind. What they go to must outlive the parsing; --help shows the text, the list or the number that is
// there before.

Value flag_to(bool&);
Value text_to(std::string&, std::string placeholder);
/// What is there before is not shown.
Value path_to(std::string&, std::string placeholder = "FILE");
Value list_to(std::vector<std::string>&, std::string placeholder);
/// A whole number, strictly read, so that a typo is never a number. Both ends are inclusive; what is below `least` is
/// not shown.
Value count_to(std::uint64_t&, std::uint64_t least = 0, std::uint64_t most = UINT64_MAX);
Value count_to(std::optional<std::uint64_t>&, std::uint64_t least = 0, std::uint64_t most = UINT64_MAX);
/// A whole number of 32 bits, which is not shown.
Value length_to(std::uint32_t&);
Value length_to(std::optional<std::uint32_t>&);
/// A number above 0.
Value positive_to(double&);
Value positive_to(std::optional<double>&);
/// 0 or more.
Value seconds_to(std::optional<double>&);
/// `5%` or `0.05`; above 1 without the sign is an error.
Value share_to(std::optional<double>&);
/// Whole, and negative ones as Python takes them, modulo 2^64.
Value seed_to(std::optional<std::uint64_t>&);
/// What a word of a table means (seqpoint/words.hpp), which must outlive the parsing.
template <class To, class Words>
Value word_to(To& to, const std::string& placeholder, const Words& words);
/// The same value, one of the rows of a table: anything whose elements have a name and a summary.
template <class Rows>
Value among(Rows (*rows)(), Value);
/// Anything else. `take` throws UsageError.
Value converted(std::string placeholder, std::function<void(const std::string& text)> take,
                std::string default_text = {});

inline constexpr auto kOptionGroup = "Options";
/// Groups of options that change no result: they are left out of what an artefact says it was made with.
inline constexpr auto kOutputGroup = "Output";
inline constexpr auto kMessageGroup = "Messages";
inline constexpr auto kRunningGroup = "Running";

/// Another option, to which one stands in a relation.
struct Relation {
  std::string other;      ///< "by"; or with a value of it: "by category"
  std::string hint = {};  ///< a way out, or why; may be empty
};

/// One option, or a positional argument.
struct OptionRow {
  std::string names;  ///< with commas between them, short ones first: "-o,--output"; without dashes: a positional
  Value value;
  std::string help;
  std::string group = kOptionGroup;  ///< the heading that --help has it under
  bool required = false;
  /// --help has it only where --sampler is one of these; the manual always does. Empty: --help does, too.
  std::vector<std::string> of_samplers = {};
  bool rare = false;                    ///< --help leaves it to --help-all
  std::vector<Relation> needs = {};     ///< without any of these it changes nothing; empty: it stands alone
  std::vector<Relation> excludes = {};  ///< beside one of these it contradicts itself

  bool is_positional() const { return !names.starts_with('-'); }
};
using OptionRows = std::vector<OptionRow>;
/// The first long name, with its dashes; empty where it has none. The view is into the row.
std::string_view long_name_of(const OptionRow&);

/// Rows that are made when they are first asked for, and kept. Not for several threads at once.
class LazyRows {
 public:
  explicit LazyRows(std::function<OptionRows()> make) : make_(std::move(make)) {}
  const OptionRows& operator()() const {
    if (!made_) made_ = make_();
    return *made_;
  }

 private:
  std::function<OptionRows()> make_;
  mutable std::optional<OptionRows> made_;
};

OptionRow required(OptionRow);
/// The same, all of them rare but for these, by long name.
OptionRows usual(std::initializer_list<std::string_view> names, OptionRows);
OptionRow needing(OptionRow, std::vector<Relation>);
OptionRow excluding(OptionRow, std::vector<Relation>);
/// The same; those without a heading of their own are under this one.
OptionRows grouped(const std::string& group, OptionRows);
OptionRows joined(std::initializer_list<OptionRows>);

/// One option as the command line has it; positionals are not listed. The views are of its row.
struct GivenOption {
  std::string_view name;  ///< the first long one, without its dashes
  std::string_view group;
  std::vector<std::string> values;  ///< as typed, or as a file has them; none: it was not given
  std::string_view default_text;
  std::string place = {};  ///< of a file, where it stands there: "run.toml:3"
};
using GivenOptions = std::vector<GivenOption>;
bool is_given(const GivenOptions&, std::string_view name);

/// Throws UsageError where options lack what they need, or exclude each other.
void require_compatible(const OptionRows&, const GivenOptions&);

/// Everything that was in force, by name: what the user gave, and the defaults of what he did not. Defaults of the
/// groups in `given_only` are left out too.
using OptionsInForce = std::vector<std::pair<std::string, std::vector<std::string>>>;
OptionsInForce options_in_force(const GivenOptions&, std::span<const std::string> given_only = {});

/// A whole number of 32 bits for an option, by its name with its dashes. Throws UsageError.
std::uint32_t parse_length(const std::string& name, const std::string& text);

/// Throws UsageError: the option has no such word.
[[noreturn]] void refuse_word(const std::string& name, const std::string& text,
                              std::span<const std::string_view> words);

/// With options in the place of parameters.
Choice choice_of(std::string_view name, std::string_view summary);

template <class Rows>
std::vector<Choice> choices_of(const Rows& rows) {
  std::vector<Choice> choices;
  for (const auto& row : rows) choices.push_back(choice_of(row.name, row.summary));
  return choices;
}

template <class To, class Words>
Value word_to(To& to, const std::string& placeholder, const Words& words) {
  const auto take = [&to, &words](const std::string& name, const std::string& text) {
    const auto value = value_of(words, text);
    if (!value) refuse_word(name, text, row_names(words));
    to = *value;
  };
  return {.placeholder = placeholder, .take = take, .choices = [&words] { return choices_of(words); }};
}

template <class Rows>
Value among(Rows (*rows)(), Value value) {
  value.choices = [rows] { return choices_of(rows()); };
  return value;
}

}  // namespace seqpoint::cli::options
