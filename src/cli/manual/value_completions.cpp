// What can stand behind an option, beyond what its placeholder says.
#include <algorithm>
#include <array>

#include "cli/manual/command_line.hpp"
#include "cli/parameters.hpp"
#include "seqpoint/batching/batches.hpp"
#include "seqpoint/io/artifacts/schemas.hpp"
#include "seqpoint/io/manifests/manifests.hpp"
#include "seqpoint/io/profiles/profile_formats.hpp"
#include "seqpoint/lengths/front_end.hpp"
#include "seqpoint/select/selection.hpp"

namespace seqpoint::cli::manual {
namespace {

template <class Rows>
std::vector<Completion> named_rows(const Rows& rows) {
  std::vector<Completion> completions;
  for (const auto& row : rows) completions.push_back({std::string(row.name), with_options(row.summary)});
  return completions;
}

std::vector<Completion> sampler_names() { return named_rows(batching::samplers()); }
std::vector<Completion> method_names() { return named_rows(select::all_methods()); }
std::vector<Completion> format_names() { return named_rows(io::manifests::readers()); }
std::vector<Completion> listed_formats() {
  std::vector<Completion> names;
  for (const auto& more :
       {format_names(), named_rows(io::profiles::profile_readers()), named_rows(lengths::front_ends())})
    for (const Completion& completion : more)
      if (std::none_of(names.begin(), names.end(), [&](const Completion& c) { return c.name == completion.name; }))
        names.push_back(completion);
  return names;
}
std::vector<Completion> profile_names() { return named_rows(io::profiles::profile_readers()); }
std::vector<Completion> front_end_names() { return named_rows(lengths::front_ends()); }

std::vector<Completion> schema_names() {
  std::vector<Completion> completions;
  for (const io::artifacts::Schema& schema : io::artifacts::schemas())
    completions.push_back({std::string(schema.kind), ""});
  return completions;
}

std::vector<Completion> unit_names() {
  return {{"seconds", ""}, {"ms", ""}, {"samples", ""}, {"frames", ""}, {"tokens", ""}, {"bytes", ""}};
}

std::vector<Completion> signature_names() {
  return {{"padded", "lengths padded to the longest"}, {"varlen", "training without padding"}};
}

std::vector<Completion> split_names() {
  return {{"whitespace", "as Python's split()"}, {"spaces", "runs of blanks"}, {"each-space", "count(' ') + 1"}};
}

std::vector<Completion> time_names() {
  return {{"host", "the step on the CPU"},
          {"gpu-busy", "the union of its device operations"},
          {"gpu-sum", "their sum"},
          {"gpu-span", "from the first start to the last end"}};
}

std::vector<Completion> breakdown_names() { return {{"kernel", ""}, {"operator", ""}, {"category", ""}}; }
std::vector<Completion> service_names() { return {{"github", "GitHub Actions"}}; }
std::vector<Completion> color_names() {
  return {{"auto", "on a terminal"}, {"always", "in pipes and files too"}, {"never", "plain text"}};
}
std::vector<Completion> shell_names() { return {{"bash", ""}, {"zsh", ""}, {"fish", ""}}; }

/// The first row that fits decides; an empty command fits all.
struct CompletionRow {
  std::string_view command, option;
  std::vector<Completion> (*completions)();
};

constexpr std::array kCompletions{
    CompletionRow{"inspect", "--format", profile_names},
    CompletionRow{"project", "--format", profile_names},
    CompletionRow{"diagnose", "--format", profile_names},
    CompletionRow{"scan", "--format", format_names},
    CompletionRow{"select", "--format", format_names},
    CompletionRow{"forecast", "--format", format_names},
    CompletionRow{"", "--sampler", sampler_names},
    CompletionRow{"", "--method", method_names},
    CompletionRow{"", "--front-end", front_end_names},
    CompletionRow{"", "--length-unit", unit_names},
    CompletionRow{"", "--signature", signature_names},
    CompletionRow{"", "--split", split_names},
    CompletionRow{"", "--time-source", time_names},
    CompletionRow{"", "--by", breakdown_names},
    CompletionRow{"", "--ci", service_names},
    CompletionRow{"", "--color", color_names},
    CompletionRow{"completion", "shell", shell_names},
    CompletionRow{"formats", "name", listed_formats},
    CompletionRow{"samplers", "name", sampler_names},
    CompletionRow{"methods", "name", method_names},
    CompletionRow{"schema", "kind", schema_names},
};

struct PlaceholderRow {
  std::string_view placeholder;
  ValueKind kind;
};

constexpr std::array kPlaceholders{
    PlaceholderRow{"FILE", ValueKind::file},
    PlaceholderRow{"LENGTHS", ValueKind::file},
    PlaceholderRow{"MANIFEST", ValueKind::file},
    PlaceholderRow{"PREFIX", ValueKind::file},
    PlaceholderRow{"PROFILE", ValueKind::file},
    PlaceholderRow{"PROJECTION", ValueKind::file},
    PlaceholderRow{"SEQPOINTS", ValueKind::file},
    PlaceholderRow{"TRACE", ValueKind::file},
    PlaceholderRow{"NAME=FILE", ValueKind::named_file},
    PlaceholderRow{"NAME=TRACE", ValueKind::named_file},
    PlaceholderRow{"DIR", ValueKind::folder},
};

}  // namespace

std::vector<Completion> completions_of(std::string_view command, std::string_view option) {
  for (const CompletionRow& row : kCompletions)
    if (row.option == option && (row.command.empty() || row.command == command)) return row.completions();
  return {};
}

ValueKind value_kind_of(std::string_view placeholder) {
  for (const PlaceholderRow& row : kPlaceholders)
    if (row.placeholder == placeholder) return row.kind;
  return ValueKind::text;
}

}  // namespace seqpoint::cli::manual
