#include "io/json/cursor.hpp"

#include "io/json/ondemand.hpp"
#include "io/json/scan.hpp"

namespace seqpoint::io::json {
namespace {

namespace ondemand = simdjson::ondemand;

/// Takes what is open as a Type. False where it is of another one, or where the record has a fault already.
template <class Type>
bool take(OpenValue& open, Type& into) {
  if (open.fault != simdjson::SUCCESS) return false;
  auto* const value = std::get_if<ondemand::value>(&open.at);
  open.fault = value != nullptr ? value->get(into) : simdjson::INCORRECT_TYPE;
  return open.fault == simdjson::SUCCESS;
}

/// The same for an object or array, which may be the outermost value.
template <class Container>
Container* opened(OpenValue& open, Container& taken) {
  if (auto* const outermost = std::get_if<Container>(&open.at)) return outermost;
  return take(open, taken) ? &taken : nullptr;
}

}  // namespace

bool Fault::is_wrong_type() const { return code_ == simdjson::INCORRECT_TYPE; }

std::string Fault::message() const { return simdjson::error_message(static_cast<simdjson::error_code>(code_)); }

std::string_view Value::token() const {
  auto* const value = std::get_if<ondemand::value>(&open_->at);
  return value != nullptr ? value->raw_json_token() : std::string_view{};
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
  auto* const value = std::get_if<ondemand::value>(&open_->at);
  ondemand::json_type type{};
  double number = 0;
  if (!good() || value == nullptr || (open_->fault = value->type().get(type))) return 0;
  if (type != ondemand::json_type::number) open_->fault = simdjson::INCORRECT_TYPE;
  take(*open_, number);
  return number;
}

ElementCount Value::count_elements() {
  ElementCount count;
  ondemand::array array;
  if (!take(*open_, array)) return count;
  for (auto entry : array) {
    ondemand::value element;
    ondemand::json_type type{};
    if ((open_->fault = std::move(entry).get(element)) || (open_->fault = element.type().get(type))) return count;
    count.nested = count.nested || type == ondemand::json_type::array || type == ondemand::json_type::object;
    ++count.elements;
  }
  return count;
}

void Value::walk_object(void (*take_member)(void*, Key, Value), void* context) {
  ondemand::object taken;
  ondemand::object* const object = opened(*open_, taken);
  if (object == nullptr) return;
  for (auto entry : *object) {
    ondemand::field field;
    if ((open_->fault = std::move(entry).get(field))) return;
    OpenValue value{field.value(), open_->fault};
    take_member(context, Key(field.key().raw()), Value(value));
    if (!good()) return;
  }
}

void Value::walk_array(void (*take_element)(void*, Value), void* context) {
  ondemand::array taken;
  ondemand::array* const array = opened(*open_, taken);
  if (array == nullptr) return;
  for (auto entry : *array) {
    ondemand::value element;
    if ((open_->fault = std::move(entry).get(element))) return;
    OpenValue value{element, open_->fault};
    take_element(context, Value(value));
    if (!good()) return;
  }
}

}  // namespace seqpoint::io::json
