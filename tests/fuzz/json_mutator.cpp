// Mutations of artefacts that know JSON: random bytes rarely stay a document, and hardly ever become another one.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "targets.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace seqpoint::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

void collect(Json& value, std::vector<Json*>& all) {
  all.push_back(&value);
  for (Json& element : value)
    if (value.is_structured()) collect(element, all);
}

/// A value of another type, or at the edge of its own.
Json unusual(Random& random) {
  const std::vector<Json> values{nullptr,
                                 true,
                                 0,
                                 -1,
                                 1,
                                 0.5,
                                 -0.0,
                                 1e308,
                                 1e-320,
                                 4294967295U,
                                 4294967296U,
                                 std::uint64_t{18446744073709551615U},
                                 "",
                                 "0",
                                 "nan",
                                 "src_len",
                                 std::string(300, 'x'),
                                 Json::array(),
                                 Json::object(),
                                 Json::array({Json::array()})};
  return values[random() % values.size()];
}

/// Deletes, duplicates or moves an element of a container.
void change_elements(Json& container, Random& random) {
  if (container.empty()) return;
  const auto at = static_cast<std::ptrdiff_t>(random() % container.size());
  const auto other = static_cast<std::ptrdiff_t>(random() % container.size());
  const auto element = std::next(container.begin(), at);
  const auto kind = random() % 3;
  if (kind == 0)
    container.erase(element);
  else if (kind == 1)
    std::swap(*element, *std::next(container.begin(), other));
  else if (container.is_array())
    container.insert(element, Json(*element));
  else
    container[element.key() + "2"] = Json(*element);
}

void mutate(Json& document, Random& random) {
  std::vector<Json*> values;
  collect(document, values);
  Json& value = *values[random() % values.size()];
  switch (random() % 5) {
    case 0: value = unusual(random); break;
    case 1: value.clear(); break;  // of its type, empty
    case 2: {
      const Json copy = *values[random() % values.size()];
      value = copy;
      break;
    }
    default:
      if (value.is_structured())
        change_elements(value, random);
      else if (value.is_number_integer())
        value = value.get<std::int64_t>() + static_cast<std::int64_t>(random() % 3) - 1;
      else
        value = unusual(random);
  }
}

}  // namespace

std::size_t mutate_document(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view text = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(text.size());
  Json document = Json::parse(text, nullptr, false);
  if (random() % 3 == 0 || document.is_discarded()) return LLVMFuzzerMutate(data, size, most);
  for (auto left = 1 + random() % 3; left > 0; --left) mutate(document, random);
  const std::string bytes = document.dump(1, ' ', false, Json::error_handler_t::replace) + std::string(rest);
  if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace seqpoint::fuzz
