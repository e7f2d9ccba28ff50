/// \file
/// What is behind a cursor: for the sources of this folder, and for those that call simdjson themselves.
#pragma once

#include <simdjson.h>

#include <variant>

#include "io/json/cursor.hpp"

namespace seqpoint::io::json {

struct OpenValue {
  /// The outermost object or array of a text is opened by its parser already.
  std::variant<simdjson::ondemand::value, simdjson::ondemand::object, simdjson::ondemand::array> at;
  simdjson::error_code& fault;  ///< the first one of the record
};

/// Whether there is nothing behind what was walked.
inline bool at_end(simdjson::ondemand::document& document) {
  const char* behind = nullptr;
  return document.current_location().get(behind) == simdjson::OUT_OF_BOUNDS;
}

}  // namespace seqpoint::io::json
