#include "io/manifests/containers/mds_column.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace seqpoint::io::manifests::containers {
namespace {

/// Null: there is no such type.
const engine::NumberType* type_named(std::string_view name) {
  for (const engine::NumberType& type : engine::kNumberTypes)
    if (type.name == name) return &type;
  return nullptr;
}

/// A dimension is stored in the smallest of four sizes.
std::uint64_t unsigned_number(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8U | static_cast<unsigned char>(bytes[i]);
  return number;
}

}  // namespace

MdsValue::MdsValue(const MdsColumn& column, const std::string& field, RowSink& sink) : sink_(sink), path_(field) {
  const std::string_view encoding = column.encoding();
  const std::string type = field == column.name() ? "" : field.substr(column.name().size() + 1);
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    throw InputError({sink.file.path(), 0, column.name()}, what, hint);
  };
  if (!type.empty() && encoding != "bytes")
    refuse(fmt::format("is of '{}', whose type is known", encoding), "--length-field " + column.name());
  if (encoding == "bytes") {
    type_ = type_named(type);
    if (type_ == nullptr)
      refuse(
          type.empty() ? "holds bytes, and does not say what is in them"
                       : fmt::format("'{}' is no type of NumPy's", type),
          fmt::format("--length-field {}:int64 counts 8 bytes each, as LLM Foundry writes tokens; int32, uint16, ...",
                      column.name()));
  } else if (encoding == "str") {
    kind_ = Kind::text;
  } else if (encoding.starts_with("ndarray")) {
    set_array(encoding);
  } else if (encoding == "str_int" || encoding == "str_float" || encoding == "str_decimal") {
    kind_ = Kind::digits;
  } else {
    kind_ = Kind::number;
    type_ = type_named(encoding == "int" ? "int64" : encoding);
    if (type_ == nullptr || type_->decode == nullptr || type_->size != column.fixed_size())
      refuse(fmt::format("is of '{}', which has no length that could be told", encoding),
             "name a column of arrays, numbers, bytes or text with --length-field");
  }
}

/// ndarray, ndarray:TYPE or ndarray:TYPE:SHAPE.
void MdsValue::set_array(std::string_view encoding) {
  const std::string_view rest = encoding.substr(std::min(encoding.size(), std::string_view("ndarray:").size()));
  const auto colon = rest.find(':');
  const std::string_view type = rest.substr(0, colon);
  kind_ = Kind::shaped;
  type_ = type_named(type);
  if (colon != std::string_view::npos) {
    const std::string_view shape = rest.substr(colon + 1);
    std::from_chars(shape.data(), shape.data() + shape.size(), fixed_length_);
  }
  if ((!type.empty() && type_ == nullptr) || (colon != std::string_view::npos && fixed_length_ == 0))
    throw InputError({sink_.file.path(), 0, path_},
                     fmt::format("is of '{}', which is no array of streaming's", encoding));
}

std::uint64_t MdsValue::read(engine::BinaryReader& in, std::uint64_t size) const {
  constexpr std::uint64_t kLongestNumber = 400;
  switch (kind_) {
    case Kind::elements:
      if (size % type_->size != 0)
        in.fail(fmt::format("has {} bytes in '{}', which are no numbers of {} bytes", size, path_, type_->size));
      add_length(size / type_->size);
      return 0;
    case Kind::shaped: return read_shape(in, size);
    case Kind::text: sink_.add_text(0, in.read_bytes(size)); return size;
    case Kind::digits:
      if (size > kLongestNumber) in.fail(fmt::format("has a number of {} letters in '{}'", size, path_));
      sink_.add(0, in.read_bytes(size));
      return size;
    case Kind::number:
      if (size != type_->size) in.fail(fmt::format("has a number of {} bytes in '{}'", size, path_));
      sink_.add_number(0, type_->decode(in.read_bytes(size).data(), engine::ByteOrder::little));
      return size;
  }
  return 0;
}

/// Unless the encoding fixes them, an array begins with its type, and with how many dimensions of how many bytes it
/// has. The first dimension is the length.
std::uint64_t MdsValue::read_shape(engine::BinaryReader& in, std::uint64_t size) const {
  if (fixed_length_ != 0) {
    add_length(fixed_length_);
    return 0;
  }
  const std::uint64_t type = type_ == nullptr ? 1 : 0;
  if (size < type + 2) in.fail(fmt::format("has an array of {} bytes in '{}'", size, path_));
  const auto shape = static_cast<unsigned char>(in.read_bytes(type + 1).back());
  const std::uint64_t dimension = std::uint64_t{1} << (shape & 3U);
  if (shape >> 2U == 0 || size < type + 1 + dimension)
    in.fail(fmt::format("has an array without a length in '{}'", path_));
  add_length(unsigned_number(in.read_bytes(dimension)));
  return type + 1 + dimension;
}

}  // namespace seqpoint::io::manifests::containers
