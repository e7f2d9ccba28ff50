/// \file
/// Destinations of results: the export options, and files that are written completely or not at all.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/option_group.hpp"
#include "core/enum_names.hpp"
#include "io/stream/output.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::cli::options {

/// Throws UsageError if an output is one of the inputs or another output, by any path, or is the file that standard
/// output goes to. Empty outputs are ignored; `-` is standard input or output.
void refuse_to_overwrite(std::span<const std::string> inputs, std::span<const std::string> outputs);
/// Throws UsageError if several inputs are `-` (standard input).
void refuse_several_standard_inputs(std::span<const std::string> inputs);

/// Writes a whole file, or nothing if that fails; - is standard output. Throws OutputError.
void write_text(const std::string& path, std::string_view text);

enum class ExportFormat { json, csv, markdown, html, junit };
inline constexpr std::array<Word<ExportFormat>, 5> kExportFormats{{{"json", ExportFormat::json},
                                                                   {"csv", ExportFormat::csv},
                                                                   {"markdown", ExportFormat::markdown},
                                                                   {"html", ExportFormat::html},
                                                                   {"junit", ExportFormat::junit}}};
/// The formats of results without a page and without checks.
inline constexpr std::array kTableFormats{ExportFormat::json, ExportFormat::csv, ExportFormat::markdown};
inline constexpr std::array kAllFormats{ExportFormat::json, ExportFormat::csv, ExportFormat::markdown,
                                        ExportFormat::html, ExportFormat::junit};

/// The destination of a result: a table for people unless an export uses standard output.
struct ExportPaths {
  struct Export {
    ExportFormat format = ExportFormat::json;
    std::string path;  ///< - is standard output
  };
  std::vector<Export> exports;

  bool has(ExportFormat) const;            ///< whether there is an export in that format
  bool to_stdout() const;                  ///< whether an export goes to standard output
  std::vector<std::string> files() const;  ///< paths of all exports, - included
};
/// --export of these formats, and --json.
void add_exports(CLI::App&, ExportPaths&, std::span<const ExportFormat>);
/// --export of these formats, --json, and -o FILE, which adds a JSON export to that file.
void add_output(CLI::App&, ExportPaths&, std::span<const ExportFormat>);
/// Throws UsageError if an output is one of the inputs or another output.
void require_valid(const ExportPaths&, std::span<const std::string> inputs);

/// A result in every form that can be written.
struct ResultForms {
  std::string json = {};
  io::views::DataTable rows = {};   ///< for programs: every figure with all digits
  io::views::TextTable table = {};  ///< for people
  std::string verdicts = {};        ///< Markdown, above the table; empty without limits
  std::string text = {};            ///< for people, on standard output, if not a table; empty: the table
  std::string junit = {};
  std::string html = {};  ///< made only if requested
};

/// Opens every path first, so that an unwritable one is reported before the work is done.
class Exports {
 public:
  /// `table_beside`: whether the table is printed even if there are exports, provided that none uses standard output.
  /// Without exports it is always printed.
  explicit Exports(const ExportPaths& paths, bool table_beside = true);
  /// Writes all exports, and gives the files their names once all are complete. Then prints the text or the table if
  /// table_on_stdout(). Throws OutputError.
  void write(const ResultForms& forms, const Console& console);
  /// Whether write() prints the text or the table on standard output.
  bool table_on_stdout() const { return table_on_stdout_; }

 private:
  struct Target {
    std::unique_ptr<io::stream::Output> output;
    ExportFormat format;
  };
  std::vector<Target> targets_;
  bool table_on_stdout_ = true;
};

}  // namespace seqpoint::cli::options
