#include <fmt/core.h>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "io/artifacts/schemas.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::cli::commands {
namespace {

struct SchemaOptions {
  std::string kind, output = "-";
};

struct SchemaRequest {
  io::artifacts::Schema schema;
  std::string output;
};

std::vector<std::string_view> kinds() {
  std::vector<std::string_view> names;
  for (const io::artifacts::Schema& schema : io::artifacts::schemas()) names.push_back(schema.kind);
  return names;
}

OptionRows rows_of(SchemaOptions& o) {
  Value kind = text_to(o.kind, "KIND");
  kind.choices = [] {
    std::vector<Choice> all;
    for (const std::string_view name : kinds()) all.push_back({std::string(name), ""});
    return all;
  };
  return {{"kind", kind, "The artefact, " + names_hint("", kinds())},
          {"-o,--output", path_to(o.output), "write to this file; - is standard output", kOutputGroup}};
}

SchemaRequest request_of(SchemaOptions o, const GivenOptions&) {
  for (const io::artifacts::Schema& schema : io::artifacts::schemas())
    if (schema.kind == o.kind) return {schema, o.output};
  throw UsageError(o.kind.empty() ? "an artefact is missing" : fmt::format("there is no schema '{}'", o.kind),
                   names_hint(o.kind, kinds()));
}

Exit run(SchemaRequest request, Console&) {
  write_text(request.output, request.schema.text);
  return kDone;
}

}  // namespace

CommandSpec schema_command() {
  return command_of<SchemaOptions, SchemaRequest>(
      "schema", "The JSON Schema of an artefact",
      "Examples:\n"
      "  seqpoint schema projection -o projection.schema.json\n"
      "An artefact says what it is: \"schema\": \"seqpoint/KIND/1\". Schemas are of JSON Schema's draft "
      "2020-12; they allow\n"
      "keys that they do not list, since later versions may add some.",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
