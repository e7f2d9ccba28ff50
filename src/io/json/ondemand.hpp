/// \file
/// The simdjson types inside a cursor: for the sources of this folder, and for others that call simdjson
/// directly.
#pragma once

#include <simdjson.h>

#include "io/json/cursor.hpp"

namespace seqpoint::io::json {

struct OpenValue {
  simdjson::error_code& fault;  ///< the first one of the record
  simdjson::ondemand::value* value = nullptr;
  // Set instead of `value` for the outermost value of a text.
  simdjson::ondemand::object* object = nullptr;
  simdjson::ondemand::array* array = nullptr;
};

/// Whether the text ends, apart from blanks, after the value of `document` that was walked.
inline bool is_at_end(simdjson::ondemand::document& document) {
  const char* behind = nullptr;
  return document.current_location().get(behind) == simdjson::OUT_OF_BOUNDS;
}

}  // namespace seqpoint::io::json
