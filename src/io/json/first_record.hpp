/// \file
/// The first record of a JSON input, from its first bytes alone, which may end inside the record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/json/json_scan.hpp"

namespace seqpoint::io::json {

/// Whether the input begins with a JSON array, of any elements, and not with a record or with text in brackets. A head
/// that ends inside the first element counts as an array if that element can be one.
bool is_array(std::string_view head);

/// The keys of an object and the positions of their values.
class FirstRecord {
 public:
  /// The record in the first line, or the first element of an array. Has no keys if that is not an object. Members
  /// after the head's end are missing.
  explicit FirstRecord(std::string_view head);

  bool empty() const { return members_.empty(); }
  /// Whether the record has the key, and the head contains at least the first byte of its value.
  bool has(std::string_view key) const { return !value(key).empty(); }
  /// The value as written, with quotes, as far as the head goes; empty if there is no such key. The first one of a
  /// repeated key.
  std::string_view value(std::string_view key) const;
  /// The keys in the order of the text, with escapes kept; a repeated key as often as it occurs.
  std::vector<std::string> keys() const;
  /// Keys whose value is a number, or null: they may contain lengths.
  std::vector<std::string> number_keys() const;
  bool has_array(std::string_view key) const { return value(key).starts_with('['); }

 private:
  std::vector<Member> members_;
};

}  // namespace seqpoint::io::json
