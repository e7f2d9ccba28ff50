/// \file
/// JSON of artefacts: written readably and reproducibly, read with the location of every problem.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seqpoint/io/artifacts/artifacts.hpp"
#include "seqpoint/io/artifacts/schemas.hpp"

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
/// A row of a ranking.
Json ranked_json(const project::RankedRun&, const std::vector<project::Candidate>&);
class JsonReader;
/// Throws InputError where there is none.
Provenance read_provenance(const JsonReader&);
/// "seqpoint 1.0.0" where the document says that this program made it, from 1.0 on: those before wrote no digests. Else
/// empty.
std::string own_maker(const JsonReader&);
Json parameters_json(const std::vector<std::pair<std::string, double>>&);
/// Adds what the key fixes, each dimension under its name.
void add_key(Json&, const select::PointKey&);
/// Adds nothing where the user set no gate.
void add_gates(Json&, const project::Gates&);
/// The gates and verdicts of an artefact.
project::Gates read_gates(const JsonReader&);

/// Reads values of a JSON document; errors name the place of the value.
class JsonReader {
 public:
  /// Parses; throws InputError with the line for what is not JSON and for keys that stand twice in one object.
  /// `maker` is the command that writes such documents, for hints.
  JsonReader(std::string source, const std::string& text, std::string maker = "select");
  ~JsonReader();
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  /// Throws InputError unless the document says it is a `kind`, of the number that this version reads.
  void require_schema(std::string_view kind) const;
  const Json& root() const { return *root_; }
  const std::string& source() const { return source_; }

  /// The value at a key of an object; `path` names the object in errors. Throws InputError where it is absent or of
  /// another type.
  const Json& object(const Json& from, const std::string& key, const std::string& path) const;
  const Json& array(const Json& from, const std::string& key, const std::string& path) const;
  std::string text(const Json& from, const std::string& key, const std::string& path) const;
  double number(const Json& from, const std::string& key, const std::string& path) const;
  std::uint64_t integer(const Json& from, const std::string& key, const std::string& path,
                        std::uint64_t most = UINT64_MAX) const;
  std::optional<std::uint64_t> optional_integer(const Json& from, const std::string& key, const std::string& path,
                                                std::uint64_t most = UINT64_MAX) const;
  /// One element of an array.
  std::uint64_t integer_value(const Json& value, const std::string& path, std::uint64_t most = UINT64_MAX) const;
  [[noreturn]] void fail(const std::string& path, const std::string& problem) const;
  /// Of a document that an older version made, says so.
  [[noreturn]] void fail_missing(const std::string& path) const;

 private:
  const Json& value_at(const Json& from, const std::string& key, const std::string& path) const;

  std::string source_, maker_;
  std::unique_ptr<const Json> root_;  ///< an object
};

}  // namespace seqpoint::io::artifacts
