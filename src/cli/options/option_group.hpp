/// \file
/// Options of the command line, declared to CLI11: one line an option, with the kinds of values that ours take.
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

/// The heading of options that --help shows; those under any other, --help-all shows alone.
inline constexpr auto kDefaultGroup = "Options";
/// Headings that several commands have.
inline constexpr auto kOutputGroup = "Output";
inline constexpr auto kMessageGroup = "Messages";
inline constexpr auto kRunningGroup = "Running";

/// What becomes of the text behind an option; `name` is the option's, for the UsageError that it throws.
using Take = std::function<void(const std::string& name, const std::string& text)>;

/// Adds options to a command under one heading. What values go to must outlive the parsing.
class OptionGroup {
 public:
  explicit OptionGroup(CLI::App& app, std::string heading = kDefaultGroup) : app_(app), heading_(std::move(heading)) {}

  CLI::Option* flag(const std::string& names, bool& to, const std::string& help);
  CLI::Option* callback(const std::string& names, std::function<void()> call, const std::string& help);
  /// Any text. What stands in `to` before is the default that --help shows.
  CLI::Option* text(const std::string& names, std::string& to, const std::string& placeholder, const std::string& help);
  /// The same; what stands there before is not shown.
  CLI::Option* path(const std::string& names, std::string& to, const std::string& help,
                    const std::string& placeholder = "FILE");
  /// Repeatable; the first that is given replaces what stands there before. A positional takes all that is left.
  CLI::Option* list(const std::string& names, std::vector<std::string>& to, const std::string& placeholder,
                    const std::string& help);
  /// A whole number, strictly read, so that a typo is never a number. Both ends are inclusive; what is below `least` is
  /// no default.
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
  /// 0 or more.
  CLI::Option* seconds(const std::string& names, std::optional<double>& to, const std::string& help);
  /// `5%` or `0.05`; above 1 without the sign is an error.
  CLI::Option* share(const std::string& names, std::optional<double>& to, const std::string& help);
  /// Whole, and negative ones as Python takes them, modulo 2^64.
  CLI::Option* seed(const std::string& names, std::optional<std::uint64_t>& to, const std::string& help);
  /// What a word of a table means (core/enum_names.hpp), which must outlive the parsing.
  template <class To, class Words>
  CLI::Option* word(const std::string& names, To& to, const std::string& placeholder, const Words& words,
                    const std::string& help);
  /// Anything else.
  CLI::Option* other(const std::string& names, const std::string& placeholder, Take take, const std::string& help,
                     const std::string& default_text = {});

 private:
  CLI::Option* headed(CLI::Option* option) const { return option->group(heading_); }

  CLI::App& app_;
  std::string heading_;
};

/// Its first long name, with its dashes.
std::string name_of(const CLI::Option&);
bool is_given(const CLI::App&, const std::string& name);
/// Whether an option was given with that value, or, of a FORMAT[=FILE], one that begins so.
bool is_given(const CLI::App&, const std::string& name, std::string_view value);
/// The first of these options that was given; empty: none.
std::string first_given(const CLI::App&, std::span<const std::string_view> names);

/// Throws UsageError: both were given, and exclude each other.
[[noreturn]] void refuse_both(std::string_view option, std::string_view other, const std::string& hint = {});
/// Throws UsageError: what `option` asks for changes nothing without the other.
[[noreturn]] void refuse_alone(std::string_view option, std::string_view other, const std::string& hint = {});
/// Throws UsageError: the option has no such word.
[[noreturn]] void refuse_word(const std::string& name, const std::string& text,
                              std::span<const std::string_view> words);

/// Everything that was in force and may change a result, by name: what the user gave, and the defaults of what he did
/// not. `given_only`: options whose defaults are left out, too.
using OptionsInForce = std::vector<std::pair<std::string, std::vector<std::string>>>;
OptionsInForce options_in_force(const CLI::App&, std::span<const CLI::Option* const> given_only = {});

/// A whole number of 32 bits for an option, by its name with its dashes. Throws UsageError.
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
