/// \file
/// Options that several commands have, and forms of text that several options take.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/option_rows.hpp"
#include "seqpoint/trace.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::cli::options {

/// --signature.
OptionRow signature_row(trace::BatchLayout&);

/// --confidence: 95 % where not given. Throws UsageError unless it lies between 0 and 1.
double confidence_of(const std::optional<double>& given);

/// An option that a row of a table (samplers, methods) brings with it.
struct OwnedOption {
  OptionSpec spec;
  std::string_view owner;
};
/// All of them; a name that several rows have is there once. A value that is not of the option's kind is refused as it
/// is parsed.
OptionRows table_rows(std::span<const OwnedOption>, OptionValues& values);
/// The owners of an option, by its name with dashes.
std::vector<std::string> owners_of(std::span<const OwnedOption>, std::string_view name);

/// A file with what tables and messages call it.
struct NamedFile {
  std::string name, path;
};
/// Names and files of `[NAME=]FILE`s. What stands before the first = is a name unless it has a slash: ./a=b.csv is a
/// file. Throws UsageError for a file or a name that is there twice; `once` says why a file is not.
std::vector<NamedFile> named_files(const std::vector<std::string>& texts, const std::string& option,
                                   const std::string& once);

/// `NAME=FILE` apart. Throws UsageError that shows the form.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option,
                                                     const std::string& form);

}  // namespace seqpoint::cli::options
