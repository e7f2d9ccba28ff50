/// \file
/// Declares command-line options to CLI11: one line per option, with parsers for our kinds of values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/enum_names.hpp"

namespace seqpoint::cli::options {

/// The headings of options in --help; options under other headings appear in --help-all only.
inline constexpr auto kDefaultGroup = "Options";
inline constexpr auto kJobGroup = "The job", kPrecisionGroup = "How exact, how long", kComparisonGroup = "Comparing";
inline bool is_usual_group(std::string_view heading) {
  return heading == kDefaultGroup || heading == kJobGroup || heading == kPrecisionGroup || heading == kComparisonGroup;
}
/// Headings that several commands use.
inline constexpr auto kOutputGroup = "Output";
inline constexpr auto kMessageGroup = "Messages";
inline constexpr auto kRunningGroup = "Running";

/// Converts an option's text; `name` is the option's, for the UsageError that it throws.
using Take = std::function<void(const std::string& name, const std::string& text)>;

/// Adds options to a command under one heading. Their target variables must outlive the parsing.
class OptionGroup {
 public:
  explicit OptionGroup(CLI::App& app, std::string heading = kDefaultGroup) : app_(app), heading_(std::move(heading)) {}

  /// An option without a value, which sets `to` to true.
  CLI::Option* flag(const std::string& names, bool& to, const std::string& help);
  /// An option without a value, which calls `call` if it is given.
  CLI::Option* callback(const std::string& names, std::function<void()> call, const std::string& help);
  /// Any text. The initial content of `to` is the default in --help.
  CLI::Option* text(const std::string& names, std::string& to, const std::string& placeholder, const std::string& help);
  /// A path, as text(): not checked. --help does not show the initial content of `to` as a default.
  CLI::Option* path(const std::string& names, std::string& to, const std::string& help,
                    const std::string& placeholder = "FILE");
  /// A repeatable option: given values replace the initial content, which is the default in --help. A positional takes
  /// all remaining arguments. Values are the user's, byte for byte.
  CLI::Option* list(const std::string& names, std::vector<std::string>& to, const std::string& placeholder,
                    const std::string& help);
  CLI::Option* list(const std::string& names, std::function<void(const std::vector<std::string>&)> take,
                    const std::string& placeholder, const std::string& help);
  /// A whole number, parsed strictly, so that a typo is never a number. Both ends are inclusive; an initial value below
  /// `least` is not shown as a default.
  CLI::Option* count(const std::string& names, std::uint64_t& to, const std::string& help, std::uint64_t least = 0,
                     std::uint64_t most = UINT64_MAX);
  CLI::Option* count(const std::string& names, std::optional<std::uint64_t>& to, const std::string& help,
                     std::uint64_t least = 0, std::uint64_t most = UINT64_MAX);
  /// A whole number of 32 bits.
  CLI::Option* length(const std::string& names, std::uint32_t& to, const std::string& help);
  CLI::Option* length(const std::string& names, std::optional<std::uint32_t>& to, const std::string& help);
  /// A number above 0.
  CLI::Option* positive(const std::string& names, double& to, const std::string& help);
  CLI::Option* positive(const std::string& names, std::optional<double>& to, const std::string& help);
  /// A number of seconds, 0 or more.
  CLI::Option* seconds(const std::string& names, std::optional<double>& to, const std::string& help);
  /// A share from 0 to 1, as `5%` or `0.05`. Parsing throws UsageError for other values, and for 1 without the sign.
  CLI::Option* share(const std::string& names, std::optional<double>& to, const std::string& help);
  /// A whole number of 64 bits. A negative number is taken modulo 2^64, as in Python.
  CLI::Option* seed(const std::string& names, std::optional<std::uint64_t>& to, const std::string& help);
  /// The value of a word in a table (core/enum_names.hpp), which must outlive the parsing.
  template <class To, class Words>
  CLI::Option* word(const std::string& names, To& to, const std::string& placeholder, const Words& words,
                    const std::string& help);
  /// An option of any other type: `take` converts its text. `default_text`: shown as the default in --help.
  CLI::Option* other(const std::string& names, const std::string& placeholder, Take take, const std::string& help,
                     const std::string& default_text = {});

 private:
  CLI::Option* headed(CLI::Option* option) const { return option->group(heading_); }

  CLI::App& app_;
  std::string heading_;
};

/// The option's first long name, with its dashes; empty if the option has none.
std::string name_of(const CLI::Option&);
/// Whether an option was given; false if the command has no option of that name, which includes its dashes.
bool is_given(const CLI::App&, const std::string& name);

/// Throws UsageError: the option does not accept the word.
[[noreturn]] void refuse_word(const std::string& name, const std::string& text,
                              std::span<const std::string_view> words);

using OptionsInForce = std::vector<std::pair<std::string, std::vector<std::string>>>;
/// All options that may affect a result, without positionals: long name without dashes, and the values that were given
/// or else the default. Options without a default, and those of `given_only`, are listed only if they were given.
OptionsInForce options_in_force(const CLI::App&, std::span<const CLI::Option* const> given_only = {});

/// Parses a 32-bit whole number for an option, named with its dashes. Throws UsageError.
std::uint32_t parse_length(const std::string& name, const std::string& text);

template <class To, class Words>
CLI::Option* OptionGroup::word(const std::string& names, To& to, const std::string& placeholder, const Words& words,
                               const std::string& help) {
  const auto take = [&to, &words](const std::string& name, const std::string& text) {
    const auto value = value_of(words, text);
    if (!value) refuse_word(name, text, row_names(words));
    to = *value;
  };
  return other(names, placeholder, take, help);
}

}  // namespace seqpoint::cli::options
