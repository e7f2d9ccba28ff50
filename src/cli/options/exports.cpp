#include "cli/options/exports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// Whether two paths lead to the same regular file. False if one does not exist.
bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return std::filesystem::is_regular_file(a, none) && std::filesystem::equivalent(a, b, none);
}

std::string form_of(const ResultForms& forms, ExportFormat format) {
  switch (format) {
    case ExportFormat::json: return forms.json;
    case ExportFormat::csv: return io::views::as_csv(forms.rows);
    case ExportFormat::markdown: return forms.verdicts + io::views::as_markdown(forms.table);
    case ExportFormat::html: return forms.html;
    case ExportFormat::junit: return forms.junit;
  }
  return {};
}

}  // namespace

void refuse_to_overwrite(std::span<const std::string> inputs, std::span<const std::string> outputs) {
  std::map<std::string, std::string> taken;  // final place, and the given path
  for (const std::string& output : outputs) {
    if (output.empty()) continue;
    const bool to_stdout = io::stream::is_standard_output(output);
    const auto [other, is_new] = taken.emplace(to_stdout ? "-" : io::stream::final_path(output), output);
    if (!is_new && to_stdout) throw UsageError("only one output can go to standard output");
    if (!is_new && output == other->second)
      throw UsageError("two outputs go to " + output, "give each a file of its own");
    if (!is_new)
      throw UsageError(fmt::format("{} and {} are one file", other->second, output), "give each a file of its own");
    if (!to_stdout && are_one_file("/dev/stdout", output))
      throw UsageError(output + " is where standard output goes: one would take the other's place",
                       "give each a file of its own");
    for (const std::string& input : inputs)
      if (are_one_file(input == "-" ? "/dev/stdin" : input, to_stdout ? "/dev/stdout" : output))
        throw UsageError((output == "-" ? "standard output" : output) + " is an input: it would be overwritten",
                         "write to another file");
  }
}

void refuse_several_standard_inputs(std::span<const std::string> inputs) {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1)
    throw UsageError("standard input (-) can be only one of the inputs");
}

void require_valid(const ExportPaths& paths, std::span<const std::string> inputs) {
  refuse_to_overwrite(inputs, paths.files());
}

void write_text(const std::string& path, std::string_view text) {
  io::stream::Output out(path);
  out.write(text);
  out.commit();
}

bool ExportPaths::has(ExportFormat format) const {
  return std::ranges::find(exports, format, &Export::format) != exports.end();
}

bool ExportPaths::to_stdout() const { return std::ranges::find(exports, "-", &Export::path) != exports.end(); }

std::vector<std::string> ExportPaths::files() const {
  std::vector<std::string> files;
  for (const Export& one : exports) files.push_back(one.path);
  return files;
}

void add_exports(CLI::App& app, ExportPaths& paths, std::span<const ExportFormat> formats) {
  std::vector<std::string> known;
  for (const ExportFormat format : formats) known.emplace_back(name_in(kExportFormats, format));
  const auto add = [&paths, known](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const std::size_t equals = text.find('=');
      const std::string name = text.substr(0, equals);
      const std::string ending = name.substr(name.rfind('.') + 1);
      if (ending != name && std::ranges::find(known, ending) != known.end())
        throw UsageError("--export: the format of " + name + " is missing", "--export " + ending + "=" + text);
      if (std::ranges::find(known, name) == known.end())
        refuse_word("--export", name, std::vector<std::string_view>(known.begin(), known.end()));
      if (equals + 1 == text.size())
        throw UsageError("--export " + text + " names no file", "--export " + name + "=FILE");
      paths.exports.push_back(
          {*value_of(kExportFormats, name), equals == std::string::npos ? "-" : text.substr(equals + 1)});
    }
  };
  OptionGroup(app).list(
      "--export", add, "FORMAT[=FILE]",
      fmt::format("write the result as {}; without a file to standard output; repeatable", fmt::join(known, ", ")));
  OptionGroup(app, kOutputGroup)
      .callback(
          "--json",
          [&paths] {
            paths.exports.push_back({ExportFormat::json, "-"});
          },
          "the same as --export json");
}

void add_output(CLI::App& app, ExportPaths& paths, std::span<const ExportFormat> formats) {
  OptionGroup(app).other(
      "-o,--output", "FILE",
      [&paths](const auto&, const std::string& path) {
        paths.exports.push_back({ExportFormat::json, path});
      },
      "write the result as JSON; - is standard output");
  add_exports(app, paths, formats);
}

Exports::Exports(const ExportPaths& paths, bool table_beside)
    : table_on_stdout_(paths.exports.empty() || (table_beside && !paths.to_stdout())) {
  for (const auto& [format, path] : paths.exports)
    targets_.push_back({std::make_unique<io::stream::Output>(path), format});
}

void Exports::write(const ResultForms& forms, const Console& console) {
  constexpr std::size_t kBlock = 1 << 16;  // bytes of a table that are printed together
  for (Target& target : targets_)
    target.output->write(during(console, "writing", [&] { return form_of(forms, target.format); }));
  for (Target& target : targets_) target.output->complete();
  for (Target& target : targets_) target.output->commit();
  if (!table_on_stdout_) return;
  io::stream::Output out("-");
  const auto columns = columns_of_terminal(STDOUT_FILENO);
  std::string lines = columns ? folded(forms.text, *columns, kAfterLabel) : forms.text;
  const auto print = [&] {
    out.write(console.with_colored_verdicts(lines, STDOUT_FILENO));
    lines.clear();
  };
  if (lines.empty())
    io::views::for_each_line(
        forms.table,
        [&](const std::string& line) {
          lines += line;
          if (lines.size() >= kBlock) print();
        },
        columns);
  print();
  out.commit();
}

}  // namespace seqpoint::cli::options
