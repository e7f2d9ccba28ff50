// What an artefact was made from, both ways.
#include <nlohmann/json.hpp>

#include "io/artifacts/json.hpp"
#include "seqpoint/version.hpp"

namespace seqpoint::io::artifacts {
namespace {

std::vector<std::string> read_values(const JsonReader& reader, const Json& value, const std::string& path) {
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<std::string> values;
  for (const Json& one : value) {
    if (!one.is_string()) reader.fail(path, "is neither a text nor a list of texts");
    values.push_back(one.get<std::string>());
  }
  return values;
}

}  // namespace

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
  const Json& json = reader.object(reader.root(), "provenance", "");
  Provenance provenance;
  for (const auto& option : reader.object(json, "options", "provenance.").items())
    provenance.options.emplace_back(option.key(),
                                    read_values(reader, option.value(), "provenance.options." + option.key()));
  for (const Json& input : reader.array(json, "inputs", "provenance.")) {
    const auto text = [&](const char* key) { return reader.text(input, key, "provenance.inputs."); };
    provenance.inputs.push_back({.path = text("path"),
                                 .format = text("format"),
                                 .fields = "",
                                 .unit = "",
                                 .digest = text("digest"),
                                 .rows = 0});
  }
  return provenance;
}

std::string own_maker(const JsonReader& reader) {
  const auto provenance = reader.root().find("provenance");
  if (provenance == reader.root().end() || !provenance->is_object() || !provenance->contains("tool")) return "";
  const Json& tool = (*provenance)["tool"];
  if (!tool.is_object() || tool.value("name", Json()) != "seqpoint" || !tool.contains("version")) return "";
  const std::string version = tool["version"].is_string() ? tool["version"].get<std::string>() : tool["version"].dump();
  return version.starts_with("0.") ? "" : "seqpoint " + version;
}

}  // namespace seqpoint::io::artifacts
