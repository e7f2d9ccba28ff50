#include "io/manifests/engine/flat_json_record.hpp"

#include <algorithm>

namespace seqpoint::io::manifests::engine {
namespace {

/// Removes the values, and keeps the keys.
void clear(std::span<JsonField> fields) {
  for (JsonField& field : fields) field = {field.key};
}

}  // namespace

bool JsonField::is_truthy() const {
  if (!present || is_null() || raw == "false") return false;
  if (raw.starts_with('[') || raw.starts_with('{')) return !is_empty;
  if (is_text()) return !text.empty();
  const text::Number number = text::parse_number(raw);
  return number.fault != text::NumberFault::none || number.value != 0;
}

void JsonField::set(io::json::Value value) {
  duplicated = present;
  present = true;
  raw = text::trim(value.token());
  is_empty = (raw == "[" || raw == "{") && value.is_empty();
  if (is_text()) text = value.take_text();
}

FlatJsonRecord::FlatJsonRecord(std::vector<JsonField> fields) : fields_(std::move(fields)) {
  for (const JsonField& field : fields_) keys_.add(field.key);
}

void FlatJsonRecord::walk(io::json::Value record) {
  clear(fields_);
  record.for_each_member(keys_, [&](std::size_t which, io::json::Value value) { fields_[which].set(value); });
  const auto duplicated =
      std::find_if(fields_.begin(), fields_.end(), [](const JsonField& field) { return field.duplicated; });
  duplicated_ = duplicated == fields_.end() ? nullptr : &*duplicated;
}

void FlatJsonRecord::store(std::uint64_t line, RowSink& rows) const {
  if (duplicated_ != nullptr)
    return rows.add_corrupt(line, "the key is there more than once", std::string(duplicated_->key));
  add_row(line, rows);
}

bool FlatJsonRecord::list_values(std::vector<io::json::WantedValue>& values) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const JsonField& field = fields_[i];
    if (duplicated_ != nullptr || field.raw.starts_with('[') || field.raw.starts_with('{')) return false;
    if (field.present) values.emplace_back(i, field.raw);
  }
  return true;
}

void FlatJsonRecord::clear_values() {
  clear(fields_);
  duplicated_ = nullptr;
}

void FlatJsonRecord::set_values(std::span<const io::json::WantedValue> values) {
  for (const io::json::WantedValue& value : values) {
    JsonField& field = fields_[value.id()];
    field.present = true;
    field.raw = value.raw();
    if (value.is_text()) field.text = value.text();
  }
}

}  // namespace seqpoint::io::manifests::engine
