/// \file
/// JSON inputs as a sequence of records, one object each: a line, or an element of the one array that the input is.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json_shape.hpp"
#include "row_sink.hpp"

namespace seqpoint {

/// What a format makes of a record. First every part that matters is walked, then, if nothing was wrong with the record,
/// it becomes a row.
class JsonRecord {
 public:
  virtual ~JsonRecord() = default;
  virtual simdjson::error_code walk(simdjson::ondemand::object record) = 0;
  virtual void store(std::uint64_t line, RowSink& rows) const = 0;

  /// What lines of the same shape can be read by: the values that the last walk took. False if any of them is no JsonValue; always
  /// where there is more to a record than some values.
  virtual bool list_values(std::vector<JsonValue>&) const { return false; }
  /// Forgets what was taken, as if a record without any of the keys had been walked.
  virtual void forget() {}
  /// Takes values instead of walking a record: those listed once, of another line.
  virtual void take(std::span<const JsonValue>) {}
};

/// Every thread that parses makes one of its own.
using MakeJsonRecord = std::function<std::unique_ptr<JsonRecord>()>;

/// Both layouts, told by the first character. Blank lines are passed over. A record that is damaged becomes a problem of
/// the sink; for a damaged array InputError is thrown.
void read_json_records(Input& input, RowSink& sink, const MakeJsonRecord& make);

/// Throws InputError unless a first line is one JSON object.
void require_json_object(std::string_view line, const std::string& source);

/// One array of numbers, each a length.
void read_json_numbers(Input& input, RowSink& sink);

}  // namespace seqpoint
