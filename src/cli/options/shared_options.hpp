/// \file
/// Options that several commands have, and forms of text that several options take.
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

/// --signature.
CLI::Option* add_signature(OptionGroup&, trace::BatchLayout&);

/// --confidence: 95 % where not given. Throws UsageError unless it lies between 0 and 1.
double confidence_of(const std::optional<double>& given);

/// An option that a row of a table (samplers, methods) brings with it.
struct OwnedOption {
  OptionSpec spec;
  std::string_view owner;
};
/// All of them; a name that several rows have is there once. A value that is not of the option's kind is refused as it
/// is parsed.
void add_table(OptionGroup&, std::span<const OwnedOption>, OptionValues& values);

/// A file of a configuration.
struct NamedFile {
  std::string name, path;
};

/// `NAME=FILE` apart. Throws UsageError that shows the form.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option,
                                                     const std::string& form);

}  // namespace seqpoint::cli::options
