/// \file
/// A whole number or nothing, for tables with millions of rows.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace seqpoint {

/// As std::optional<std::uint64_t>, in half of its memory. The largest number of the type stands for nothing.
class OptionalNumber {
 public:
  OptionalNumber() = default;                                   ///< nothing
  OptionalNumber(std::uint64_t number) : number_(number) {}     ///< a number
  OptionalNumber(const std::optional<std::uint64_t>& number) {  ///< the same, or nothing
    if (number) number_ = *number;
  }

  bool has_value() const { return number_ != kNothing; }  ///< whether it is a number
  explicit operator bool() const { return has_value(); }  ///< the same
  std::uint64_t operator*() const { return number_; }     ///< the number; it must have one
  /// The same; throws if it is nothing.
  std::uint64_t value() const { return std::optional<std::uint64_t>(*this).value(); }
  /// The number, or `other`.
  std::uint64_t value_or(std::uint64_t other) const { return has_value() ? number_ : other; }
  void reset() { number_ = kNothing; }  ///< makes it nothing
  /// The same number, or nothing.
  operator std::optional<std::uint64_t>() const {
    return has_value() ? std::optional<std::uint64_t>(number_) : std::nullopt;
  }

  friend bool operator==(const OptionalNumber& a, std::nullopt_t) { return !a.has_value(); }  ///< whether it is nothing
  friend bool operator==(const OptionalNumber&, const OptionalNumber&) = default;  ///< nothing equals nothing

 private:
  static constexpr std::uint64_t kNothing = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t number_ = kNothing;
};

}  // namespace seqpoint
