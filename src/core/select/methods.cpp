// The one list of methods.
#include <array>

#include "core/select/methods/methods.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {

std::span<const Method> methods() {
  static const std::array kTable{kCalibrated, kBins, kKmeans, kFrequent, kMedian, kWorst, kPrior, kRandom};
  return kTable;
}

const Method& find_method(std::string_view name) {
  std::string known;
  for (const Method& method : methods()) {
    if (method.name == name) return method;
    known += (known.empty() ? "" : ", ") + std::string(method.name);
  }
  throw UsageError("there is no method '" + std::string(name) + "'", "one of: " + known);
}

}  // namespace seqpoint
