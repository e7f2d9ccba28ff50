/// \file
/// JSON inputs as a sequence of records, one object each: a line, or an element of the one array that the input is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/json/cursor.hpp"
#include "io/json/line_template.hpp"
#include "io/manifests/record_sets.hpp"
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// What a format makes of a record. First every part that matters is walked, then, if nothing was wrong with the
/// record, it becomes a row.
class JsonRecord {
 public:
  virtual ~JsonRecord() = default;
  /// `record` is an object, or a fault.
  virtual void walk(io::json::Value record) = 0;
  virtual void store(std::uint64_t line, RowSink& rows) const = 0;

  /// The values that the last walk took, for a template of its line. False if one of them is no WantedValue; always
  /// where there is more to a record than some values.
  virtual bool list_values(std::vector<io::json::WantedValue>&) const { return false; }
  /// Forgets what was taken, as if a record without any of the keys had been walked.
  virtual void clear_values() {}
  /// Takes values instead of walking a record: those listed once, of another line.
  virtual void set_values(std::span<const io::json::WantedValue>) {}
};

/// Every thread that parses makes one of its own.
using MakeJsonRecord = std::function<std::unique_ptr<JsonRecord>()>;

/// Both layouts, told by the first character. Blank lines are passed over. A record that is damaged becomes a problem
/// of the sink; for a damaged array InputError is thrown.
void read_json_records(stream::Input& input, RowSink& sink, const MakeJsonRecord& make);

/// Throws InputError unless a first line is one JSON object.
void require_json_object(std::string_view line, const std::string& source);

/// One array of numbers, each a length.
void read_json_numbers(stream::Input& input, RowSink& sink);

/// The rest of an input that is one JSON text. Throws InputError unless it is valid throughout: readers look only at
/// what they need, but records are copied whole.
std::string read_valid_json(stream::Input& input);

/// Walks the records of JSON lines, or of an array, as they stand in the input: for copies of them.
void walk_json(stream::Input& input, TextFrame& frame, const RecordCallback& take);

}  // namespace seqpoint::io::manifests::engine
