/// \file
/// The types of numbers that NumPy stores.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "io/manifests/engine/binary.hpp"

namespace seqpoint::io::manifests::engine {

struct NumberType {
  std::string_view code, name;  ///< "i8", "int64"
  std::uint32_t size;           ///< bytes
  double (*decode)(const char* bytes, ByteOrder order);
};

template <class T>
constexpr NumberType number_type(std::string_view code, std::string_view name) {
  const auto decode_as = [](const char* bytes, ByteOrder order) {
    return static_cast<double>(decode<T>(bytes, order));
  };
  return {code, name, sizeof(T), decode_as};
}

inline constexpr std::array<NumberType, 11> kNumberTypes{
    number_type<std::int8_t>("i1", "int8"),
    number_type<std::int16_t>("i2", "int16"),
    number_type<std::int32_t>("i4", "int32"),
    number_type<std::int64_t>("i8", "int64"),
    number_type<std::uint8_t>("u1", "uint8"),
    number_type<std::uint16_t>("u2", "uint16"),
    number_type<std::uint32_t>("u4", "uint32"),
    number_type<std::uint64_t>("u8", "uint64"),
    number_type<float>("f4", "float32"),
    number_type<double>("f8", "float64"),
    {"f2", "float16", 2, nullptr},  // exact up to 2048 only, so no lengths are read from it
};

}  // namespace seqpoint::io::manifests::engine
