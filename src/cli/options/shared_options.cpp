#include "cli/options/shared_options.hpp"

#include <charconv>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "cli/progress.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli {
namespace {

template <class T>
std::optional<T> parse_whole(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const std::string& name, const std::string& text, const std::string& wanted) {
  throw UsageError(name.substr(name.rfind(',') + 1) + ": '" + text + "' is not " + wanted);
}

std::uint64_t count_or_refuse(const std::string& name, const std::string& text, CountRange range) {
  const auto value = parse_whole<std::uint64_t>(text);
  if (value && *value >= range.least && *value <= range.most) return *value;
  std::string wanted = "a whole number of " + std::to_string(range.least) + " or more";
  if (range.most != UINT64_MAX) wanted += ", at most " + std::to_string(range.most);
  refuse(name, text, wanted);
}

double positive_or_refuse(const std::string& name, const std::string& text) {
  const auto given = parse_real(text);
  if (!given || !(*given > 0)) refuse(name, text, "a number above 0");
  return *given;
}

}  // namespace

CLI::Option* add_count(CLI::App& app, const std::string& name, std::uint64_t& value, const std::string& help,
                       CountRange range) {
  auto* const option = app.add_option_function<std::string>(
      name, [&value, name, range](const std::string& text) { value = count_or_refuse(name, text, range); }, help);
  return option->type_name("N")->default_str(std::to_string(value));
}

CLI::Option* add_count(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& value, const std::string& help,
                       CountRange range) {
  auto* const option = app.add_option_function<std::string>(
      name, [&value, name, range](const std::string& text) { value = count_or_refuse(name, text, range); }, help);
  return option->type_name("N");
}

CLI::Option* add_positive(CLI::App& app, const std::string& name, double& value, const std::string& help) {
  auto* const option = app.add_option_function<std::string>(
      name, [&value, name](const std::string& text) { value = positive_or_refuse(name, text); }, help);
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  return option->type_name("X")->default_str(std::string(text.data(), written.ptr));
}

CLI::Option* add_positive(CLI::App& app, const std::string& name, std::optional<double>& value, const std::string& help) {
  auto* const option = app.add_option_function<std::string>(
      name, [&value, name](const std::string& text) { value = positive_or_refuse(name, text); }, help);
  return option->type_name("X");
}

CLI::Option* add_seconds(CLI::App& app, const std::string& name, std::optional<double>& value, const std::string& help) {
  auto* const option = app.add_option_function<std::string>(
      name,
      [&value, name](const std::string& text) {
        value = parse_real(text);
        if (!value || *value < 0) refuse(name, text, "a number of seconds, 0 or more; write 2.5");
      },
      help);
  return option->type_name("SECONDS");
}

std::optional<double> parse_share(const std::string& text) {
  const bool percent = text.ends_with('%');
  const auto number = parse_real(std::string_view(text).substr(0, text.size() - (percent ? 1 : 0)));
  if (!number || *number < 0) return std::nullopt;
  if (percent) return *number / 100;
  if (*number > 1) return std::nullopt;
  return number;
}

CLI::Option* add_share(CLI::App& app, const std::string& name, std::optional<double>& value, const std::string& help) {
  auto* const option = app.add_option_function<std::string>(
      name,
      [&value, name](const std::string& text) {
        const auto share = parse_share(text);
        if (!share) refuse(name, text, "a share; write 5% or 0.05");
        value = share;
      },
      help);
  return option->type_name("P");
}

CLI::Option* add_seed(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& value, const std::string& help) {
  auto* const option = app.add_option_function<std::string>(
      name,
      [&value, name](const std::string& text) {
        value = parse_whole<std::uint64_t>(text);
        if (!value)
          if (const auto negative = parse_whole<std::int64_t>(text)) value = static_cast<std::uint64_t>(*negative);
        if (!value) refuse(name, text, "a whole number of 64 bits");
      },
      help);
  return option->type_name("S");
}

