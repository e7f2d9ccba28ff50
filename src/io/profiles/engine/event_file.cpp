// Fields by number, as in tensorflow/core/util/event.proto and core/framework/{summary,tensor,types}.proto.
#include "io/profiles/engine/event_file.hpp"

#include <bit>
#include <optional>

#include "io/text/tf_record.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

/// A field of a protocol buffer's message.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t bits = 0;    ///< of a number
  std::string_view bytes{};  ///< of text, a message, or several numbers
};

class Message {
 public:
  explicit Message(std::string_view bytes) : bytes_(bytes) {}

  /// Nothing at the end, and where the bytes are no message.
  std::optional<Field> next() {
    constexpr std::uint64_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5, kTypeBits = 3, kTypes = 7;
    if (bytes_.empty()) return std::nullopt;
    const std::uint64_t key = varint();
    Field field{.number = key >> kTypeBits};
    switch (key & kTypes) {
      case kVarint: field.bits = varint(); break;
      case kFixed64: field.bits = text::little_endian(take(8), 0, valid_ ? 8 : 0); break;
      case kFixed32: field.bits = text::little_endian(take(4), 0, valid_ ? 4 : 0); break;
      case kBytes: field.bytes = take(varint()); break;
      default: valid_ = false;
    }
    if (!valid_) return std::nullopt;
    return field;
  }
  bool valid() const { return valid_; }

 private:
  std::uint64_t varint() {
    constexpr unsigned kBits = 7, kMost = 64;
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < kMost && !bytes_.empty(); shift += kBits) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      number |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) return number;
    }
    valid_ = false;
    return 0;
  }
  std::string_view take(std::uint64_t size) {
    valid_ = valid_ && size <= bytes_.size();
    if (!valid_) return {};
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
  bool valid_ = true;
};

double float_of(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

/// A tensor of one float or double: content (4), float_val (5), double_val (6), packed or not.
std::optional<double> value_of_tensor(std::string_view bytes) {
  Message tensor(bytes);
  while (const auto field = tensor.next()) {
    if (field->number < 4 || field->number > 6) continue;
    if (field->bytes.size() == 4) return float_of(text::little_endian(field->bytes, 0));
    if (field->bytes.size() == 8) return std::bit_cast<double>(text::little_endian(field->bytes, 0, 8));
    if (field->bytes.empty()) return field->number == 5 ? float_of(field->bits) : std::bit_cast<double>(field->bits);
  }
  return std::nullopt;
}

/// Summary.Value: tag (1), simple_value (2), tensor (8).
bool add_value(std::string_view bytes, Scalar scalar, std::vector<Scalar>& scalars) {
  Message value(bytes);
  std::optional<double> number;
  while (const auto field = value.next()) {
    if (field->number == 1) scalar.tag = field->bytes;
    if (field->number == 2) number = float_of(field->bits);
    if (field->number == 8) number = value_of_tensor(field->bytes);
  }
  scalar.value = number.value_or(0);
  if (number) scalars.push_back(scalar);
  return value.valid();
}

/// Event: wall_time (1), step (2), summary (5), which is values (1). False for what is none.
bool add_event(std::string_view bytes, std::vector<Scalar>& scalars) {
  Message event(bytes);
  Scalar scalar;
  std::string_view summary;
  while (const auto field = event.next()) {
    if (field->number == 1) scalar.wall_time = std::bit_cast<double>(field->bits);
    if (field->number == 2) scalar.step = field->bits;
    if (field->number == 5) summary = field->bytes;
  }
  bool valid = event.valid();
  Message values(summary);
  while (const auto field = values.next())
    if (field->number == 1) valid = add_value(field->bytes, scalar, scalars) && valid;
  return valid && values.valid();
}

}  // namespace

EventFile read_events(std::string_view bytes) {
  EventFile file;
  while (!bytes.empty() && !file.cut) {
    const text::TfRecord record = text::first_record(bytes);
    bytes.remove_prefix(record.size);
    file.cut = record.fault == text::RecordFault::cut;
    if (file.cut) break;
    const bool whole = record.fault == text::RecordFault::none && add_event(record.bytes, file.scalars);
    ++(whole ? file.events : file.damaged);
  }
  return file;
}

}  // namespace seqpoint::io::profiles::engine
