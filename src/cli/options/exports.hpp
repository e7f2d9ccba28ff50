/// \file
/// Where results go: the options of exports, and files that are written whole or not at all.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/option_rows.hpp"
#include "io/stream/output.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::cli::options {

/// Throws UsageError where an output is one of the inputs or another output, by whatever path.
void refuse_to_overwrite(std::span<const std::string> inputs, std::span<const std::string> outputs);
/// Throws UsageError where several inputs are standard input.
void require_one_standard_input(std::span<const std::string> inputs);

/// All that goes to a file; - is standard output.
void write_text(const std::string& path, std::string_view text);

/// Where a result goes: a table for people unless an export takes standard output.
struct ExportPaths {
  std::string json, csv, markdown;
  std::string html, junit, gh_benchmark, bmf;
  bool to_stdout = false;
  std::string json_file() const { return to_stdout ? "-" : json; }
  std::vector<std::string> files() const { return {json_file(), csv, markdown, html, junit, gh_benchmark, bmf}; }
};
OptionRows export_rows(ExportPaths&);
OptionRow page_export_row(ExportPaths&);
/// Exports that continuous integration reads.
OptionRows ci_export_rows(ExportPaths&);
/// Throws UsageError where an output is one of the inputs or another output, or --json has two meanings.
void require_valid(const ExportPaths&, std::span<const std::string> inputs);

/// A result in every form in which it can be written.
struct ResultForms {
  std::string json;
  io::views::DataTable rows = {};   ///< for programs: every figure in full
  io::views::TextTable table = {};  ///< for people
  std::string text = {};            ///< for people, on standard output, where it is no table; empty: the table
  std::string junit = {}, gh_benchmark = {}, bmf = {};
  std::string html = {};  ///< made only where asked for
};

/// Opens every path first, so that one that cannot be written is known before the work is done.
class Exports {
 public:
  explicit Exports(const ExportPaths& paths);
  /// The table is printed to standard output unless an export goes there.
  void write(const ResultForms& forms, const Console& console);
  bool table_on_stdout() const { return table_on_stdout_; }

 private:
  struct Target {
    std::unique_ptr<io::stream::Output> output;
    std::string (*form)(const ResultForms&);
  };
  std::vector<Target> targets_;
  bool table_on_stdout_ = true;
};

}  // namespace seqpoint::cli::options