CLI::Option* add_signature(CLI::App& app, SignatureKind& kind) {
  auto* const option = app.add_option_function<std::string>(
      "--signature",
      [&kind](const std::string& name) {
        const auto known = signature_kind(name);
        if (!known) throw UsageError("--signature: there is no signature '" + name + "'", "one of: padded, varlen");
        kind = *known;
      },
      "what tells iterations apart: padded lengths, or, without padding (varlen), tokens and squared lengths [padded]");
  return option->type_name("padded|varlen");
}

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value, const std::string& help,
                      const std::string& placeholder) {
  return app.add_option(name, value, help)->type_name(placeholder);
}

namespace {

/// What an option means, row by row; rows that mean the same stand together.
std::string help_of_rows(std::span<const OwnedOption> options, std::string_view name) {
  std::vector<std::pair<std::string, std::string>> owners_of;  // meaning, owners
  for (const auto& [spec, owner] : options) {
    if (spec.name != name) continue;
    std::string meaning(spec.help);
    if (!spec.default_value.empty()) meaning += " [" + std::string(spec.default_value) + "]";
    const auto known = std::find_if(owners_of.begin(), owners_of.end(), [&](const auto& entry) { return entry.first == meaning; });
    if (known == owners_of.end())
      owners_of.emplace_back(meaning, owner);
    else
      known->second += ", " + std::string(owner);
  }
  std::string text;
  for (const auto& [meaning, owners] : owners_of) text += (text.empty() ? "" : "; ") + owners + ": " + meaning;
  return text;
}

}  // namespace

void add_table_options(CLI::App& app, std::span<const OwnedOption> options, OptionValues& values, const std::string& group) {
  std::set<std::string_view> added;
  for (const auto& [spec, owner] : options) {
    if (!added.insert(spec.name).second) continue;
    const std::string name(spec.name), flag = "--" + name, help = help_of_rows(options, spec.name);
    if (spec.kind == OptionSpec::Kind::flag) {
      app.add_flag_callback(flag, [&values, name] { values.set(name, "true"); }, help)->group(group);
      continue;
    }
    app.add_option_function<std::string>(flag, [&values, name](const std::string& text) { values.set(name, text); }, help)
        ->type_name(std::string(placeholder(spec.kind)))->group(group);
  }
}

double confidence_of(const std::optional<double>& given) {
  const double confidence = given.value_or(0.95);
  if (confidence > 0 && confidence < 1) return confidence;
  throw UsageError("--confidence must be above 0 and below 100 %", "for example --confidence 95%");
}

namespace {

/// A file without a name is the usual mistake: the name is free.
std::string named_file(const std::string& text, const std::string& option, const std::string& form) {
  if (form != "NAME=FILE" && form != "NAME=TRACE") return "";
  const std::string file = text.substr(text.find('=') + 1);  // all of it where there is none
  return "name it as you like: " + (option.empty() ? "" : option + " ") + "v1=" + (file.empty() ? form.substr(form.find('=') + 1) : file);
}

}  // namespace

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option,
                                                     const std::string& form) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError((option.empty() ? "'" : option + ": '") + text + "' is not of the form " + form, named_file(text, option, form));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::pair<std::string, std::vector<std::string>>> options_in_force(const CLI::App& app,
                                                                               std::span<const std::string> given_only) {
  std::vector<std::pair<std::string, std::vector<std::string>>> in_force;
  for (const CLI::Option* const option : app.get_options()) {
    const std::string group = option->get_group();
    if (option->get_lnames().empty() || group == kOutputGroup || group == kMessageGroup || group == kRunningGroup) continue;
    const bool default_counts = std::find(given_only.begin(), given_only.end(), group) == given_only.end();
    std::vector<std::string> values = option->results();
    if (values.empty() && default_counts && !option->get_default_str().empty()) values = {option->get_default_str()};
    if (!values.empty()) in_force.emplace_back(option->get_lnames().front(), std::move(values));
  }
  return in_force;
}

