/// \file
/// What the first record of a JSON input looks like, told from its first bytes alone, which may end inside the record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/json/json_scan.hpp"

namespace seqpoint::io::json {

/// Whether the input is one JSON array of records, not one record a line.
bool is_array(std::string_view head);

/// The keys of an object and where their values begin.
class FirstRecord {
 public:
  /// The record of a line, or of an array's first element. No keys if that is no object.
  explicit FirstRecord(std::string_view head);

  bool empty() const { return members_.empty(); }
  bool has(std::string_view key) const { return !value(key).empty(); }
  /// The value's text as far as the head goes; empty if there is no such key.
  std::string_view value(std::string_view key) const;
  std::vector<std::string> keys() const;
  /// Keys whose value is a number, or null: they may hold lengths.
  std::vector<std::string> number_keys() const;
  bool has_array(std::string_view key) const { return value(key).starts_with('['); }

 private:
  std::vector<Member> members_;
};

}  // namespace seqpoint::io::json
