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

#include "core/trace/trace.hpp"
#include "io/artifacts/files.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::artifacts {

using Json = nlohmann::ordered_json;

/// One key per line, arrays of plain values on one line, shortest numbers, a newline at the end. Bytes that are not
/// UTF-8 become U+FFFD.
std::string json_text(const Json&);
/// Passes items one by one: of a million items none has to be kept.
using JsonSource = std::function<void(const std::function<void(const Json&)>&)>;
/// The text of an object whose top-level key `key` has an empty array: `items`, which are objects, are written into
/// that array.
std::string json_text(const Json& object, std::string_view key, const JsonSource& items);

/// A computed number: rounded to 12 digits; null if it is not finite.
Json rounded_json(double value);

Json provenance_json(const Provenance&);
/// Totals of a run, and the histogram of its shapes.
Json run_json(const trace::RunSummary&);
/// An array of findings: kind, severity, place and figures, each with its message for people. Empty places are left
/// out.
Json findings_json(const std::vector<Finding>&);
class JsonReader;
/// The provenance of a document, which must have one: options, and path, format and digest of the inputs. Other parts
/// of the inputs stay empty.
Provenance read_provenance(const JsonReader&);
/// "seqpoint 1.0.0", with the version of the document, if the document names seqpoint 1.0 or later as its maker; else
/// empty. Earlier versions wrote no digests.
std::string own_maker(const JsonReader&);
/// Parameters of a method by name, with `_` in place of `-`, whole numbers as integers; "phases" only if above 1.
Json parameters_json(const std::vector<std::pair<std::string, double>>&, std::uint64_t phases = 1);
/// Adds the known dimensions, each under its name.
void add_key(Json&, const trace::PartialShape&);

/// The value at a key of an object; null, which has no elements, if the key is missing.
const Json& part(const Json& object, const char* key);
/// The plain value at a key of an object; nothing if the key is missing or null.
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

  const Json& root() const { return root_; }
  const std::string& source() const { return source_; }

  /// Throws InputError for the key at `path`, with the hint to make the file anew.
  [[noreturn]] void fail(const std::string& path, const std::string& problem) const;
  /// Throws InputError for the key "schema", with the hint to give a file of the maker.
  [[noreturn]] void fail_kind(const std::string& problem) const;

 private:
  std::string source_, maker_;
  Json root_;  ///< an object
};

}  // namespace seqpoint::io::artifacts
