/// \file
/// JSON of artefacts: written readably and reproducibly, read with the location of every problem.
#pragma once

#include <cstdint>
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

/// Keys a line each, arrays of plain values on one line, shortest numbers, a newline at the end. Bytes that are not
/// UTF-8 become U+FFFD.
std::string json_text(const Json&);

/// A number derived by arithmetic: rounded to 12 digits; null where it is not finite.
Json rounded_json(double value);

Json provenance_json(const Provenance&);
/// Figures of a run, and the histogram of its signatures.
Json run_json(const trace::RunSummary&);
/// Null where there is none.
Json throughput_json(const std::optional<project::Throughput>&);
/// What is odd about measurements.
Json findings_json(const std::vector<Finding>&);
/// What --explain adds to a projection.
Json explanation_json(const diagnose::Diagnosis&);
class JsonReader;
/// Throws InputError where there is none.
Provenance read_provenance(const JsonReader&);
/// "seqpoint 1.0.0" where the document says that this program made it, from 1.0 on: those before wrote no digests. Else
/// empty.
std::string own_maker(const JsonReader&);
Json parameters_json(const std::vector<std::pair<std::string, double>>&, std::uint64_t phases = 1);
/// Adds what the key fixes, each dimension under its name.
void add_key(Json&, const trace::PartialSignature&);
/// Adds nothing where the user set no gate.
void add_gates(Json&, const project::Gates&);

/// What an object has at a key; null, which has no elements, where it has nothing.
const Json& part(const Json& object, const char* key);
/// The same of a plain value; nothing where it has nothing, or null.
template <class T>
std::optional<T> given(const Json& object, const char* key) {
  const Json& found = part(object, key);
  return found.is_null() ? std::nullopt : std::optional<T>(found.get<T>());
}

/// A JSON document that is read; errors name the place of a value.
class JsonReader {
 public:
  /// Parses; throws InputError with the line for what is not JSON and for keys that stand twice in one object.
  /// `maker` is the command that writes such documents, for hints.
  JsonReader(std::string source, const std::string& text, std::string maker = "select");

  /// Throws InputError unless the document says it is a `kind`, of the number that this version reads, and is as the
  /// schema of that says. Readers take what they find after it.
  void require_schema(std::string_view kind) const;
  const Json& root() const { return root_; }
  const std::string& source() const { return source_; }

  [[noreturn]] void fail(const std::string& path, const std::string& problem) const;
  /// The same of a key that is not there; of a document that an older version made, says so.
  [[noreturn]] void fail_missing(const std::string& path) const;

 private:
  void require_form(std::string_view schema_text) const;

  std::string source_, maker_;
  Json root_;  ///< an object
};

}  // namespace seqpoint::io::artifacts
