/// \file
/// A value as a JSON object, described once: `describe(fields, value)` names each key with its member, and serves for
/// writing, with FieldWriter, and for reading, with FieldReader. A member's type is a plain one, a list, an optional,
/// or a type with a `describe` of its own.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/enum_names.hpp"
#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {

/// Whether a type, const or not, is this one: a description serves for both.
template <class Type, class Plain>
concept Of = std::is_same_v<std::remove_const_t<Type>, Plain>;

/// Texts by name, in order; an object in JSON.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

template <class Type>
constexpr bool kIsOptional = false;
template <class Type>
constexpr bool kIsOptional<std::optional<Type>> = true;
template <class Type>
constexpr bool kIsVector = false;
template <class Type>
constexpr bool kIsVector<std::vector<Type>> = true;
/// Whether there is nothing to write: nothing, zero, false, or no item.
template <class Value>
bool is_empty(const Value& value) {
  if constexpr (kIsOptional<Value>)
    return !value;
  else if constexpr (requires { value.empty(); })
    return value.empty();
  else
    return value == Value{};
}

template <class Value>
Json written(const Value& value);
template <class Value>
Value read_as(const Json& json);

/// Writes the keys of an object, in the order of the description.
class FieldWriter {
 public:
  Json json = Json::object();

  /// A key that is always there; an optional has a value.
  template <class Value>
  void field(const char* key, const Value& value) {
    json[key] = written(value);
  }
  /// A number that is rounded to 12 digits.
  void rounded(const char* key, double value) { json[key] = rounded_json(value); }
  /// A key that is left out if the value is nothing, zero, false or empty.
  template <class Value>
  void unless_empty(const char* key, const Value& value) {
    if (!is_empty(value)) json[key] = written(value);
  }
  void rounded_unless_zero(const char* key, double value) {
    if (value != 0) rounded(key, value);
  }
  void rounded_unless_empty(const char* key, const std::optional<double>& value) {
    if (value) rounded(key, *value);
  }
  /// A share in percent, rounded to 12 digits; null if it is not finite, because it is not known.
  void percent(const char* key, double share) { rounded(key, 100 * share); }
  void percent_unless_zero(const char* key, double share) {
    if (share != 0) percent(key, share);
  }
  void percent_unless_empty(const char* key, const std::optional<double>& share) {
    if (share) percent(key, *share);
  }
  /// A key that is null if there is no value.
  template <class Value>
  void or_null(const char* key, const std::optional<Value>& value) {
    json[key] = value ? written(*value) : Json(nullptr);
  }
  /// A figure that follows from the others: it is not read.
  void follows(const char* key, double value) { rounded(key, value); }
  /// A key that is left out if the value is the usual one.
  template <class Value>
  void unless(const Value& usual, const char* key, const Value& value) {
    if (value != usual) json[key] = written(value);
  }
  /// A key with a word of a vocabulary, left out if there is none.
  template <class Words, class Value>
  void word(const char* key, const Words& words, const std::optional<Value>& value) {
    if (value) json[key] = name_in(words, *value);
  }
  /// Two keys with the ends of an interval, left out if there is none.
  template <class Interval>
  void ends(const char* low, const char* high, const std::optional<Interval>& interval) {
    if (!interval) return;
    rounded(low, interval->low);
    rounded(high, interval->high);
  }
};

/// Reads what FieldWriter wrote; relies on the schema. A key that is missing leaves the member as it is.
class FieldReader {
 public:
  explicit FieldReader(const Json& object) : json_(object) {}

  template <class Value>
  void field(const char* key, Value& value) {
    if (const Json& found = part(json_, key); !found.is_null()) value = read_as<Value>(found);
  }
  void rounded(const char* key, double& value) { field(key, value); }
  template <class Value>
  void unless_empty(const char* key, Value& value) {
    field(key, value);
  }
  void rounded_unless_zero(const char* key, double& value) { field(key, value); }
  void rounded_unless_empty(const char* key, std::optional<double>& value) { field(key, value); }
  void percent(const char* key, double& share) {
    share = given<double>(json_, key).value_or(std::numeric_limits<double>::infinity()) / 100;
  }
  void percent_unless_zero(const char* key, double& share) {
    if (json_.contains(key)) percent(key, share);
  }
  void percent_unless_empty(const char* key, std::optional<double>& share) {
    if (json_.contains(key)) percent(key, share.emplace());
  }
  template <class Value>
  void or_null(const char* key, std::optional<Value>& value) {
    field(key, value);
  }
  void follows(const char* /*key*/, double /*value*/) {}
  template <class Value>
  void unless(const Value& /*usual*/, const char* key, Value& value) {
    field(key, value);
  }
  template <class Words, class Value>
  void word(const char* key, const Words& words, std::optional<Value>& value) {
    if (const Json& found = part(json_, key); !found.is_null()) value = value_of(words, found.get<std::string>());
  }
  template <class Interval>
  void ends(const char* low, const char* high, std::optional<Interval>& interval) {
    if (json_.contains(low) && json_.contains(high)) interval = Interval{json_[low], json_[high]};
  }

 private:
  const Json& json_;
};

/// Whether a description names the members of the type.
template <class Type>
concept Described = requires(FieldWriter& writer, const Type& value) {
  describe(writer, value);
};

template <class Value>
Json written(const Value& value) {
  if constexpr (kIsOptional<Value>) {
    return written(*value);
  } else if constexpr (std::is_same_v<Value, NamedTexts>) {
    Json object = Json::object();
    for (const auto& [name, text] : value) object[name] = text;
    return object;
  } else if constexpr (kIsVector<Value>) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(written(item));
    return array;
  } else if constexpr (Described<Value>) {
    FieldWriter writer;
    describe(writer, value);
    return std::move(writer.json);
  } else {
    return value;
  }
}

template <class Value>
Value read_as(const Json& json) {
  if constexpr (kIsOptional<Value>) {
    return read_as<typename Value::value_type>(json);
  } else if constexpr (std::is_same_v<Value, NamedTexts>) {
    NamedTexts texts;
    for (const auto& [name, text] : json.items()) texts.emplace_back(name, text);
    return texts;
  } else if constexpr (kIsVector<Value>) {
    Value values;
    for (const Json& item : json) values.push_back(read_as<typename Value::value_type>(item));
    return values;
  } else if constexpr (Described<Value>) {
    Value value;
    FieldReader reader(json);
    describe(reader, value);
    return value;
  } else {
    return json.get<Value>();
  }
}

}  // namespace seqpoint::io::artifacts
