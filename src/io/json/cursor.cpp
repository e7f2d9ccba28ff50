#include "io/json/cursor.hpp"

#include <new>

#include "io/json/json_scan.hpp"
#include "io/json/ondemand.hpp"

namespace seqpoint::io::json {
namespace {

namespace ondemand = simdjson::ondemand;

/// Takes the open value as a Type. False, with a fault, if it has another type; false too after an earlier fault.
template <class Type>
bool take(OpenValue& open, Type& into) {
  if (open.fault != simdjson::SUCCESS) return false;
  open.fault = open.value != nullptr ? open.value->get(into) : simdjson::INCORRECT_TYPE;
  return open.fault == simdjson::SUCCESS;
}

/// Whether a key contains a backslash. `key` begins after the opening quote.
bool has_escape(const char* key) {
  while (*key != '"' && *key != '\\') ++key;
  return *key == '\\';
}

}  // namespace

std::size_t KeySet::index_of(std::string_view name) const {
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const Entry& entry) { return entry.name == name; });
  return static_cast<std::size_t>(found - keys_.begin());
}

void KeySet::add(std::string_view name) {
  const std::string quoted = std::string(name) + '"';
  const std::size_t compared = std::min(quoted.size(), sizeof(Entry::word));
  Entry entry{.name = name};
  std::memcpy(&entry.word, quoted.data(), compared);
  std::memset(&entry.mask, 0xff, compared);
  keys_.push_back(entry);
}

Fault::Fault(int code) : code_(code) {
  if (code == simdjson::MEMALLOC) throw std::bad_alloc();
}

bool Fault::is_wrong_type() const { return code_ == simdjson::INCORRECT_TYPE; }

std::string Fault::message() const { return simdjson::error_message(static_cast<simdjson::error_code>(code_)); }

std::string_view Value::token() const {
  return open_->value != nullptr ? open_->value->raw_json_token() : std::string_view{};
}

bool Value::is_empty() const {
  const char* next = token().data() + 1;
  while (is_blank(*next)) ++next;
  return *next == ']' || *next == '}';
}

bool Value::good() const { return open_->fault == simdjson::SUCCESS; }

std::string_view Value::take_text() {
  std::string_view characters;
  take(*open_, characters);
  return characters;
}

double Value::take_number() {
  ondemand::json_type type{};
  double number = 0;
  if (!good() || open_->value == nullptr || (open_->fault = open_->value->type().get(type))) return 0;
  if (type != ondemand::json_type::number) open_->fault = simdjson::INCORRECT_TYPE;
  take(*open_, number);
  return number;
}

ElementCount Value::count_elements() {
  ElementCount count;
  ondemand::array array;
  if (!take(*open_, array)) return count;
  for (auto entry : array) {
    ondemand::json_type type{};
    auto error = entry.error();
    if (!error) error = entry.value_unsafe().type().get(type);
    if (error) {
      open_->fault = error;
      return count;
    }
    count.objects = count.objects || type == ondemand::json_type::object;
    count.nested = count.nested || type == ondemand::json_type::array || type == ondemand::json_type::object;
    ++count.elements;
  }
  return count;
}

void Value::for_each_member(const KeySet& keys, Callback<std::size_t, Value> take_member) {
  ondemand::object taken;
  if (open_->object == nullptr && !take(*open_, taken)) return;
  for (auto entry : open_->object != nullptr ? *open_->object : taken) {
    // Not copied: a wide load right after narrow stores would stall.
    if (const auto error = entry.error()) {
      open_->fault = error;
      return;
    }
    ondemand::field& field = entry.value_unsafe();
    const char* const key = field.key().raw();
    std::size_t which = keys.match(key);
    if (which == keys.size() && has_escape(key)) {
      std::string_view plain;
      if ((open_->fault = field.unescaped_key().get(plain)) != simdjson::SUCCESS) return;
      which = keys.index_of(plain);
    }
    if (which == keys.size()) continue;
    OpenValue value{.fault = open_->fault, .value = &field.value()};
    take_member(which, Value(value));
    if (!good()) return;
  }
}

void Value::for_each_element(Callback<Value> take_element) {
  ondemand::array taken;
  if (open_->array == nullptr && !take(*open_, taken)) return;
  for (auto entry : open_->array != nullptr ? *open_->array : taken) {
    if (const auto error = entry.error()) {
      open_->fault = error;
      return;
    }
    OpenValue value{.fault = open_->fault, .value = &entry.value_unsafe()};
    take_element(Value(value));
    if (!good()) return;
  }
}

}  // namespace seqpoint::io::json
