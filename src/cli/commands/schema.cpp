#include "cli/commands/command.hpp"
#include "cli/options/shared_options.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/schemas.hpp"

namespace seqpoint::cli {
namespace {

std::string kinds() {
  std::string names;
  for (const Schema& schema : schemas()) names += (names.empty() ? "" : ", ") + std::string(schema.kind);
  return names;
}

const Schema& find_schema(const std::string& kind) {
  for (const Schema& schema : schemas())
    if (schema.kind == kind) return schema;
  throw UsageError(kind.empty() ? "an artefact is missing" : "there is no schema '" + kind + "'", "one of: " + kinds());
}

Exit run_schema(const std::string& kind, const std::string& path) {
  const Schema& schema = find_schema(kind);
  Output out(path);
  out.write(schema.text);
  out.commit();
  return kDone;
}

}  // namespace

void add_schema(CLI::App& command, Action& chosen) {
  auto kind = std::make_shared<std::string>(), path = std::make_shared<std::string>("-");
  command.add_option("kind", *kind, "The artefact: " + kinds())->type_name("KIND");
  command.add_option("-o,--output", *path, "write to this file; - is standard output")->type_name("FILE")->group(kOutputGroup);
  command.footer("Examples:\n"
                 "  seqpoint schema projection -o projection.schema.json\n"
                 "An artefact says what it is: \"schema\": \"seqpoint/KIND/1\". Schemas are of JSON Schema's draft 2020-12; they allow\n"
                 "keys that they do not list, since later versions may add some.");
  command.callback([kind, path, &chosen] {
    chosen = [kind, path](Console&) { return run_schema(*kind, *path); };
  });
}

}  // namespace seqpoint::cli
