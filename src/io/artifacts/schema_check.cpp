// Checks documents against the published schemas, so that readers can rely on their form.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/artifacts/json.hpp"
#include "io/artifacts/schemas.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// A violation of a schema.
struct Violation {
  std::string path,  ///< "points[2].id"
      problem;       ///< "is not a string"
};
using Found = std::optional<Violation>;

/// A violation at the value itself.
Found problem(std::string text) { return Violation{"", std::move(text)}; }

/// Puts a step, a key or "[2]", before the path of a violation.
Found under(const std::string& step, Found found) {
  if (found) found->path = step + (found->path.empty() || found->path.front() == '[' ? "" : ".") + found->path;
  return found;
}

/// Whether a value has the type of JSON Schema. An "integer" is a whole number of 0 or more here.
bool is_of(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_unsigned();
  return value.type_name() == type;
}

Found no_integer(const Json& schema) {
  return problem(fmt::format("is not a whole number from 0 to {}", schema.value("maximum", UINT64_MAX)));
}

/// A violation if the value has none of the types that the schema allows. The message names the first of these.
Found wrong_type(const Json& value, const Json& schema) {
  const Json& type = part(schema, "type");
  const auto fits = [&](const Json& one) { return is_of(value, one.get_ref<const std::string&>()); };
  if (type.is_string() ? fits(type) : std::ranges::any_of(type, fits)) return {};
  const std::string first = type.is_string() ? type : type.front();
  if (first == "integer") return no_integer(schema);
  return problem((first == "object" || first == "array" ? "is not an " : "is not a ") + first);
}

/// A violation if the number is outside the schema's limits. The message for a number below the minimum assumes that
/// the minimum is 0 or 1, as in our schemas.
Found wrong_number(const Json& value, const Json& schema) {
  constexpr double kNoEnd = std::numeric_limits<double>::infinity();
  const double number = value.get<double>();
  const double least = schema.value("minimum", -kNoEnd), above = schema.value("exclusiveMinimum", -kNoEnd);
  const double most = schema.value("maximum", kNoEnd), below = schema.value("exclusiveMaximum", kNoEnd);
  if (least <= number && number <= most && above < number && number < below) return {};
  if (const double low = std::max(least, above), high = std::min(most, below); high < kNoEnd)
    return low > -kNoEnd ? problem(fmt::format("is not between {} and {}", low, high)) : no_integer(schema);
  return problem(number == 0 ? "is 0" : "is negative");
}

/// A violation if the value is not among `words`.
Found wrong_word(const Json& value, const Json& words) {
  if (std::ranges::find(words, value) != words.end()) return {};
  return problem(fmt::format("is {}, not one of {}", value.dump(-1, ' ', false, Json::error_handler_t::replace),
                             fmt::join(words.get<std::vector<std::string>>(), ", ")));
}

/// Supports the keywords of our schemas, except patterns and uniqueItems, which callers check with better messages.
class SchemaCheck {
 public:
  explicit SchemaCheck(const Json& root) : root_(root) {}

  /// The first violation, in the order of the schema.
  Found check(const Json& value, const Json& schema) const {
    Found found;
    if (schema.contains("$ref")) found = check(value, target_of(schema));
    if (!found && schema.contains("type")) found = wrong_type(value, schema);
    if (!found && schema.contains("enum")) found = wrong_word(value, schema["enum"]);
    if (!found && value.is_number()) found = wrong_number(value, schema);
    if (!found && value.is_array()) found = in_array(value, schema);
    if (!found && value.is_object()) found = in_object(value, schema);
    if (!found && schema.contains("minLength") && value.is_string() && value.get_ref<const std::string&>().empty())
      found = problem("is empty");
    return found ? found : in_alternatives(value, schema);
  }

 private:
  const Json& target_of(const Json& schema) const {
    return root_.at(Json::json_pointer(schema["$ref"].get_ref<const std::string&>().substr(1)));
  }

  /// Checks the number of elements, then every element: the first by prefixItems, the others by items.
  Found in_array(const Json& array, const Json& schema) const {
    const Json &first = part(schema, "prefixItems"), &items = part(schema, "items");
    const std::size_t least = schema.value("minItems", std::size_t{0});
    const std::size_t most = items == false ? first.size() : schema.value("maxItems", SIZE_MAX);
    if (array.empty() && least > 0) return problem("is empty");
    if (array.size() < least) return problem(fmt::format("has {} elements, fewer than {}", array.size(), least));
    if (array.size() > most) return problem(fmt::format("has {} elements, more than {}", array.size(), most));
    const Json& others = items.size() == 1 && items.contains("$ref") ? target_of(items) : items;
    for (std::size_t i = 0; i < array.size() && (i < first.size() || others.is_object()); ++i)
      if (Found found = check(array[i], i < first.size() ? first[i] : others))
        return under(fmt::format("[{}]", i), std::move(found));
    return {};
  }

  /// Checks required keys, then known keys, then, if the schema restricts them, the values at every key.
  Found in_object(const Json& object, const Json& schema) const {
    for (const Json& key : part(schema, "required"))
      if (!object.contains(key)) return Violation{key, "is missing"};
    for (const auto& property : part(schema, "properties").items())
      if (const auto value = object.find(property.key()); value != object.end())
        if (Found found = check(*value, property.value())) return under(property.key(), std::move(found));
    if (const Json& others = part(schema, "additionalProperties"); others.is_object())
      for (const auto& item : object.items())
        if (Found found = check(item.value(), others)) return under(item.key(), std::move(found));
    return {};
  }

  /// Checks anyOf, else if/then/else. If no alternative of anyOf allows the value, returns the violation of the last
  /// one.
  Found in_alternatives(const Json& value, const Json& schema) const {
    Found found;
    for (const Json& alternative : part(schema, "anyOf"))
      if (found = check(value, alternative); !found) break;
    if (found || !schema.contains("if")) return found;
    return check(value, part(schema, check(value, schema["if"]) ? "else" : "then"));
  }

  const Json& root_;
};

const Schema& schema_of(std::string_view kind) { return *std::ranges::find(schemas(), kind, &Schema::kind); }

}  // namespace

std::string_view schema_name(std::string_view kind) { return schema_of(kind).name; }

void require_schema(const JsonReader& reader, std::string_view kind) {
  const Json& stated = part(reader.root(), "schema");
  if (!reader.root().contains("schema")) reader.fail_kind("is missing");
  if (const std::string_view known = schema_name(kind); stated != known) {
    const std::string problem =
        fmt::format("is {}, not \"{}\"", stated.dump(-1, ' ', false, Json::error_handler_t::replace), known);
    if (stated.is_string() && stated.get<std::string>().starts_with(fmt::format("seqpoint/{}/", kind)))
      throw InputError({reader.source(), 0, "schema"}, problem, "make the file anew with this version of seqpoint");
    reader.fail_kind(problem);
  }
  const Json schema = Json::parse(schema_of(kind).text);
  const Found found = SchemaCheck(schema).check(reader.root(), schema);
  if (found) reader.fail(found->path, found->problem);
}

}  // namespace seqpoint::io::artifacts
