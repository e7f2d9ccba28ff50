/// \file
/// FlatBuffers as Arrow's metadata uses them, read in place (flatbuffers.dev/internals): every offset is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/manifests/engine/binary.hpp"

namespace seqpoint::io::manifests::arrow {

/// An offset that leads out of the buffer.
struct FlatBufferFault {};

/// Elements of one size, which the buffer holds in full.
struct FlatVector {
  std::size_t at = 0;
  std::uint32_t size = 0;
};

/// A table of a buffer. Fields have the numbers that the schema gives them, from 0; one that is not there has its
/// default value. All functions throw FlatBufferFault.
class FlatTable {
 public:
  /// The buffer's root. `bytes` outlive the table.
  explicit FlatTable(std::string_view bytes) : FlatTable(bytes, follow(bytes, 0)) {}

  template <class T>
  T number(std::size_t field, T otherwise) const {
    const auto at = place(field);
    return at ? load<T>(bytes_, *at) : otherwise;
  }
  std::optional<FlatTable> table(std::size_t field) const {
    const auto at = place(field);
    return at ? std::optional(FlatTable(bytes_, follow(bytes_, *at))) : std::nullopt;
  }
  std::string_view text(std::size_t field) const {
    const FlatVector letters = vector(field, 1);
    return bytes_.substr(letters.at, letters.size);
  }
  /// Empty where the field is not there.
  FlatVector vector(std::size_t field, std::size_t element_size) const {
    const auto at = place(field);
    if (!at) return {};
    const std::size_t begin = follow(bytes_, *at);
    const auto size = load<std::uint32_t>(bytes_, begin);
    if (size > (bytes_.size() - begin - sizeof size) / element_size) throw FlatBufferFault();
    return {begin + sizeof size, size};
  }
  /// A table of a vector of tables.
  FlatTable element(const FlatVector& tables, std::uint32_t index) const {
    return {bytes_, follow(bytes_, tables.at + sizeof(std::uint32_t) * index)};
  }
  /// A number in a vector of numbers or of structs, `offset` bytes behind its begin.
  std::int64_t integer(const FlatVector& elements, std::size_t offset) const {
    return load<std::int64_t>(bytes_, elements.at + offset);
  }

 private:
  FlatTable(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {
    const auto back = load<std::int32_t>(bytes_, at_);
    const std::int64_t fields = static_cast<std::int64_t>(at_) - back;
    if (fields < 0) throw FlatBufferFault();
    fields_ = static_cast<std::size_t>(fields);
    fields_size_ = load<std::uint16_t>(bytes_, fields_);
  }

  template <class T>
  static T load(std::string_view bytes, std::size_t at) {
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) throw FlatBufferFault();
    return engine::decode<T>(bytes.data() + at);
  }
  /// Where an offset leads: always forward.
  static std::size_t follow(std::string_view bytes, std::size_t at) {
    const auto offset = load<std::uint32_t>(bytes, at);
    if (offset == 0 || offset >= bytes.size() - at) throw FlatBufferFault();
    return at + offset;
  }
  std::optional<std::size_t> place(std::size_t field) const {
    const std::size_t slot = sizeof(std::uint32_t) + sizeof(std::uint16_t) * field;
    if (slot + sizeof(std::uint16_t) > fields_size_) return std::nullopt;
    const auto offset = load<std::uint16_t>(bytes_, fields_ + slot);
    return offset == 0 ? std::nullopt : std::optional(at_ + offset);
  }

  std::string_view bytes_;
  std::size_t at_, fields_ = 0, fields_size_ = 0;
};

}  // namespace seqpoint::io::manifests::arrow
