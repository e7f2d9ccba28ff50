#include "io/manifests/length_column.hpp"

#include "io/text/shortest_number.hpp"

namespace seqpoint {

std::string LengthColumn::problem(double number, std::string written) const {
  const LengthConverter::Fault fault = converter_(number).fault;
  const bool fractional = fault == LengthConverter::Fault::fractional;
  return std::move(written) + " " + std::string(describe(fault)) + (fractional ? "; is its unit seconds?" : "");
}

std::string LengthColumn::problem(double number) const { return problem(number, shortest(number)); }

std::string LengthColumn::problem(std::string_view text) const {
  const Number number = parse_number(text);
  return number.fault != NumberFault::none ? describe(number.fault, text)
                                           : problem(number.value, std::string(trim(text)));
}

}  // namespace seqpoint
