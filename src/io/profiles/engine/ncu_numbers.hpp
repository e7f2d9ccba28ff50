/// \file
/// Numbers as Nsight Compute prints them, in the locale of its user.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::profiles::engine {

/// The separators of a file: decided once, from all of its values, because "117.344" alone is ambiguous. A decimal
/// point unless a value shows otherwise.
class NcuNumbers {
 public:
  NcuNumbers() = default;
  /// The first of the cells that is not ambiguous decides.
  explicit NcuNumbers(const std::vector<std::string>& cells);

  bool european() const { return european_; }  ///< decimal comma, points between thousands: 27.595.520 and 65,77
  /// The cell without separators of thousands, with a decimal point, in its own unit; nothing if it says that nothing
  /// was measured: empty, "n/a", "(!) n/a", "nan". Other text is not refused: the caller checks that it is a number.
  std::optional<std::string> plain(std::string_view cell) const;

 private:
  bool european_ = false;
};

/// The factor from that unit to the base unit (byte, byte/second, hertz, second): Kbyte is 1000. 1 for any other unit.
double unit_scale(std::string_view unit);

}  // namespace seqpoint::io::profiles::engine
