#include "io/text/shortest_number.hpp"

#include <array>
#include <charconv>

namespace seqpoint::io::text {

double round12(double value) {
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 11);
  double rounded = value;
  std::from_chars(text.data(), written.ptr, rounded);
  return rounded;
}

std::string shortest(double value) {
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), written.ptr};
}

}  // namespace seqpoint::io::text
