/// \file
/// Numbers as Nsight Compute prints them: by the locale of whoever ran it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::profiles::engine {

/// Which separators a file has: decided once, from all of its values, as "117.344" alone may be either.
class NcuNumbers {
 public:
  NcuNumbers() = default;
  explicit NcuNumbers(const std::vector<std::string>& cells);

  bool european() const { return european_; }  ///< 27.595.520 and 65,77
  /// The number without separators of thousands and with a decimal point; nothing where it is not measured.
  std::optional<std::string> plain(std::string_view cell) const;

 private:
  bool european_ = false;
};

/// What a value in that unit is multiplied with to be in the base unit (byte, byte/second, hertz, second): Kbyte is
/// 1000.
double unit_scale(std::string_view unit);

}  // namespace seqpoint::io::profiles::engine
