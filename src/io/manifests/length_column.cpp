#include "io/manifests/length_column.hpp"

#include "io/text/number.hpp"

namespace seqpoint::io::manifests {

/// `written`: the number as text, with which the message begins.
std::string LengthColumn::problem(double number, std::string written) const {
  const lengths::LengthConverter::Fault fault = converter_(number).fault;
  const bool fractional = fault == lengths::LengthConverter::Fault::fractional;
  return std::move(written) + " " + std::string(lengths::describe(fault)) +
         (fractional ? "; name its unit if it is seconds: --length-unit seconds" : "");
}

std::string LengthColumn::problem(double number) const { return problem(number, text::shortest(number)); }

std::string LengthColumn::problem(std::string_view text) const {
  const text::Number number = text::parse_number(text);
  return number.fault != text::NumberFault::none ? text::describe(number.fault, text)
                                                 : problem(number.value, std::string(text::trim(text)));
}

}  // namespace seqpoint::io::manifests
