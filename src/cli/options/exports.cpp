#include "cli/options/exports.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/progress.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {

namespace {

bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return std::filesystem::is_regular_file(a, none) && std::filesystem::equivalent(a, b, none);
}

}  // namespace

void refuse_to_overwrite(std::span<const std::string> inputs, std::span<const std::string> outputs) {
  std::map<std::string, std::string> taken;  // final place, and the path as it was given
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

void require_one_standard_input(std::span<const std::string> inputs) {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1)
    throw UsageError("standard input (-) can be only one of the inputs");
}

void require_valid(const ExportPaths& paths, std::span<const std::string> inputs) {
  refuse_to_overwrite(inputs, paths.files());
  if (paths.to_stdout && !paths.json.empty() && paths.json != "-")
    throw UsageError("--json and --export-json FILE exclude each other", "--json is --export-json -");
}

void write_text(const std::string& path, std::string_view text) {
  io::stream::Output out(path);
  out.write(text);
  out.commit();
}

OptionRows export_rows(ExportPaths& paths) {
  return grouped(kOutputGroup, {{"-o,--output,--export-json", path_to(paths.json),
                                 "write the artefact, as JSON; - is standard output"},
                                {"--json", flag_to(paths.to_stdout), "the same as --export-json -"},
                                {"--export-csv", path_to(paths.csv), "write every figure as CSV"},
                                {"--export-markdown", path_to(paths.markdown), "write the table"}});
}

OptionRow page_export_row(ExportPaths& paths) {
  return {"--export-html", path_to(paths.html), "write one self-contained page to look at", kOutputGroup};
}

OptionRows ci_export_rows(ExportPaths& paths) {
  return grouped(kOutputGroup,
                 {{"--export-junit", path_to(paths.junit), "write a test report, one case a check; as JUnit's XML"},
                  {"--export-gh-benchmark", path_to(paths.gh_benchmark),
                   "write the figures that are better when smaller, for github-action-benchmark"},
                  {"--export-bmf", path_to(paths.bmf), "write for Bencher, in its metric format"}});
}

Exports::Exports(const ExportPaths& paths) {
  const auto add = [&](const std::string& path, auto form) {
    if (path.empty()) return;
    if (path == "-") table_on_stdout_ = false;
    targets_.push_back({std::make_unique<io::stream::Output>(path), form});
  };
  add(paths.json_file(), [](const ResultForms& f) { return f.json; });
  add(paths.csv, [](const ResultForms& f) { return io::views::as_csv(f.rows); });
  add(paths.markdown, [](const ResultForms& f) { return io::views::as_markdown(f.table); });
  add(paths.html, [](const ResultForms& f) { return f.html; });
  add(paths.junit, [](const ResultForms& f) { return f.junit; });
  add(paths.gh_benchmark, [](const ResultForms& f) { return f.gh_benchmark; });
  add(paths.bmf, [](const ResultForms& f) { return f.bmf; });
}

void Exports::write(const ResultForms& forms, const Console& console) {
  for (Target& target : targets_) target.output->write(during(console, "writing", [&] { return target.form(forms); }));
  for (Target& target : targets_) target.output->complete();
  for (Target& target : targets_) target.output->commit();
  if (table_on_stdout_)
    write_text("-", during(console, "writing",
                           [&] { return forms.text.empty() ? io::views::as_text(forms.table) : forms.text; }));
}

}  // namespace seqpoint::cli::options
