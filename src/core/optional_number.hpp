/// \file
/// A whole number or nothing, for tables with millions of rows.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

namespace seqpoint {

/// As std::optional<T>, in half of its memory. The largest number of the type stands for nothing.
template <std::unsigned_integral T>
class OptionalOf {
 public:
  OptionalOf() = default;                       ///< nothing
  OptionalOf(T number) : number_(number) {}     ///< a number
  OptionalOf(const std::optional<T>& number) {  ///< the same, or nothing
    if (number) number_ = *number;
  }

  bool has_value() const { return number_ != kNothing; }                   ///< whether it is a number
  explicit operator bool() const { return has_value(); }                   ///< the same
  T operator*() const { return number_; }                                  ///< the number; it must have one
  T value() const { return std::optional<std::uint64_t>(*this).value(); }  ///< the same; throws if it is nothing
  T value_or(T other) const { return has_value() ? number_ : other; }      ///< the number, or `other`
  void reset() { number_ = kNothing; }                                     ///< makes it nothing
  /// The same number, or nothing.
  operator std::optional<std::uint64_t>() const {
    return has_value() ? std::optional<std::uint64_t>(number_) : std::nullopt;
  }

  friend bool operator==(const OptionalOf& a, std::nullopt_t) { return !a.has_value(); }  ///< whether it is nothing
  friend bool operator==(const OptionalOf&, const OptionalOf&) = default;                 ///< nothing equals nothing

 private:
  static constexpr T kNothing = std::numeric_limits<T>::max();
  T number_ = kNothing;
};

using OptionalNumber = OptionalOf<std::uint64_t>;  ///< a number of 8 bytes
using OptionalLength = OptionalOf<std::uint32_t>;  ///< a number of 4 bytes

}  // namespace seqpoint
