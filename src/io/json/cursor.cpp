#include "io/json/cursor.hpp"

#include <algorithm>
#include <cstring>

#include "io/json/ondemand.hpp"
#include "io/json/scan.hpp"

namespace seqpoint::io::json {
namespace {

namespace ondemand = simdjson::ondemand;

/// Finds out which of some keys a member has. Most have none: their first character, which a quote is behind an empty
/// key, says so in one step.
class KeyMatcher {
 public:
  explicit KeyMatcher(Keys keys) : keys_(keys) {
    for (const std::string_view key : keys) first_ |= bit_of(key.empty() ? '"' : key.front());
  }
  /// The first of the keys that stands at `text`, where a quote ends it; their number if there is none.
  std::size_t match(const char* text) const {
    if ((first_ & bit_of(*text)) == 0) return keys_.size();
    std::size_t which = 0;
    while (which < keys_.size() && !equals(text, keys_[which])) ++which;
    return which;
  }

 private:
  static std::uint64_t bit_of(char c) { return std::uint64_t{1} << (static_cast<unsigned char>(c) % 64U); }
  static bool equals(const char* text, std::string_view key) {
    constexpr std::size_t kReadable = simdjson::SIMDJSON_PADDING;  // bytes behind any text of the parser
    if (key.size() >= kReadable) return std::equal(key.begin(), key.end(), text) && text[key.size()] == '"';
    return text[key.size()] == '"' && std::memcmp(text, key.data(), key.size()) == 0;
  }

  Keys keys_;
  std::uint64_t first_ = 0;  ///< bits of the first characters
};

/// Takes what is open as a Type. False where it is of another one, or where the record has a fault already.
template <class Type>
bool take(OpenValue& open, Type& into) {
  if (open.fault != simdjson::SUCCESS) return false;
  open.fault = open.value != nullptr ? open.value->get(into) : simdjson::INCORRECT_TYPE;
  return open.fault == simdjson::SUCCESS;
}

}  // namespace

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
    ondemand::value element;
    ondemand::json_type type{};
    if ((open_->fault = std::move(entry).get(element)) || (open_->fault = element.type().get(type))) return count;
    count.nested = count.nested || type == ondemand::json_type::array || type == ondemand::json_type::object;
    ++count.elements;
  }
  return count;
}

void Value::for_each_member(Keys keys, Callback<std::size_t, Value> take_member) {
  ondemand::object taken;
  if (open_->object == nullptr && !take(*open_, taken)) return;
  const KeyMatcher matcher(keys);
  for (auto entry : open_->object != nullptr ? *open_->object : taken) {
    ondemand::field field;
    if (const auto fault = std::move(entry).get(field)) {
      open_->fault = fault;
      return;
    }
    const std::size_t which = matcher.match(field.key().raw());
    if (which == keys.size()) continue;
    ondemand::value found = field.value();  // a copy, so that `field` of the others can stay in registers
    OpenValue value{.fault = open_->fault, .value = &found};
    take_member(which, Value(value));
    if (!good()) return;
  }
}

void Value::for_each_element(Callback<Value> take_element) {
  ondemand::array taken;
  if (open_->array == nullptr && !take(*open_, taken)) return;
  for (auto entry : open_->array != nullptr ? *open_->array : taken) {
    ondemand::value element;
    if ((open_->fault = std::move(entry).get(element))) return;
    OpenValue value{.fault = open_->fault, .value = &element};
    take_element(Value(value));
    if (!good()) return;
  }
}

}  // namespace seqpoint::io::json
