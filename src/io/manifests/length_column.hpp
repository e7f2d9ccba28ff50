/// \file
/// A column or key of lengths: its name, its unit, and the conversion of its values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/lengths/lengths.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::manifests {

class LengthColumn {
 public:
  LengthColumn(std::string name, lengths::LengthUnit unit, const lengths::FrameRule& frames)
      : name_(std::move(name)), unit_(unit), converter_(unit, frames) {}

  const std::string& name() const { return name_; }  ///< empty if the format has no names
  lengths::LengthUnit unit() const { return unit_; }

  /// The value of one row. All zeros unless it is good.
  struct Cell {
    double number = 0;  ///< from which the length was computed, in the column's unit
    std::uint32_t length = 0;
    bool good = false;
  };
  Cell read(double number) const {
    const auto [length, fault] = converter_(number);
    return fault == lengths::LengthConverter::Fault::none ? Cell{.number = number, .length = length, .good = true}
                                                          : Cell{};
  }
  Cell read(std::string_view text) const {
    const text::Number number = text::parse_number(text);
    return number.fault == text::NumberFault::none ? read(number.value) : Cell{};
  }
  /// Why read() is not good.
  std::string problem(double number) const;
  std::string problem(std::string_view text) const;

  /// A number of the column as seconds; nothing if its unit is neither a time nor audio samples.
  std::optional<double> seconds(double number) const { return converter_.seconds(number); }

 private:
  std::string problem(double number, std::string written) const;

  std::string name_;
  lengths::LengthUnit unit_;
  lengths::LengthConverter converter_;
};

}  // namespace seqpoint::io::manifests
