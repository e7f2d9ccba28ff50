/// \file
/// A column of MosaicML's MDS, and the length that a value of it stands for (streaming/base/format/mds/encodings.py).
#pragma once

#include <cstdint>
#include <string>

#include "io/manifests/engine/binary.hpp"
#include "io/manifests/engine/number_types.hpp"
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::containers {

class MdsColumn {
 public:
  /// `fixed_size`: bytes of every value; 0: each sample says.
  MdsColumn(std::string name, std::string encoding, std::uint32_t fixed_size)
      : name_(std::move(name)), encoding_(std::move(encoding)), fixed_size_(fixed_size) {}

  const std::string& name() const { return name_; }
  const std::string& encoding() const { return encoding_; }
  std::uint64_t fixed_size() const { return fixed_size_; }

 private:
  std::string name_, encoding_;
  std::uint32_t fixed_size_;
};

/// Adds a row a value.
class MdsValue {
 public:
  /// `field`: the column's name, or NAME:TYPE of what its bytes are. Throws InputError for an encoding that has no
  /// length.
  MdsValue(const MdsColumn& column, const std::string& field, RowSink& sink);

  /// Reads a value of `size` bytes as far as needed, and adds its row. Returns the bytes read.
  std::uint64_t read(engine::BinaryReader& in, std::uint64_t size) const;

 private:
  enum class Kind { elements, shaped, number, digits, text };

  std::uint64_t read_shape(engine::BinaryReader& in, std::uint64_t size) const;
  void add_length(std::uint64_t elements) const { sink_.add_number(0, static_cast<double>(elements)); }
  void set_array(std::string_view encoding);

  RowSink& sink_;
  std::string path_;
  Kind kind_ = Kind::elements;
  const engine::NumberType* type_ = nullptr;  ///< of a number, or of elements; null: values say it
  std::uint64_t fixed_length_ = 0;            ///< the first dimension of a fixed shape; 0: there is none
};

}  // namespace seqpoint::io::manifests::containers
