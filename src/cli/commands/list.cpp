// Lists of the choices: formats, samplers, methods, schemas; each directly from its table.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "cli/parameters.hpp"
#include "core/batching/batches.hpp"
#include "core/enum_names.hpp"
#include "core/select/select.hpp"
#include "io/artifacts/schemas.hpp"
#include "io/manifests/dataset.hpp"
#include "io/profiles/profile_formats.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

/// How the value of an option follows its name.
enum class Spelling { option, key };

/// One line per option: `--name VALUE`, or `name=VALUE` for the keys of a sampler, with help and default.
std::string option_lines(std::span<const OptionSpec> options, Spelling spelling) {
  const bool is_key = spelling == Spelling::key;
  std::string text;
  for (const OptionSpec& option : options) {
    const std::string value(placeholder(option.kind));
    text += fmt::format("    {}{}{}{}  {}", is_key ? "" : "--", option.name,
                        value.empty() ? ""
                        : is_key      ? "="
                                      : " ",
                        value, option.help);
    if (!option.default_value.empty()) text += fmt::format(" [{}]", option.default_value);
    text += '\n';
  }
  return text;
}

/// The text of a row of a table; `alone`: with the details that are shown for a single row.
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
  if (!sampler.versions.used.empty())
    text += fmt::format("  version {0} unless --sampler-version says otherwise: {1}\n  {0} is {2}\n",
                        sampler.versions.used, batching::known_versions(sampler), sampler.versions.about);
  text += option_lines(sampler.options, Spelling::key);
  if (!alone) return text;
  text += fmt::format("  checked against: {}\n", sampler.checked_against);
  text +=
      fmt::format("  --resume-at: {}{}\n", sampler.resuming.same_batches ? "" : "refused, ", sampler.resuming.about);
  if (sampler.needs_seconds) text += "  lengths: durations, in a manifest of seconds, ms or samples\n";
  const std::string space = sampler.example.starts_with(':') ? "" : " ";
  return text +
         fmt::format("  example: seqpoint scan MANIFEST --sampler {}{}{}\n", sampler.name, space, sampler.example);
}

std::string entry_of(const select::Method& method, bool alone) {
  std::string text = fmt::format("{}\n  {}\n  source: {}\n{}", method.name, method.summary, method.source,
                                 option_lines(method.options, Spelling::option));
  if (!alone) return text;
  using Points = select::Method::Points;
  return text + fmt::format("  number of points: {}\n  example: seqpoint select run.csv --method {}{} -o points.json\n",
                            method.points == Points::none       ? "the method's own"
                            : method.points == Points::required ? "--points K"
                                                                : "--points K, else the method's own",
                            method.name, method.points == Points::none ? "" : " --points 8");
}

/// The texts of all rows, or of the row named `only` if that is not empty, under a heading. Empty if no row has that
/// name.
template <class Rows>
std::string table_text(const std::string& heading, const Rows& rows, const std::string& only) {
  std::string text;
  for (const auto& row : rows)
    if (only.empty() || row.name == only) text += entry_of(row, !only.empty());
  return text.empty() ? "" : heading + text;
}

/// The text. Throws a UsageError that lists all names if it is empty.
template <class... Rows>
std::string require_some(std::string text, const std::string& kind, const std::string& name, const Rows&... rows) {
  if (!text.empty()) return text;
  std::vector<std::string_view> known;
  const auto add = [&known](const std::vector<std::string_view>& more) {
    known.insert(known.end(), more.begin(), more.end());
  };
  (add(row_names(rows)), ...);
  throw UsageError(fmt::format("unknown {} '{}'", kind, name), names_hint(name, known));
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

/// All samplers, or the one of that name. Throws UsageError for another, with a hint that knows frameworks' names.
std::string samplers_text(const std::string& only) {
  try {
    if (!only.empty()) batching::find_sampler(only);  // accepts the names that frameworks use
  } catch (const ParameterError& error) {
    throw UsageError(fmt::format("unknown sampler '{}'", only), error.hint());
  }
  return table_text("", batching::samplers(), only);
}

std::string methods_text(const std::string& only) {
  return require_some(table_text("", select::all_methods(), only), "method", only, select::all_methods());
}

/// The kinds of schemas, one per line; with `only` the schema of that kind, byte for byte.
std::string schemas_text(const std::string& only) {
  std::vector<std::string_view> kinds;
  for (const io::artifacts::Schema& schema : io::artifacts::schemas()) kinds.push_back(schema.kind);
  std::string text;
  for (const io::artifacts::Schema& schema : io::artifacts::schemas())
    if (only.empty() || schema.kind == only) text += only.empty() ? std::string(schema.kind) + "\n" : schema.text;
  if (text.empty()) throw UsageError(fmt::format("unknown schema '{}'", only), names_hint(only, kinds));
  return text;
}

/// A kind of list. `text`: all rows, or only the named one; throws UsageError for an unknown name.
struct List {
  std::string_view name, summary;
  std::string (*text)(const std::string& only);
};
constexpr std::array kLists{
    List{"formats", "the manifests and profiles that can be read", formats_text},
    List{"samplers", "the batch orders that can be reproduced", samplers_text},
    List{"methods", "the ways to choose SeqPoints", methods_text},
    List{"schemas", "the JSON Schemas of output files", schemas_text},
};

struct ListRequest {
  std::string kind, only, output = "-";
};

void declare(CLI::App& app, ListRequest& o) {
  OptionGroup group(app);
  group.text("kind", o.kind, "KIND", "formats, samplers, methods or schemas")->required();
  group.text("name", o.only, "NAME", "Only this one, with an example; of a schema its text");
  group.path("-o,--output", o.output, "write to this file; - is standard output");
}

Exit run(ListRequest request, const CLI::App&, Console&) {
  const auto* const list = std::ranges::find(kLists, request.kind, &List::name);
  if (list == kLists.end())
    throw UsageError(fmt::format("unknown list '{}'", request.kind), names_hint(request.kind, row_names(kLists)));
  const std::string text = list->text(request.only);
  write_text(request.output, list->name == "schemas" ? text : with_options(text));
  return kDone;
}

}  // namespace

Command add_list(CLI::App& program) {
  return add_command<ListRequest>(
      program, "list", "Look up formats, samplers, methods and schemas",
      "Examples:\n"
      "  seqpoint list samplers\n"
      "  seqpoint list samplers pytorch\n"
      "  seqpoint list schemas projection -o projection.schema.json\n"
      "An output file names its schema: \"schema\": \"seqpoint/KIND/2\". Schemas follow JSON Schema's draft 2020-12; "
      "they allow keys that they do not list, since later versions may add some.",
      declare, run);
}

}  // namespace seqpoint::cli::commands
