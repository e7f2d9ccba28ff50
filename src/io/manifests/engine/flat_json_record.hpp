/// \file
/// Records of which some known top-level keys are read.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "io/manifests/engine/json_records.hpp"

namespace seqpoint::io::manifests::engine {

/// A key, and its value in the current record.
struct JsonField {
  std::string_view key;  ///< not empty
  bool present = false;
  bool duplicated = false;
  std::string_view raw = {};   ///< the value as written; for an object or array only the opening bracket
  bool is_empty = false;       ///< an empty object or array
  std::string_view text = {};  ///< a string's characters; valid until the next object is read

  /// Stores the value of a member with the key. A second value replaces the first and sets `duplicated`.
  void set(io::json::Value value);
  bool is_null() const { return raw.starts_with('n') && raw == "null"; }
  bool is_text() const { return raw.starts_with('"'); }
  /// The value's truth in Python: false for null, false, 0 and anything empty; also false if the value is missing.
  bool is_truthy() const;
  /// The value as written, to be parsed as a number; empty if it is missing, or null.
  std::string_view number_text() const { return is_null() ? std::string_view{} : raw; }
};

/// A record that is a row if each of its keys occurs at most once.
class FlatJsonRecord : public JsonRecord {
 public:
  void walk(io::json::Value record) final;
  void store(std::uint64_t line, RowSink& rows) const final;
  bool list_values(std::vector<io::json::WantedValue>& values) const final;
  void clear_values() final;
  void set_values(std::span<const io::json::WantedValue> values) final;

 protected:
  /// The texts of the keys must outlive the record. If two fields have the same key only the first is filled.
  explicit FlatJsonRecord(std::vector<JsonField> fields);
  const std::vector<JsonField>& fields() const { return fields_; }
  const JsonField& field(std::size_t index) const { return fields_[index]; }

  /// Adds the row of a record without repeated keys, or a problem, to `rows`.
  virtual void add_row(std::uint64_t line, RowSink& rows) const = 0;

 private:
  std::vector<JsonField> fields_;
  io::json::KeySet keys_;                  ///< keys of fields_
  const JsonField* duplicated_ = nullptr;  ///< the first whose key occurs more than once; null: none
};

}  // namespace seqpoint::io::manifests::engine
