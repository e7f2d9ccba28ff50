/// \file
/// Options that several commands have, and how option values are read: strictly, so that a typo is never a number.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/console.hpp"
#include "seqpoint/io/artifacts.hpp"
#include "seqpoint/io/output.hpp"
#include "seqpoint/io/views.hpp"
#include "seqpoint/options.hpp"

namespace seqpoint::cli {

/// A whole number; the error names the option. `least`, `most` are inclusive.
struct CountRange {
  std::uint64_t least = 0, most = UINT64_MAX;
};
CLI::Option* add_count(CLI::App&, const std::string& name, std::uint64_t& value, const std::string& help, CountRange = {});
CLI::Option* add_count(CLI::App&, const std::string& name, std::optional<std::uint64_t>& value, const std::string& help,
                       CountRange = {});
/// A positive number.
CLI::Option* add_positive(CLI::App&, const std::string& name, double& value, const std::string& help);
CLI::Option* add_positive(CLI::App&, const std::string& name, std::optional<double>& value, const std::string& help);
/// A number of seconds, 0 or more.
CLI::Option* add_seconds(CLI::App&, const std::string& name, std::optional<double>& value, const std::string& help);
/// `5%` or `0.05`; above 1 without the sign is an error.
CLI::Option* add_share(CLI::App&, const std::string& name, std::optional<double>& value, const std::string& help);
/// A seed: whole, and negative ones as Python takes them, modulo 2^64.
CLI::Option* add_seed(CLI::App&, const std::string& name, std::optional<std::uint64_t>& value, const std::string& help);
/// --signature.
CLI::Option* add_signature(CLI::App&, SignatureKind& kind);
CLI::Option* add_text(CLI::App&, const std::string& name, std::string& value, const std::string& help,
                      const std::string& placeholder);

/// `5%` or `0.05` as a share; nothing if it is neither.
std::optional<double> parse_share(const std::string& text);

/// --confidence: 95 % where not given. Throws UsageError unless it lies between 0 and 1.
double confidence_of(const std::optional<double>& given);

/// The options that rows of a table (samplers, methods) bring with them; a name that several rows have is added once.
struct OwnedOption {
  OptionSpec spec;
  std::string_view owner;
};
void add_table_options(CLI::App&, std::span<const OwnedOption>, OptionValues& values, const std::string& group);

/// `NAME=FILE` apart. Throws UsageError that shows the form.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option,
                                                     const std::string& form);

/// Groups of options that change no result: they are left out of what an artefact says it was made with.
inline constexpr auto kOutputGroup = "Output";
inline constexpr auto kMessageGroup = "Messages";
inline constexpr auto kRunningGroup = "Running";

/// Everything that was in force, by name: what the user gave, and the defaults of what he did not. Defaults of the groups in
/// `given_only` are left out too.
std::vector<std::pair<std::string, std::vector<std::string>>> options_in_force(const CLI::App&,
                                                                               std::span<const std::string> given_only = {});

/// Throws UsageError where an output is one of the inputs, by whatever path.
void refuse_to_overwrite(std::span<const std::string> inputs, std::span<const std::string> outputs);

/// Where a finding goes: a table for people unless an export takes standard output.
struct ExportPaths {
  std::string json, csv, markdown;
  std::string html, vega;
  std::string junit, gh_benchmark, gh_benchmark_bigger, bmf;
  bool to_stdout = false;
  bool any_json() const { return to_stdout || !json.empty(); }
  bool any_for_ci() const { return !(junit + gh_benchmark + gh_benchmark_bigger + bmf).empty(); }
  bool any_to_look_at() const { return !(html + vega).empty(); }
  std::vector<std::string> files() const { return {json, csv, markdown, html, vega, junit, gh_benchmark, gh_benchmark_bigger, bmf}; }
};
void add_exports(CLI::App&, ExportPaths&);
/// --export-html and --export-vega.
void add_page_exports(CLI::App&, ExportPaths&);
/// Exports that continuous integration reads.
void add_ci_exports(CLI::App&, ExportPaths&);

/// A finding in every form in which it can be written.
struct Findings {
  std::string json;
  TextTable rows;   ///< for programs: every figure in full
  TextTable table;  ///< for people
  std::string junit = {}, gh_benchmark = {}, gh_benchmark_bigger = {}, bmf = {};
  std::string html = {}, vega = {};  ///< made only where asked for
};

/// Opens every path first, so that one that cannot be written is known before the work is done.
class Exports {
 public:
  explicit Exports(const ExportPaths& paths);
  /// The table is printed to standard output unless an export goes there.
  void write(const Findings& findings, const Console& console);
  bool table_on_stdout() const { return table_on_stdout_; }

 private:
  struct Target {
    std::unique_ptr<Output> output;
    std::string (*form)(const Findings&);
  };
  std::vector<Target> targets_;
  bool table_on_stdout_ = true;
};

}  // namespace seqpoint::cli
