#include "io/manifests/engine/json_flat_keys.hpp"

#include <algorithm>

namespace seqpoint::io::manifests::engine {
namespace {

void clear(std::span<JsonField> fields) {
  for (JsonField& field : fields) field = {field.key};
}

}  // namespace

bool JsonField::is_true() const {
  if (!present || is_null() || raw == "false") return false;
  if (raw.starts_with('[') || raw.starts_with('{')) return !is_empty;
  if (is_text()) return !text.empty();
  const text::Number number = text::parse_number(raw);
  return number.fault != text::NumberFault::none || number.value != 0;
}

void JsonField::take(io::json::Value value) {
  twice = present;
  present = true;
  raw = text::trim(value.token());
  is_empty = (raw == "[" || raw == "{") && value.is_empty();
  if (is_text()) text = value.take_text();
}

FlatRecord::FlatRecord(std::vector<JsonField> fields) : fields_(std::move(fields)) {
  for (const JsonField& field : fields_) keys_.add(field.key);
}

void FlatRecord::walk(io::json::Value record) {
  clear(fields_);
  record.for_each_member(keys_, [&](std::size_t which, io::json::Value value) { fields_[which].take(value); });
  const auto twice = std::find_if(fields_.begin(), fields_.end(), [](const JsonField& field) { return field.twice; });
  twice_ = twice == fields_.end() ? nullptr : &*twice;
}

void FlatRecord::store(std::uint64_t line, RowSink& rows) const {
  if (twice_ != nullptr) return rows.corrupt(line, "the key stands there more than once", std::string(twice_->key));
  add(line, rows);
}

bool FlatRecord::list_values(std::vector<io::json::WantedValue>& values) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const JsonField& field = fields_[i];
    if (twice_ != nullptr || field.raw.starts_with('[') || field.raw.starts_with('{')) return false;
    if (field.present) values.emplace_back(i, field.raw);
  }
  return true;
}

void FlatRecord::forget() {
  clear(fields_);
  twice_ = nullptr;
}

void FlatRecord::take(std::span<const io::json::WantedValue> values) {
  for (const io::json::WantedValue& value : values) {
    JsonField& field = fields_[value.id()];
    field.present = true;
    field.raw = value.raw();
    if (value.is_text()) field.text = value.text();
  }
}

}  // namespace seqpoint::io::manifests::engine
