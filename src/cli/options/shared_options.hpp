/// \file
/// Options that several commands have, and text formats that several options use.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/option_group.hpp"
#include "core/enum_names.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::cli::options {

/// Adds --shape.
void add_shape(OptionGroup&, trace::BatchLayout&);

/// The value of --confidence, 0.95 if it was not given. Throws UsageError unless it is in [0.5, 1).
double confidence_of(const std::optional<double>& given);

/// Adds an option of methods, with whose names its help begins; a given value goes to `values`. A value of the wrong
/// type is rejected while parsing.
void add_option(OptionGroup&, const OptionSpec&, std::string_view owners, OptionValues& values);

/// A file of a configuration.
struct NamedFile {
  std::string name, path;
};

/// Splits a text such as `NAME=FILE` at its first `=`. Throws a UsageError that shows `form` if a part is missing or
/// empty. `option`: named in the message; empty for a positional.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option,
                                                     const std::string& form);

// --- Budgets and times as they are typed

/// The value of --budget: "24" batches, or "90s", "15min" or "2h" of time. Throws UsageError unless it is above 0, and
/// batches a whole number.
select::ProfilingBudget parse_budget(const std::string& text);

/// Seconds in "90s", "15min", "15m", "2h" or "0", 0 or more. Throws a UsageError that names the option: a number
/// without a unit may be seconds or minutes.
double parse_duration(const std::string& option, const std::string& text);

// --- The command line as text, for pages

/// The command as a shell reads it, without options that change no figure, such as those of outputs and messages.
std::string command_of(const CLI::App&);

}  // namespace seqpoint::cli::options
