// Writes and reads the provenance of an output file.
#include "io/artifacts/json.hpp"
#include "seqpoint/version.hpp"

namespace seqpoint::io::artifacts {
/// An option with one value is a string, with several an array.
Json provenance_json(const Provenance& provenance) {
  Json options = Json::object();
  for (const auto& [name, values] : provenance.options)
    options[name] = values.size() == 1 ? Json(values.front()) : Json(values);
  Json inputs = Json::array();
  for (const manifests::InputRecord& input : provenance.inputs) {
    Json entry{{"path", input.path}, {"format", input.format}, {"rows", input.rows}, {"digest", input.digest}};
    if (!input.fields.empty()) entry["length_field"] = input.fields;
    if (!input.unit.empty()) entry["length_unit"] = input.unit;
    inputs.push_back(std::move(entry));
  }
  return {{"tool", {{"name", "seqpoint"}, {"version", kVersion}}}, {"options", options}, {"inputs", inputs}};
}

Provenance read_provenance(const JsonReader& reader) {
  const Json& json = reader.root()["provenance"];
  Provenance provenance;
  for (const auto& [name, typed] : json["options"].items())
    provenance.options.emplace_back(
        name, typed.is_string() ? std::vector<std::string>{typed} : typed.get<std::vector<std::string>>());
  for (const Json& input : json["inputs"])
    provenance.inputs.push_back({input["path"], input["format"], "", "", input["digest"], 0});
  return provenance;
}

std::string own_maker(const JsonReader& reader) {
  const auto provenance = reader.root().find("provenance");
  if (provenance == reader.root().end() || !provenance->is_object() || !provenance->contains("tool")) return "";
  const Json& tool = (*provenance)["tool"];
  if (!tool.is_object() || part(tool, "name") != "seqpoint" || !tool.contains("version")) return "";
  const std::string version = tool["version"].is_string() ? tool["version"].get<std::string>() : tool["version"].dump();
  return version.starts_with("0.") ? "" : "seqpoint " + version;
}

}  // namespace seqpoint::io::artifacts
