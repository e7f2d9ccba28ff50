/// \file
/// Records of which some keys matter, known beforehand and not nested.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "io/manifests/engine/json_records.hpp"

namespace seqpoint::io::manifests::engine {

/// One key of an object, and what the object that is being read has there.
struct JsonField {
  std::string_view key;  ///< not empty
  bool present = false;
  bool duplicated = false;
  std::string_view raw = {};   ///< the value as written; of an object or array only the opening bracket
  bool is_empty = false;       ///< it is an object or array with nothing in it
  std::string_view text = {};  ///< a string's characters; valid until the next object is read

  /// What a member with the key has.
  void set(io::json::Value value);
  bool is_null() const { return raw.starts_with('n') && raw == "null"; }
  bool is_text() const { return raw.starts_with('"'); }
  /// Whether Python takes the value for true.
  bool is_truthy() const;
  /// As a number to be parsed: null is a missing one.
  std::string_view number_text() const { return is_null() ? std::string_view{} : raw; }
};

/// A record that becomes a row by its fields, once every key is known to stand there once at most.
class FlatJsonRecord : public JsonRecord {
 public:
  void walk(io::json::Value record) final;
  void store(std::uint64_t line, RowSink& rows) const final;
  bool list_values(std::vector<io::json::WantedValue>& values) const final;
  void clear_values() final;
  void set_values(std::span<const io::json::WantedValue> values) final;

 protected:
  /// What the keys view outlives the record. Of two fields with the same key only the first is filled.
  explicit FlatJsonRecord(std::vector<JsonField> fields);
  const std::vector<JsonField>& fields() const { return fields_; }
  const JsonField& field(std::size_t index) const { return fields_[index]; }

  virtual void add_row(std::uint64_t line, RowSink& rows) const = 0;

 private:
  std::vector<JsonField> fields_;
  io::json::KeySet keys_;                  ///< theirs
  const JsonField* duplicated_ = nullptr;  ///< the first whose key stands there more than once
};

}  // namespace seqpoint::io::manifests::engine
