// The one list of methods.
#include <array>

#include "core/select/methods/methods.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::select {

std::span<const Method> all_methods() {
  static const std::array kTable{methods::kCalibrated, methods::kBins,      methods::kKmeans, methods::kFrequent,
                                 methods::kMedian,     methods::kWorst,     methods::kPrior,  methods::kRandom,
                                 methods::kStratified, methods::kRegression};
  return kTable;
}

const Method& find_method(std::string_view name) {
  for (const Method& method : all_methods())
    if (method.name == name) return method;
  throw ParameterError("method", ": there is no method '" + std::string(name) + "'",
                       names_hint(name, row_names(all_methods())));
}

}  // namespace seqpoint::select
