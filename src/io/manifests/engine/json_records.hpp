/// \file
/// JSON inputs as a sequence of records, one object each: a line, or an element of an array that is the whole
/// input.
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
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// How a format reads a record: walk() collects the values that it needs; then, if the record is valid, store() adds a
/// row.
class JsonRecord {
 public:
  virtual ~JsonRecord() = default;
  /// Collects values. `record` is an object, or has a fault.
  virtual void walk(io::json::Value record) = 0;
  /// Adds the row of the current values to `rows`, or a problem at `line`.
  virtual void store(std::uint64_t line, RowSink& rows) const = 0;

  /// Lists the values that the last walk() collected, so that a template can be made of its line. False if one of them
  /// is an array or object; always false for formats that need more than the values at some keys.
  virtual bool list_values(std::vector<io::json::WantedValue>&) const { return false; }
  /// Removes all values, as if the record had none of the keys.
  virtual void clear_values() {}
  /// Replaces walk() for a line that matches a template: sets the values that list_values() listed, with the same ids,
  /// to those of the line, as views of it; store() reports faults. Other values are as before: call clear_values()
  /// first unless the previous line matched the same template.
  virtual void set_values(std::span<const io::json::WantedValue>) {}
};

/// Called once by every thread that parses.
using MakeJsonRecord = std::function<std::unique_ptr<JsonRecord>()>;

/// Reads JSON lines or one array, distinguished by the first character. Blank lines are skipped. A damaged record
/// becomes a problem of the sink; a damaged array throws InputError.
void read_json_records(stream::Input& input, RowSink& sink, const MakeJsonRecord& make);

/// Throws InputError unless `line`, the first of an input, is one JSON object.
void require_json_object(std::string_view line, const std::string& source);

/// Reads one array of numbers, each a length, as a row each. Throws InputError for any other element, and for other
/// JSON.
void read_json_numbers(stream::Input& input, RowSink& sink);

// --- lengths at a key of records, which may be dotted: a number, or an array whose elements are counted

/// Sets the columns to the fields that the user names, else to the most likely of the usual names in the first record,
/// and reads these fields.
void read_usual_json_fields(stream::Input& input, RowSink& sink);

/// Sets the columns to the fields that the user names, the source's else to `usual`, the format's own, and reads these
/// fields.
void read_json_field(stream::Input& input, RowSink& sink, const std::string& usual);

}  // namespace seqpoint::io::manifests::engine
