/// \file
/// JSON of output files: written readably and reproducibly, read with the location of every problem.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnose/diagnosis.hpp"
#include "io/artifacts/schemas.hpp"
#include "io/files.hpp"

namespace seqpoint::io::artifacts {

using Json = nlohmann::ordered_json;

/// One key per line, arrays of plain values on one line, shortest numbers, a newline at the end. Bytes that are not
/// UTF-8 become U+FFFD.
std::string json_text(const Json&);
/// Passes items one by one: of a million items none has to be kept.
using JsonSource = std::function<void(const std::function<void(const Json&)>&)>;
/// The same for an object in which the array at `key` is empty: it gets those items, which are objects.
std::string json_text(const Json& object, std::string_view key, const JsonSource& items);

/// A computed number: rounded to 12 digits; null if it is not finite.
Json rounded_json(double value);

Json provenance_json(const Provenance&);
/// Totals of a run, and the histogram of its shapes.
Json run_json(const trace::RunSummary&);
/// Null if there is none.
Json throughput_json(const std::optional<project::Throughput>&);
/// Findings about measurements.
Json findings_json(const std::vector<Finding>&);
/// The value of "explanation" in a projection's JSON, which --explain adds: an object with findings of its own.
Json explanation_json(const diagnose::Diagnosis&);
class JsonReader;
/// Throws InputError if there is none.
Provenance read_provenance(const JsonReader&);
/// "seqpoint 1.0.0" if the document names this program as its maker, from 1.0 on: earlier versions wrote no digests.
/// Else empty.
std::string own_maker(const JsonReader&);
Json parameters_json(const std::vector<std::pair<std::string, double>>&, std::uint64_t phases = 1);
/// Adds the known dimensions, each under its name.
void add_key(Json&, const trace::PartialShape&);
/// Adds "gates": every check, and whether the check passes. Adds nothing if the user set no gate.
void add_gates(Json&, const project::Gates&);

/// The value at a key of an object; null, which has no elements, if the key is missing.
const Json& part(const Json& object, const char* key);
/// The same for a plain value; nothing if it is missing or null.
template <class T>
std::optional<T> given(const Json& object, const char* key) {
  const Json& found = part(object, key);
  return found.is_null() ? std::nullopt : std::optional<T>(found.get<T>());
}

/// A JSON document that is read; errors name the place of a value.
class JsonReader {
 public:
  /// Parses; throws InputError with the line for invalid JSON and for duplicate keys in one object. `maker` is the
  /// command that writes such documents, for hints.
  JsonReader(std::string source, const std::string& text, std::string maker = "select");

  /// Throws InputError unless the document's schema is `kind` in the version that this program reads, and the document
  /// conforms to it. Readers rely on that afterwards.
  void require_schema(std::string_view kind) const;
  const Json& root() const { return root_; }
  const std::string& source() const { return source_; }

  [[noreturn]] void fail(const std::string& path, const std::string& problem) const;
  /// The same for a missing key; the message mentions if an older version made the document.
  [[noreturn]] void fail_missing(const std::string& path) const;

 private:
  void require_form(std::string_view schema_text) const;

  std::string source_, maker_;
  Json root_;  ///< an object
};

}  // namespace seqpoint::io::artifacts
