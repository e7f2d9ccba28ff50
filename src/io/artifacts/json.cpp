#include "io/artifacts/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "io/text/escape.hpp"
#include "io/text/foreign_files.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/version.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// A number, string, boolean or null as JSON. Bytes that are not UTF-8 become U+FFFD.
std::string scalar_text(const Json& value) {
  if (value.is_number_float()) return text::shortest(value.get<double>());
  return text::escaped_directions(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Whether an array is written on one line: it contains neither objects nor arrays.
bool is_flat(const Json& array) {
  return std::none_of(array.begin(), array.end(), [](const Json& v) { return v.is_structured(); });
}

void write(const Json& value, std::size_t indent, std::string& out);

/// Writes an object or array with one item per line, indented by one more than `indent`; `each` writes an item. An
/// empty one stays on the line.
template <class Each>
void write_lines(char open, char close, const Json& value, std::size_t indent, std::string& out, Each each) {
  if (value.empty()) {
    out += open;
    out += close;
    return;
  }
  out += open;
  const char* separator = "\n";
  for (auto item = value.begin(); item != value.end(); ++item) {
    out += separator;
    out.append(indent + 1, ' ');
    each(item);
    separator = ",\n";
  }
  out += '\n';
  out.append(indent, ' ');
  out += close;
}

void write_flat(const Json& array, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (i > 0) out += ", ";
    out += scalar_text(array[i]);
  }
  out += ']';
}

void write(const Json& value, std::size_t indent, std::string& out) {
  if (value.is_object()) {
    write_lines('{', '}', value, indent, out, [&](auto item) {
      out += scalar_text(Json(item.key())) + ": ";
      write(item.value(), indent + 1, out);
    });
  } else if (value.is_array() && is_flat(value)) {
    write_flat(value, out);
  } else if (value.is_array()) {
    write_lines('[', ']', value, indent, out, [&](auto item) { write(*item, indent + 1, out); });
  } else {
    out += scalar_text(value);
  }
}

/// The line, from 1, of a byte of `text`; the last line for an offset after the end.
std::uint64_t line_of(const std::string& text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + static_cast<std::uint64_t>(std::count(text.begin(), end, '\n'));
}

/// nlohmann's message without its prefix `[json.exception.NAME.NUMBER] parse error at line L, column C: `.
std::string syntax_problem(const std::string& what) {
  const auto start = what.find("syntax error");
  const auto prefix = what.find("] ");
  return "is not valid JSON: " + what.substr(start != std::string::npos    ? start
                                             : prefix != std::string::npos ? prefix + 2
                                                                           : 0);
}

std::string hint_for_maker(const std::string& maker) { return "give the file that `seqpoint " + maker + "` wrote"; }

/// Throws InputError for a repeated key of one object, because either value may be meant.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(std::string source) : source_(std::move(source)) {}
  bool operator()(int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key && !open_.back().insert(parsed.get<std::string>()).second)
      throw InputError({source_, 0, parsed.get<std::string>()}, "the key stands twice in one object",
                       "remove one of them");
    return true;
  }

 private:
  std::string source_;
  std::vector<std::set<std::string>> open_;
};

}  // namespace

std::string json_text(const Json& value) {
  std::string out;
  write(value, 0, out);
  out += '\n';
  return out;
}

std::string json_text(const Json& object, std::string_view key, const JsonSource& items) {
  std::string text = json_text(object);
  const std::string array = fmt::format("\n \"{}\": [", key);  // no other line has one blank before its key
  const std::size_t begin = text.find(array) + array.size();
  const std::string rest = text.substr(begin);
  text.resize(begin);
  items([&](const Json& item) {
    text += text.size() == begin ? "\n  " : ",\n  ";
    write(item, 2, text);
  });
  if (text.size() > begin) text += "\n ";
  return text + rest;
}

Json rounded_json(double value) { return std::isfinite(value) ? Json(text::round12(value)) : Json(nullptr); }

const Json& part(const Json& object, const char* key) {
  static const Json kNone;
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}

void add_key(Json& json, const trace::PartialShape& key) {
  for (const trace::Dimension d : trace::kDimensions)
    if (key[d]) json[std::string(trace::name_of(d))] = *key[d];
}

Json parameters_json(const std::vector<std::pair<std::string, double>>& parameters, std::uint64_t phases) {
  Json json = Json::object();
  for (const auto& [name, value] : parameters) {
    std::string key = name;
    std::replace(key.begin(), key.end(), '-', '_');
    if (value == std::floor(value))
      json[key] = static_cast<std::int64_t>(value);
    else
      json[key] = value;
  }
  if (phases > 1) json["phases"] = phases;
  return json;
}

JsonReader::JsonReader(std::string source, const std::string& text, std::string maker)
    : source_(std::move(source)), maker_(std::move(maker)) {
  try {
    DuplicateKeys duplicates(source_);
    root_ = Json::parse(text, std::ref(duplicates));
  } catch (const Json::parse_error& error) {
    text::refuse_foreign_text(source_, text);
    // A text that does not begin like JSON is another kind of file; one that does was perhaps truncated.
    const bool other_file = text.find_first_not_of(" \t\r\n") != text.find('{');
    throw InputError({source_, line_of(text, error.byte)}, other_file ? "is not JSON" : syntax_problem(error.what()),
                     other_file ? hint_for_maker(maker_) : "check that the file is whole");
  } catch (const Json::exception& error) {
    throw InputError({source_}, syntax_problem(error.what()), hint_for_maker(maker_));
  }
  if (!root_.is_object()) throw InputError({source_}, "is not a JSON object", hint_for_maker(maker_));
}

void JsonReader::fail_kind(const std::string& problem) const {
  throw InputError({source_, 0, "schema"}, problem, hint_for_maker(maker_));
}

void JsonReader::fail(const std::string& path, const std::string& problem) const {
  throw InputError({source_, 0, path}, problem, "make the file anew with `seqpoint " + maker_ + "`");
}

// --- provenance

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
