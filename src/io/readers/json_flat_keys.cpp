#include "json_flat_keys.hpp"

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

}  // namespace

bool JsonField::is_true() const {
  if (!present || is_null() || raw == "false") return false;
  if (raw.starts_with('[') || raw.starts_with('{')) return raw.size() == 1;
  if (is_text()) return !text.empty();
  const Number number = parse_number(raw);
  return number.fault != NumberFault::none || number.value != 0;
}

simdjson::error_code read_fields(simdjson::ondemand::object object, std::span<JsonField> fields) {
  for (JsonField& field : fields) field = {field.key};
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

void FlatRecord::store(std::uint64_t line, RowSink& rows) const {
  for (const JsonField& field : fields_)
    if (field.twice) return rows.corrupt(line, "the key stands there more than once", std::string(field.key));
  add(line, rows);
}

}  // namespace seqpoint
