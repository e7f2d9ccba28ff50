/// \file
/// Options that several commands have, and text formats that several options use.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/option_group.hpp"
#include "core/enum_names.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::cli::options {

/// --shape.
CLI::Option* add_shape(OptionGroup&, trace::BatchLayout&);

/// --confidence: 95 % by default. Throws UsageError unless it lies between 0 and 1.
double confidence_of(const std::optional<double>& given);

/// An option that belongs to a row of a table (samplers, methods).
struct OwnedOption {
  OptionSpec spec;
  std::string_view owner;
};
/// All of them, each name once. A value of the wrong type is rejected while parsing.
void add_table(OptionGroup&, std::span<const OwnedOption>, OptionValues& values);

/// A file of a configuration.
struct NamedFile {
  std::string name, path;
};

/// Splits `NAME=FILE`. Throws a UsageError that shows the form.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option,
                                                     const std::string& form);

}  // namespace seqpoint::cli::options
