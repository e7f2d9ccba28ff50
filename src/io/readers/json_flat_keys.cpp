#include "json_flat_keys.hpp"

#include <algorithm>

namespace seqpoint {

namespace {

/// A bracket, with the one that closes it if there is nothing in between. More of the text follows `bracket`.
std::string_view with_its_end(std::string_view bracket) {
  const char* next = bracket.data() + 1;
  while (trim({next, 1}).empty()) ++next;
  return *next == ']' || *next == '}' ? std::string_view(bracket.data(), next + 1) : bracket;
}

/// Apart, since unescaping in the middle of the loop over keys slows it down.
[[gnu::noinline]] simdjson::error_code take_text(simdjson::ondemand::value value, JsonField& field) {
  return value.get_string().get(field.text);
}

void clear(std::span<JsonField> fields) {
  for (JsonField& field : fields) field = {field.key};
}

}  // namespace

bool JsonField::is_true() const {
  if (!present || is_null() || raw == "false") return false;
  if (raw.starts_with('[') || raw.starts_with('{')) return raw.size() == 1;
  if (is_text()) return !text.empty();
  const Number number = parse_number(raw);
  return number.fault != NumberFault::none || number.value != 0;
}

simdjson::error_code read_fields(simdjson::ondemand::object object, std::span<JsonField> fields) {
  clear(fields);
  for (auto entry : object) {
    simdjson::ondemand::field found;
    if (const auto error = std::move(entry).get(found)) return error;
    const simdjson::ondemand::raw_json_string key = found.key();
    for (JsonField& field : fields) {
      if (*key.raw() != field.key.front() || key != field.key) continue;  // most differ in their first letter
      field.twice = field.present;
      field.present = true;
      field.raw = trim(found.value().raw_json_token());
      if (field.raw == "[" || field.raw == "{") field.raw = with_its_end(field.raw);
      if (field.is_text())
        if (const auto error = take_text(found.value(), field)) return error;
      break;
    }
  }
  return simdjson::SUCCESS;
}

simdjson::error_code FlatRecord::walk(simdjson::ondemand::object record) {
  const auto error = read_fields(record, fields_);
  const auto twice = std::find_if(fields_.begin(), fields_.end(), [](const JsonField& field) { return field.twice; });
  twice_ = twice == fields_.end() ? nullptr : &*twice;
  return error;
}

void FlatRecord::store(std::uint64_t line, RowSink& rows) const {
  if (twice_ != nullptr) return rows.corrupt(line, "the key stands there more than once", std::string(twice_->key));
  add(line, rows);
}

bool FlatRecord::list_values(std::vector<JsonValue>& values) const {
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

void FlatRecord::take(std::span<const JsonValue> values) {
  for (const JsonValue& value : values) {
    JsonField& field = fields_[value.id()];
    field.present = true;
    field.raw = value.raw();
    if (value.is_text()) field.text = value.text();
  }
}

}  // namespace seqpoint
