// What there is to choose from: formats, samplers, methods; each straight from its table.
#include <fmt/core.h>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "cli/parameters.hpp"
#include "io/profiles/profile_formats.hpp"
#include "seqpoint/batches.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/files.hpp"
#include "seqpoint/select.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::cli::commands {
namespace {

std::string option_lines(std::span<const OptionSpec> options) {
  std::string text;
  for (const OptionSpec& option : options) {
    const std::string value(placeholder(option.kind));
    text += fmt::format("    --{}{}  {}", option.name, value.empty() ? "" : " " + value, option.help);
    if (!option.default_value.empty()) text += fmt::format(" [{}]", option.default_value);
    text += '\n';
  }
  return text;
}

/// What a list says of a row; `alone`: and what is said where the row alone is asked for.
std::string entry_of(const io::manifests::Reader& reader, bool alone) {
  std::string text = fmt::format("{}\n  {}\n    {}\n", reader.name, reader.summary, reader.example);
  if (!alone) return text;
  if (reader.read == nullptr) return text + fmt::format("  example: seqpoint select FILE --format {}\n", reader.name);
  return text + fmt::format(
                    "  unit of the length: what is said above; else --length-unit, or the column's name; else as it "
                    "stands\n  example: seqpoint scan FILE --format {} --batch-size 32 --summary\n",
                    reader.name);
}

std::string entry_of(const io::profiles::ProfileReader& reader, bool alone) {
  std::string text = fmt::format("{}\n  {}\n    {}\n", reader.name, reader.summary, reader.example);
  if (alone)
    text += fmt::format(
        "  unit of times: the file's own, read as seconds\n  example: seqpoint project points.json --profile v1=FILE "
        "--format {}\n",
        reader.name);
  return text;
}

std::string entry_of(const lengths::FrontEnd& front_end, bool alone) {
  std::string text = fmt::format("  {}\n    {}\n    source: {}\n", front_end.name, front_end.summary, front_end.source);
  if (alone)
    text += fmt::format("    unit: frames\n    example: seqpoint scan FILE --front-end {} --batch-size 32 --summary\n",
                        front_end.name);
  return text;
}

std::string entry_of(const batching::Sampler& sampler, bool alone) {
  std::string text = fmt::format("{}\n  {}\n", sampler.name, sampler.summary);
  if (!sampler.last_release.empty()) text += fmt::format("  last release: {}\n", sampler.last_release);
  if (!sampler.versions.used.empty())
    text += fmt::format("  version {0} unless --sampler-version says otherwise: {1}\n  {0} is {2}\n",
                        sampler.versions.used, batching::known_versions(sampler), sampler.versions.about);
  text += fmt::format("  checked against: {}\n{}", sampler.checked_against, option_lines(sampler.options));
  if (!alone) return text;
  text +=
      fmt::format("  --resume-at: {}{}\n", sampler.resuming.same_batches ? "" : "refused, ", sampler.resuming.about);
  if (sampler.needs_seconds) text += "  lengths: durations, in a manifest of seconds, ms or samples\n";
  return text + fmt::format("  example: seqpoint scan MANIFEST --sampler {} {}\n", sampler.name, sampler.example);
}

std::string entry_of(const select::Method& method, bool alone) {
  std::string text = fmt::format("{}\n  {}\n  source: {}\n{}", method.name, method.summary, method.source,
                                 option_lines(method.options));
  if (!alone) return text;
  using Points = select::Method::Points;
  return text + fmt::format("  number of points: {}\n  example: seqpoint select run.csv --method {}{} -o points.json\n",
                            method.points == Points::none       ? "the method's own"
                            : method.points == Points::required ? "--points K"
                                                                : "--points K, else the method's own",
                            method.name, method.points == Points::none ? "" : " --points 8");
}

/// A table under its heading; of one row where that is asked for.
template <class Rows>
std::string table_text(const std::string& heading, const Rows& rows, const std::string& only) {
  std::string text;
  for (const auto& row : rows)
    if (only.empty() || row.name == only) text += entry_of(row, !only.empty());
  return text.empty() ? "" : heading + text;
}

template <class... Rows>
std::string require_some(std::string text, const std::string& kind, const std::string& name, const Rows&... rows) {
  if (!text.empty()) return text;
  std::vector<std::string_view> known;
  const auto add = [&known](const std::vector<std::string_view>& more) {
    known.insert(known.end(), more.begin(), more.end());
  };
  (add(row_names(rows)), ...);
  throw UsageError(fmt::format("there is no {} '{}'", kind, name), names_hint(name, known));
}

std::string formats_text(const std::string& only) {
  const auto manifests = io::manifests::readers();
  const auto profiles = io::profiles::profile_readers();
  const auto front_ends = lengths::front_ends();
  std::string text = table_text("", manifests, only) +
                     table_text("\nProfiles (inspect, project --profile):\n", profiles, only) +
                     table_text("\nDurations and audio samples become frames by --front-end NAME:\n", front_ends, only);
  if (text.starts_with('\n')) text.erase(0, 1);
  return require_some(std::move(text), "format", only, manifests, profiles, front_ends);
}

std::string samplers_text(const std::string& only) {
  try {
    if (!only.empty()) batching::find_sampler(only);  // it knows the names that frameworks have
  } catch (const ParameterError& error) {
    throw UsageError(fmt::format("there is no sampler '{}'", only), error.alternatives());
  }
  return table_text("", batching::samplers(), only);
}

std::string methods_text(const std::string& only) {
  return require_some(table_text("", select::all_methods(), only), "method", only, select::all_methods());
}

std::vector<Choice> all_formats() {
  std::vector<Choice> all = choices_of(io::manifests::readers());
  for (const auto& more : {choices_of(io::profiles::profile_readers()), choices_of(lengths::front_ends())})
    for (const Choice& choice : more)
      if (std::ranges::find(all, choice.name, &Choice::name) == all.end()) all.push_back(choice);
  return all;
}

CommandSpec list_of(std::string name, std::string summary, const std::string& help,
                    std::string (*text)(const std::string& only), std::vector<Choice> (*choices)()) {
  const auto only = std::make_shared<std::string>();
  return {.name = std::move(name),
          .summary = std::move(summary),
          .footer = {},
          .options = LazyRows([only, help, choices] {
            Value value = text_to(*only, "NAME");
            value.choices = choices;
            return OptionRows{{"name", value, help}};
          }),
          .run = [text, only](const GivenOptions&, Console&) {
            write_text("-", with_options(text(*only)));
            return kDone;
          }};
}

}  // namespace

CommandSpec formats_command() {
  return list_of("formats", "The manifests and profiles that can be read", "Only what has this name", formats_text,
                 all_formats);
}
CommandSpec samplers_command() {
  return list_of("samplers", "The batch orders that can be reproduced", "Only this one, with an example", samplers_text,
                 [] { return choices_of(batching::samplers()); });
}
CommandSpec methods_command() {
  return list_of("methods", "The ways to choose SeqPoints", "Only this one, with an example", methods_text,
                 [] { return choices_of(select::all_methods()); });
}

}  // namespace seqpoint::cli::commands
