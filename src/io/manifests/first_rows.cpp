#include "io/manifests/first_rows.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "io/json/first_record.hpp"
#include "io/text/csv.hpp"
#include "io/text/input_head.hpp"

namespace seqpoint::io::manifests {
namespace {

using TakeRow = std::function<void(const ColumnText&)>;
using JsonRow = nlohmann::json;

/// The value at a dotted key; null if there is none. A key that itself contains the dots takes precedence.
const JsonRow* value_at(const JsonRow& record, std::string_view key) {
  if (const auto whole = record.find(std::string(key)); whole != record.end()) return &*whole;
  const auto dot = key.find('.');
  const auto found = dot == std::string_view::npos ? record.end() : record.find(std::string(key.substr(0, dot)));
  return found != record.end() && found->is_object() ? value_at(*found, key.substr(dot + 1)) : nullptr;
}

/// The value at a dotted key as text: a string's characters, else its JSON. Empty if the value is missing, null, an
/// array or an object.
std::string text_of(const JsonRow& record, std::string_view key) {
  const JsonRow* const value = value_at(record, key);
  if (value == nullptr || value->is_structured() || value->is_null()) return {};
  return value->is_string() ? value->get<std::string>() : value->dump();
}

/// Passes on the JSON object in `text`. Truncated or damaged text, and other values, are skipped.
void take_record(std::string_view text, const TakeRow& take) {
  const JsonRow record = JsonRow::parse(text.begin(), text.end(), nullptr, false);
  if (record.is_object()) take([&](std::string_view key) { return text_of(record, key); });
}

void take_json_lines(std::string_view head, const TakeRow& take) {
  while (!head.empty()) take_record(stream::take_line(head), take);
}

/// Passes on the rows after the header that have as many fields as the header. The last of several rows is left out
/// without its line end, because `head` may end inside a number.
void take_table(std::string_view head, text::Dialect dialect, const TakeRow& take) {
  if (const std::size_t end = head.rfind('\n'); end != head.find('\n')) head = head.substr(0, end + 1);
  text::RecordSplitter records(head, dialect);
  if (!records.next()) return;
  const std::vector<std::string> names = text::header_names(records.fields());
  while (records.next()) {
    const std::vector<std::string_view>& fields = records.fields();
    if (fields.size() != names.size()) continue;
    take([&](std::string_view column) {
      const std::size_t at = text::index_of(names, column);
      return at < fields.size() ? std::string(fields[at]) : std::string();
    });
  }
}

}  // namespace

void for_each_first_row(std::string_view head, const TakeRow& take) {
  const std::string_view text = json::first_value(head);
  if (json::is_array(head))
    json::for_each_element(text, 0, [&](std::string_view record) { take_record(record, take); });
  else if (text.starts_with('{'))
    take_json_lines(text, take);
  else
    take_table(text, text::first_line(text).find('\t') < text.size() ? text::kTabs : text::kCommas, take);
}

}  // namespace seqpoint::io::manifests
