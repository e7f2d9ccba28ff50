/// \file
/// A column or key of lengths: its name, its unit, and the conversion of its values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/lengths/lengths.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::manifests {

class LengthColumn {
 public:
  LengthColumn(std::string name, lengths::LengthUnit unit, const lengths::FrameRule& frames)
      : name_(std::move(name)), unit_(unit), converter_(unit, frames) {}

  const std::string& name() const { return name_; }  ///< empty if the format has no names
  lengths::LengthUnit unit() const { return unit_; }

  /// The value of one row. All zeros, and not good, if the value is not a length.
  struct Cell {
    double number = 0;  ///< from which the length was computed, in the column's unit
    std::uint32_t length = 0;
    bool good = false;
  };
  /// Converts a number in the column's unit to a length.
  Cell read(double number) const {
    const auto [length, fault] = converter_(number);
    return fault == lengths::LengthConverter::Fault::none ? Cell{.number = number, .length = length, .good = true}
                                                          : Cell{};
  }
  /// Parses and converts a number. Text that is not a number, or empty, is not good.
  Cell read(std::string_view text) const {
    const text::Number number = text::parse_number(text);
    return number.fault == text::NumberFault::none ? read(number.value) : Cell{};
  }
  /// Why the value is not a length, for errors. Only for a value for which read() is not good.
  std::string problem(double number) const { return problem(number, text::shortest(number)); }
  std::string problem(std::string_view text) const {
    const text::Number number = text::parse_number(text);
    return number.fault != text::NumberFault::none ? text::describe(number.fault, text)
                                                   : problem(number.value, std::string(text::trim(text)));
  }

  /// A number of the column as seconds; nothing if its unit is neither a time nor audio samples.
  std::optional<double> seconds(double number) const { return converter_.seconds(number); }

 private:
  /// `written`: the number as text, with which the message begins.
  std::string problem(double number, std::string written) const {
    const lengths::LengthConverter::Fault fault = converter_(number).fault;
    const bool fractional = fault == lengths::LengthConverter::Fault::fractional;
    return std::move(written) + " " + std::string(lengths::describe(fault)) +
           (fractional ? "; name its unit if it is seconds: --length-unit seconds" : "");
  }

  std::string name_;
  lengths::LengthUnit unit_;
  lengths::LengthConverter converter_;
};

}  // namespace seqpoint::io::manifests
