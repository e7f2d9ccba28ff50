#include "io/profiles/engine/benchmark_parameters.hpp"

#include <nlohmann/json.hpp>

#include "seqpoint/measure.hpp"

namespace seqpoint::io::profiles::engine {

void identify_by_parameters(profile::StepIdentity& identity, const io::json::Json& parameters) {
  if (!parameters.is_object()) return;
  for (const auto& [name, value] : parameters.items()) {
    const std::string text = value.is_string()   ? value.get<std::string>()
                             : value.is_number() ? value.dump()
                                                 : std::string();
    profile::set_field(identity, name, text);
  }
}

}  // namespace seqpoint::io::profiles::engine
