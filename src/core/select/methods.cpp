// The one list of methods.
#include <array>

#include "core/enum_names.hpp"
#include "core/select/methods/methods.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select {

std::span<const Method> all_methods() {
#define ROW(name) methods::name,
  static const std::array kTable{
#include "core/select/methods.def"
  };
  return kTable;
}

const Method& find_method(std::string_view name) {
  for (const Method& method : all_methods())
    if (method.name == name) return method;
  throw ParameterError("method", ": unknown method '" + std::string(name) + "'",
                       names_hint(name, row_names(all_methods())));
}

}  // namespace seqpoint::select
