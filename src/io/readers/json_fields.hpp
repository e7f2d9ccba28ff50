/// \file
/// Some keys of a JSON object, known beforehand and not nested.
#pragma once

#include <simdjson.h>

#include <span>
#include <string_view>

#include "row_sink.hpp"

namespace seqpoint {

/// One key of an object, and what the object that is being read has there.
struct JsonField {
  std::string_view key;
  bool present = false;
  bool twice = false;
  std::string_view raw = {};   ///< the value as written; of an object or array with something in it only the bracket
  std::string_view text = {};  ///< a string's characters; valid until the next object is read

  bool is_null() const { return raw == "null"; }
  bool is_text() const { return raw.starts_with('"'); }
  /// Whether Python takes the value for true.
  bool is_true() const;
  /// As a number to be parsed: null is a missing one.
  std::string_view number() const { return is_null() ? std::string_view{} : raw; }
};

/// Finds the fields' keys in `object`, all of which is read.
simdjson::error_code read_fields(simdjson::ondemand::object object, std::span<JsonField> fields);

/// The same in a document, or a document of a stream.
template <class Document>
simdjson::error_code read_document(Document& document, std::span<JsonField> fields) {
  simdjson::ondemand::object object;
  if (const auto error = document.get_object().get(object)) return error;
  return read_fields(object, fields);
}

/// Whether every key stands there once at most; else the line is a problem.
bool all_once(std::span<const JsonField> fields, std::uint64_t line, RowSink& rows);

}  // namespace seqpoint
