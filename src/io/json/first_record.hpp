/// \file
/// The first record of a JSON input, from its first bytes alone, which may end inside the record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/json/json_scan.hpp"

namespace seqpoint::io::json {

/// Whether the input is one JSON array of records instead of one record per line.
bool is_array(std::string_view head);

/// The keys of an object and the positions of their values.
class FirstRecord {
 public:
  /// The record of a line, or an array's first element. No keys if it is not an object.
  explicit FirstRecord(std::string_view head);

  bool empty() const { return members_.empty(); }
  bool has(std::string_view key) const { return !value(key).empty(); }
  /// The value's text as far as the head goes; empty if there is no such key.
  std::string_view value(std::string_view key) const;
  std::vector<std::string> keys() const;
  /// Keys whose value is a number, or null: they may contain lengths.
  std::vector<std::string> number_keys() const;
  bool has_array(std::string_view key) const { return value(key).starts_with('['); }

 private:
  std::vector<Member> members_;
};

}  // namespace seqpoint::io::json