void refuse_to_overwrite(std::span<const std::string> inputs, std::span<const std::string> outputs) {
  for (const std::string& output : outputs)
    for (const std::string& input : inputs) {
      std::error_code none;
      if (input != "-" && output != "-" && std::filesystem::is_regular_file(input, none) && std::filesystem::equivalent(input, output, none))
        throw UsageError(output + " is an input: it would be overwritten", "write to another file");
    }
}

void add_exports(CLI::App& app, ExportPaths& paths) {
  app.add_option("-o,--output,--export-json", paths.json, "write the artefact, as JSON; - is standard output")
      ->type_name("FILE")->group(kOutputGroup);
  app.add_flag("--json", paths.to_stdout, "the same as --export-json -")->group(kOutputGroup);
  app.add_option("--export-csv", paths.csv, "write every figure, one configuration and metric a row")
      ->type_name("FILE")->group(kOutputGroup);
  app.add_option("--export-markdown", paths.markdown, "write the table")->type_name("FILE")->group(kOutputGroup);
}

void add_page_exports(CLI::App& app, ExportPaths& paths) {
  app.add_option("--export-html", paths.html, "write one self-contained page to look at")->type_name("FILE")->group(kOutputGroup);
  app.add_option("--export-vega", paths.vega, "write the charts' figures as a Vega-Lite specification")->type_name("FILE")->group(kOutputGroup);
}

void add_ci_exports(CLI::App& app, ExportPaths& paths) {
  const auto add = [&](const char* name, std::string& path, const char* help) {
    app.add_option(name, path, help)->type_name("FILE")->group(kOutputGroup);
  };
  add("--export-junit", paths.junit, "write a test report, one case a check; as JUnit's XML");
  add("--export-gh-benchmark", paths.gh_benchmark, "write for github-action-benchmark what is better smaller");
  add("--export-gh-benchmark-bigger", paths.gh_benchmark_bigger, "write for github-action-benchmark what is better bigger");
  add("--export-bmf", paths.bmf, "write for Bencher, in its metric format");
}

Exports::Exports(const ExportPaths& paths) {
  std::set<std::string> taken;
  const auto add = [&](const std::string& path, auto form) {
    if (path.empty()) return;
    if (path == "-" && !table_on_stdout_) throw UsageError("only one export can go to standard output");
    if (path == "-") table_on_stdout_ = false;
    if (!taken.insert(path).second) throw UsageError("two exports go to " + path, "give each a file of its own");
    targets_.push_back({std::make_unique<Output>(path), form});
  };
  if (paths.to_stdout && !paths.json.empty() && paths.json != "-")
    throw UsageError("--json and --export-json FILE exclude each other", "--json is --export-json -");
  add(paths.to_stdout ? "-" : paths.json, [](const Findings& f) { return f.json; });
  add(paths.csv, [](const Findings& f) { return as_csv(f.rows); });
  add(paths.markdown, [](const Findings& f) { return as_markdown(f.table); });
  add(paths.html, [](const Findings& f) { return f.html; });
  add(paths.vega, [](const Findings& f) { return f.vega; });
  add(paths.junit, [](const Findings& f) { return f.junit; });
  add(paths.gh_benchmark, [](const Findings& f) { return f.gh_benchmark; });
  add(paths.gh_benchmark_bigger, [](const Findings& f) { return f.gh_benchmark_bigger; });
  add(paths.bmf, [](const Findings& f) { return f.bmf; });
}

void Exports::write(const Findings& findings, const Console& console) {
  for (Target& target : targets_) target.output->write(during(console, "writing", [&] { return target.form(findings); }));
  for (Target& target : targets_) target.output->commit();
  if (!table_on_stdout_) return;
  Output out("-");
  out.write(during(console, "writing", [&] { return as_text(findings.table); }));
  out.commit();
}

}  // namespace seqpoint::cli
